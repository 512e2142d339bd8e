import { expect, test } from 'vitest'
import { pathOfPicture, pathOfStoredFile } from './asset-address.ts'

test.each([
  ['notes.txt', '/assets/ab12/notes.txt'],
  ['a b?c#d/é.zip', '/assets/ab12/a%20b%3Fc%23d%2F%C3%A9.zip'],
  // Unpaired surrogates cannot be encoded.
  ['half \ud83d', '/assets/ab12/half%20%EF%BF%BD'],
])('the address of a file named %j is %s', (name, address) => {
  expect(pathOfStoredFile('ab12', name)).toBe(address)
})

test('a missing picture has no address', () => {
  expect(pathOfPicture(null, 'avatar')).toBeNull()
  expect(pathOfPicture('ab12', 'poster')).toBe('/assets/ab12/poster')
})
