// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts have variables of compose files
import { expect, it, test } from 'vitest'
import { replaceComposeVariables } from './interpolate.ts'

const variables = new Map([
  ['A', 'a'],
  ['EMPTY', ''],
])

it.each([
  ['$A and ${A}', 'a and a'],
  ['$$A costs $$', '$A costs $'],
  ['${B:-b} ${B-b} ${A:-b}', 'b b a'],
  ['[${EMPTY:-b}] [${EMPTY-b}]', '[b] []'],
  ['${A:+set}${B:+set}${EMPTY+set}', 'setset'],
  ['${B:-${C:-c}}', 'c'],
  ['${B:-flag{test}}', 'flag{test}'],
  ['$A.txt', 'a.txt'],
])('the variables in %s are replaced', (text, expected) => {
  const { text: found, unset, isOdd } = replaceComposeVariables(text, variables)
  expect([found, unset, isOdd]).toEqual([expected, [], false])
})

test('variables without a value are reported', () => {
  expect(replaceComposeVariables('http://$B:${C}/', variables)).toMatchObject({ text: 'http://:/', unset: ['B', 'C'] })
  expect(replaceComposeVariables('${B:?name it}', variables)).toMatchObject({ text: '', missing: '`B` is required: name it' })
})

it.each(['$(date)', '${', '${A', 'cost: 5$', '${A!}'])('a `$` that belongs to no variable is reported: %s', (text) => {
  expect(replaceComposeVariables(text, variables).isOdd).toBe(true)
})

test('a text with 200,000 unclosed braces remains unchanged', () => {
  const text = '${'.repeat(200_000)
  expect(replaceComposeVariables(text, variables).text).toBe(text)
})
