import { expect, test } from 'vitest'
import { hasUserNameLength, isEmail, isStrongPassword } from './account-rules.ts'

test.each([
  ['Abc123', true],
  ['aB3456', true],
  ['Äß1234', true],
  ['Ab٣٤٥٦', true],
  ['Aa1😀😀😀', true],
  [`Aa1${'x'.repeat(1021)}`, true],
  [`Aa1${'x'.repeat(1022)}`, false],
  ['Aa1234\ud83d', false],
  ['Abc12', false],
  ['Aa1😀😀', false],
  ['abc123', false],
  ['ABC123', false],
  ['Abcdef', false],
  ['', false],
])('rates the password %j as strong: %s', (password, expected) => {
  expect(isStrongPassword(password)).toBe(expected)
})

test.each([
  ['ada@example.org', true],
  ['a@b', true],
  [`${'a'.repeat(252)}@b`, true],
  [`${'a'.repeat(253)}@b`, false],
  ['ada@', false],
  ['@example.org', false],
  ['ada@b@c', false],
  ['ada lovelace@example.org', false],
  ['ada@exam\u3000ple.org', false],
  [' ada@example.org', false],
  ['', false],
])('accepts the email address %j: %s', (text, expected) => {
  expect(isEmail(text)).toBe(expected)
})

test.each([
  ['abc', true],
  ['abcdefghijklmno', true],
  ['😀😀😀', true],
  ['ab', false],
  ['abcdefghijklmnop', false],
  ['  ab', false],
])('the length of the user name %j is valid: %s', (name, expected) => {
  expect(hasUserNameLength(name)).toBe(expected)
})
