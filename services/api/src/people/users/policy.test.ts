import { expect, test } from 'vitest'
import { refuseUserDeletion, sessionEffectOfUserChange } from './policy.ts'

test("refuses the deletion of the admin's own account and of captains", () => {
  expect(refuseUserDeletion('me', { id: 'me', isCaptain: false })).toBe('user.self')
  expect(refuseUserDeletion('me', { id: 'you', isCaptain: true })).toBe('user.captain')
  expect(refuseUserDeletion('me', { id: 'you', isCaptain: false })).toBeUndefined()
})

const user = { role: 'User' as const, email: 'a@example.org', emailConfirmed: true }

test.each([
  ['nothing', {}, {}, 'none'],
  ['promotion', {}, { role: 'Admin' as const }, 'recheck'],
  ['ban', {}, { role: 'Banned' as const }, 'recheck'],
  ['the end of a ban', { role: 'Banned' as const }, {}, 'end'],
  ['deactivation', {}, { emailConfirmed: false }, 'end'],
  ['activation', { emailConfirmed: false }, {}, 'none'],
  ['a new address', {}, { email: 'b@example.org' }, 'end'],
])('returns how a change to a user affects the user’s sessions: %s', (_name, before, after, expected) => {
  expect(sessionEffectOfUserChange({ ...user, ...before }, { ...user, ...after })).toBe(expected)
})
