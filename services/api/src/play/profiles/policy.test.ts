import { expect, test } from 'vitest'
import { hasProfilePage, isPageOpenToViewer, profileAccessOfViewer } from './policy.ts'

const visitor = profileAccessOfViewer(undefined)
const user = profileAccessOfViewer({ id: 'me', role: 'User' })
const monitor = profileAccessOfViewer({ id: 'me', role: 'Monitor' })
const admin = profileAccessOfViewer({ id: 'me', role: 'Admin' })
const banned = profileAccessOfViewer({ id: 'me', role: 'Banned' })

test.each([
  ['visitors see a public page', visitor, { hasPublicPage: true, isOwn: false }, true],
  ['visitors see no private page', visitor, { hasPublicPage: false, isOwn: false }, false],
  ['users see no private page of others', user, { hasPublicPage: false, isOwn: false }, false],
  ['monitors see no private page of others', monitor, { hasPublicPage: false, isOwn: false }, false],
  ['admins see every private page', admin, { hasPublicPage: false, isOwn: false }, true],
  ['users see their own private page', user, { hasPublicPage: false, isOwn: true }, true],
])('%s', (_sentence, sight, page, expected) => {
  expect(isPageOpenToViewer(sight, page)).toBe(expected)
})

test('a banned user sees the same pages as a visitor', () => {
  expect(banned).toEqual(visitor)
})

test.each([
  ['a user has a page', { role: 'User', emailConfirmed: true }, true],
  ['an admin has a page', { role: 'Admin', emailConfirmed: true }, true],
  ['a banned user has no page', { role: 'Banned', emailConfirmed: true }, false],
  ['a user without an activated account has no page', { role: 'User', emailConfirmed: false }, false],
] as const)('%s', (_sentence, person, expected) => {
  expect(hasProfilePage(person)).toBe(expected)
})
