import { expect, test } from 'vitest'
import { phonePattern } from './phone.ts'

/** Yields every text that consists of at most `length` of the given signs. A sign may occur several times. */
function* textsOf(signs: readonly string[], length: number): Generator<string> {
  yield ''
  if (length > 0) for (const rest of textsOf(signs, length - 1)) for (const sign of signs) yield sign + rest
}

test('the fast pattern of telephone numbers matches the same texts as the pattern of the contract', () => {
  const contract = /^$|^\+?[0-9 ().-]*[0-9][0-9 ().-]*((ext\.?|x) ?[0-9]+)?$/
  for (const text of textsOf(['+', '1', ' ', '(', '.', '-', 'x', 'ext', 'a'], 5))
    expect([text, phonePattern.test(text)]).toEqual([text, contract.test(text)])
})
