import { expect, test } from 'vitest'
import { getRegistrationOutcome, isAllowedDomain, refuseLogin, refuseLoginOfBannedUser } from './policy.ts'

test.each([
  ['ada@example.org', '', true],
  ['ada@example.org', ' , ', true],
  ['ada@Example.ORG', 'example.org', true],
  ['ada@example.org', 'uni.edu , EXAMPLE.org', true],
  ['ada@sub.example.org', 'example.org', false],
  ['ada@example.org.evil.net', 'example.org', false],
  ['ada@other.org', 'example.org,uni.edu', false],
])('checks %s against the domain list %j: %s', (email, list, expected) => {
  expect(isAllowedDomain(email, list)).toBe(expected)
})

test('returns whether a new account is activated at once, by mail or by an admin', () => {
  const outcome = (activeOnRegister: boolean, emailConfirmationRequired: boolean) =>
    getRegistrationOutcome({ activeOnRegister, emailConfirmationRequired })
  expect([outcome(true, false), outcome(true, true), outcome(false, true), outcome(false, false)]).toEqual([
    ...['LoggedIn', 'LoggedIn', 'EmailConfirmationRequired', 'AdminConfirmationRequired'],
  ])
})

test('refuses a banned user before the password is checked', () => {
  expect(refuseLoginOfBannedUser({ role: 'Banned', emailConfirmed: true })).toBe('login.banned')
  expect(refuseLoginOfBannedUser({ role: 'User', emailConfirmed: false })).toBeUndefined()
  expect(refuseLoginOfBannedUser(undefined)).toBeUndefined()
})

test('accepts only an active account with the right password', () => {
  const active = { role: 'User', emailConfirmed: true }
  expect(refuseLogin(active, true)).toBeUndefined()
  expect(refuseLogin(active, false)).toBe('login.failed')
  expect(refuseLogin({ ...active, emailConfirmed: false }, true)).toBe('login.failed')
  expect(refuseLogin(undefined, false)).toBe('login.failed')
})
