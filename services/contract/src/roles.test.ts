import { expect, test } from 'vitest'
import { refuseRole } from './roles.ts'

const roles = [undefined, 'Banned', 'User', 'Monitor', 'Admin'] as const

test.each([
  ['anonymous', ['ok', 'ok', 'ok', 'ok', 'ok']],
  ['user', ['session.required', 'session.banned', 'ok', 'ok', 'ok']],
  ['captain', ['session.required', 'session.banned', 'ok', 'ok', 'ok']],
  ['participant', ['session.required', 'session.banned', 'ok', 'ok', 'ok']],
  ['monitor', ['session.required', 'session.banned', 'role.insufficient', 'ok', 'ok']],
  ['admin', ['session.required', 'session.banned', 'role.insufficient', 'role.insufficient', 'ok']],
] as const)('access %s: the results for a visitor, a banned user, a user, a monitor and an admin are %j', (access, expected) => {
  expect(roles.map((role) => refuseRole(access, role) ?? 'ok')).toEqual(expected)
})
