import { expect, test } from 'vitest'
import { formatInviteCode, parseInviteCode } from './invite-code.ts'

const token = '0123456789abcdef0123456789abcdef'

test('formats a code from name, id and token', () => {
  expect(formatInviteCode({ name: 'Crew', id: 7, inviteToken: token })).toBe(`Crew:7:${token}`)
})

test.each([
  [`Crew:7:${token}`, 7],
  [`  Crew:7:${token}\n`, 7],
  [`a:b:c:12:${token}`, 12],
  [`:::3:${token}`, 3],
])('parses the code %j', (code, id) => {
  expect(parseInviteCode(code)).toEqual({ id, token })
})

test.each([
  '',
  'Crew',
  `Crew:7`,
  `:7:${token}`,
  `Crew:x:${token}`,
  `Crew:7:${token.slice(1)}`,
  `Crew:7:${token.toUpperCase()}`,
  `Crew:99999999999:${token}`,
])('refuses the malformed code %j', (code) => {
  expect(parseInviteCode(code)).toBeUndefined()
})
