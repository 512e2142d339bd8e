import { expect, test } from 'vitest'
import { canonicalMailboxOf } from './recipient-limit.ts'

test.each([
  ['Ada@Example.ORG', 'ada@example.org'],
  ['ada+ctf@example.org', 'ada@example.org'],
  ['ada+a+b@example.org', 'ada@example.org'],
  ['+tag@example.org', '+tag@example.org'],
  ['ada.l@example.org', 'ada.l@example.org'],
  ['ａｄａ@example.org', 'ada@example.org'],
])('the address %s belongs to the mailbox %s', (email, mailbox) => {
  expect(canonicalMailboxOf(email)).toBe(mailbox)
})
