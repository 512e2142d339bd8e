import { expect, test } from 'vitest'
import { formatAttachmentDisposition } from './content-disposition.ts'

test.each([
  ['notes.txt', 'attachment; filename="notes.txt"'],
  ['two words.txt', 'attachment; filename="two words.txt"'],
  ['naïve.txt', 'attachment; filename="na_ve.txt"; filename*=UTF-8\'\'na%C3%AFve.txt'],
  ['a"b\\c.txt', 'attachment; filename="a_b_c.txt"; filename*=UTF-8\'\'a%22b%5Cc.txt'],
  ["it's (1)*.txt", 'attachment; filename="it\'s (1)*.txt"'],
  ['x\r\nset-cookie: y', 'attachment; filename="x__set-cookie: y"; filename*=UTF-8\'\'x%0D%0Aset-cookie%3A%20y'],
  ['100%.txt', 'attachment; filename="100_.txt"; filename*=UTF-8\'\'100%25.txt'],
])('encodes the name %j as %s', (name, header) => {
  expect(formatAttachmentDisposition(name)).toBe(header)
})
