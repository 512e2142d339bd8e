import { expect, test } from 'vitest'
import { sanitizeFileName } from './file-name.ts'

test.each([
  ['notes.txt', 'notes.txt'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\flag.zip', 'flag.zip'],
  ['a\u0000b\r\nc.txt', 'abc.txt'],
  ['  padded.bin  ', 'padded.bin'],
  ['..', 'file'],
  ['', 'file'],
  [undefined, 'file'],
  ['dir/', 'file'],
  ['旗.zip', '旗.zip'],
])('the uploaded file name %j becomes %j', (given, stored) => {
  expect(sanitizeFileName(given)).toBe(stored)
})

test('a long file name is cut at the start and retains its extension', () => {
  const name = sanitizeFileName(`${'x'.repeat(400)}.tar.gz`)
  expect([name.length, name.endsWith('.tar.gz')]).toEqual([200, true])
})
