import { makePgArray } from 'drizzle-orm/pg-core/utils'
import { expect, test } from 'vitest'
import { parseTextArray } from './text-array.ts'

test.each([[[]], [['plain', 'two words', '']], [['$m \\cdot r^{e}$', 'a "word"', '\\', '"', '\\"', '{,}', 'NULL', 'a\nb']]])(
  'parses an array that PostgreSQL formats from the texts %j',
  (texts) => {
    expect(parseTextArray(makePgArray(texts))).toEqual(texts)
  },
)

test('parses unquoted items', () => {
  expect(parseTextArray('{a,b,"c d"}')).toEqual(['a', 'b', 'c d'])
})
