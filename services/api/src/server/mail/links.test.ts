import { expect, test } from 'vitest'
import { createMailLink, decodeMailLinkValue } from './links.ts'

test('a mailed link contains token and address as percent-encoded Base64', () => {
  // "dG9rPw==" is Base64 of "tok?", and "YWRhQGV4YW1wbGUub3Jn" of "ada@example.org".
  expect(createMailLink('https://ctf.example.org', 'activation', 'tok?', 'ada@example.org')).toBe(
    'https://ctf.example.org/account/verify?token=dG9rPw%3D%3D&email=YWRhQGV4YW1wbGUub3Jn',
  )
})

test('a mailed link leads to a different page for each purpose', () => {
  expect(createMailLink('http://h', 'reset', 't', 'e')).toMatch(/^http:\/\/h\/account\/reset\?/)
  expect(createMailLink('http://h', 'address-change', 't', 'e')).toMatch(/^http:\/\/h\/account\/confirm\?/)
})

test.each([
  ['dG9rPw==', 'tok?'],
  ['dG9rPw', 'tok?'],
  // "w7w+w7w=" is Base64 of "ü>ü". Browsers may turn "+" into a blank.
  ['w7w w7w=', 'ü>ü'],
  ['', undefined],
  ['not base64!', undefined],
  ['/////w==', undefined],
  ['AA==', undefined],
])('decodes the value %j of a mailed link as %j', (value, expected) => {
  expect(decodeMailLinkValue(value)).toBe(expected)
})
