import { expect, test } from 'vitest'
import { tidyTags } from './tags.ts'

test('tags are trimmed, and of those that differ in case or in how an accent is written the first stays', () => {
  expect(tidyTags([' XSS', 'xss ', '', '  ', 'Crypto 101', 'xSS', 'caf\u00e9', 'CAFE\u0301'])).toEqual([
    'XSS',
    'Crypto 101',
    'caf\u00e9',
  ])
})
