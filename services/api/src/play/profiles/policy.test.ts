import { expect, test } from 'vitest'
import { hasPage, isOpenTo, profileAccessOf } from './policy.ts'

const visitor = profileAccessOf(undefined)
const user = profileAccessOf({ id: 'me', role: 'User' })
const monitor = profileAccessOf({ id: 'me', role: 'Monitor' })
const admin = profileAccessOf({ id: 'me', role: 'Admin' })
const banned = profileAccessOf({ id: 'me', role: 'Banned' })

test.each([
  ['everybody sees a public page', visitor, { hasPublicPage: true, isOwn: false }, true],
  ['visitors see no other', visitor, { hasPublicPage: false, isOwn: false }, false],
  ['nor do users', user, { hasPublicPage: false, isOwn: false }, false],
  ['nor monitors', monitor, { hasPublicPage: false, isOwn: false }, false],
  ['admins do', admin, { hasPublicPage: false, isOwn: false }, true],
  ['and who it belongs to', user, { hasPublicPage: false, isOwn: true }, true],
])('%s', (_sentence, sight, page, expected) => {
  expect(isOpenTo(sight, page)).toBe(expected)
})

test('a banned user sees the same pages as a visitor', () => {
  expect(banned).toEqual(visitor)
})

test.each([
  ['a user has a page', { role: 'User', emailConfirmed: true }, true],
  ['an admin has one', { role: 'Admin', emailConfirmed: true }, true],
  ['who is banned has none', { role: 'Banned', emailConfirmed: true }, false],
  ['nor who has not activated the account', { role: 'User', emailConfirmed: false }, false],
] as const)('%s', (_sentence, person, expected) => {
  expect(hasPage(person)).toBe(expected)
})
