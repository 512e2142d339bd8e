import { expect, test } from 'vitest'
import { isOwnOrigin } from './origin.ts'
import { refuseRole } from './session.ts'

const roles = [undefined, 'Banned', 'User', 'Monitor', 'Admin'] as const

test.each([
  ['anonymous', ['ok', 'ok', 'ok', 'ok', 'ok']],
  ['user', ['session.required', 'session.banned', 'ok', 'ok', 'ok']],
  ['captain', ['session.required', 'session.banned', 'ok', 'ok', 'ok']],
  ['participant', ['session.required', 'session.banned', 'ok', 'ok', 'ok']],
  ['monitor', ['session.required', 'session.banned', 'role.insufficient', 'ok', 'ok']],
  ['admin', ['session.required', 'session.banned', 'role.insufficient', 'role.insufficient', 'ok']],
] as const)('%s calls: visitor, banned, user, monitor and admin get %j', (access, expected) => {
  expect(roles.map((role) => refuseRole(access, role) ?? 'ok')).toEqual(expected)
})

test.each([
  [undefined, undefined, true],
  ['http://ctf.example.org', undefined, true],
  ['https://ctf.example.org', undefined, true],
  ['https://ctf.example.org:444', undefined, false],
  ['https://evil.net', undefined, false],
  ['null', undefined, false],
  ['https://play.example.org', 'https://play.example.org/', true],
  ['https://play.example.org.evil.net', 'https://play.example.org', false],
])('origin %s with the public origin %s is our own: %s', (origin, publicOrigin, expected) => {
  expect(isOwnOrigin(origin, 'ctf.example.org', publicOrigin)).toBe(expected)
})
