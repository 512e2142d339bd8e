import { expect, test } from 'vitest'
import { normalizeTags } from './tags.ts'

test('normalizeTags trims tags, and retains only the first of several tags that differ only in case or Unicode form', () => {
  expect(normalizeTags([' XSS', 'xss ', '', '  ', 'Crypto 101', 'xSS', 'caf\u00e9', 'CAFE\u0301'])).toEqual([
    'XSS',
    'Crypto 101',
    'caf\u00e9',
  ])
})
