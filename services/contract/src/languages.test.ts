import { expect, test } from 'vitest'
import { matchLanguage, negotiateLanguage } from './languages.ts'

test.each([
  [undefined, 'en-US'],
  ['', 'en-US'],
  ['de-DE', 'de-DE'],
  ['DE-de', 'de-DE'],
  ['de', 'de-DE'],
  ['de-AT', 'de-DE'],
  ['zh', 'zh-CN'],
  ['zh-SG', 'zh-CN'],
  ['zh-TW', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['zh-HK;q=0.9, en;q=0.1', 'zh-TW'],
  ['fr;q=0.3, ja;q=0.8, en;q=0.1', 'ja-JP'],
  ['nl, es;q=0.5', 'es-ES'],
  ['nl, tlh', 'en-US'],
  ['ko;q=0, ru;q=0.1', 'ru-RU'],
  ['*', 'en-US'],
  ['de;q=abc', 'de-DE'],
  [';;;,,,q=', 'en-US'],
])('the header %j selects the language %s', (header, expected) => {
  expect(negotiateLanguage(header)).toBe(expected)
})

test('a header of more than a kilobyte is ignored', () => {
  const long = (bytes: number) => `de${' '.repeat(bytes - 2)}`
  expect([negotiateLanguage(long(1_024)), negotiateLanguage(long(1_025))]).toEqual(['de-DE', 'en-US'])
})

test('a tag of an unsupported language selects no language', () => {
  expect(matchLanguage('pt-BR')).toBeUndefined()
})
