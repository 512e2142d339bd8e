import { expect, test } from 'vitest'
import { decodeLinkValue, mailLink } from './links.ts'

test('contains token and address as percent-encoded Base64', () => {
  // Base64 of "tok?" is "dG9rPw==", of "ada@example.org" "YWRhQGV4YW1wbGUub3Jn".
  expect(mailLink('https://ctf.example.org', 'activation', 'tok?', 'ada@example.org')).toBe(
    'https://ctf.example.org/account/verify?token=dG9rPw%3D%3D&email=YWRhQGV4YW1wbGUub3Jn',
  )
})

test('leads to a different page per purpose', () => {
  expect(mailLink('http://h', 'reset', 't', 'e')).toMatch(/^http:\/\/h\/account\/reset\?/)
  expect(mailLink('http://h', 'address-change', 't', 'e')).toMatch(/^http:\/\/h\/account\/confirm\?/)
})

test.each([
  ['dG9rPw==', 'tok?'],
  ['dG9rPw', 'tok?'],
  // Base64 of "ü>ü" is "w7w+w7w="; browsers may turn "+" into a blank.
  ['w7w w7w=', 'ü>ü'],
  ['', undefined],
  ['not base64!', undefined],
  ['/////w==', undefined],
  ['AA==', undefined],
])('%j is read as %j', (value, expected) => {
  expect(decodeLinkValue(value)).toBe(expected)
})
