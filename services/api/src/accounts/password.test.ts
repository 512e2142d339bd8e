import { expect, test } from 'vitest'
import { checkPassword, hashPassword, isStrongPassword } from './password.ts'

test.each([
  ['Abc123', true],
  ['aB3456', true],
  ['Äß1234', true],
  ['Abc12', false],
  ['abc123', false],
  ['ABC123', false],
  ['Abcdef', false],
  ['', false],
])('%j is strong: %s', (password, expected) => {
  expect(isStrongPassword(password)).toBe(expected)
})

test('a hash is Argon2id, salted, and opened by its password alone', async () => {
  const [first, second] = await Promise.all([hashPassword('Secret1'), hashPassword('Secret1')])
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(first).not.toBe(second)
  expect(await checkPassword(first, 'Secret1')).toBe(true)
  expect(await checkPassword(first, 'Secret2')).toBe(false)
})

test('nobody logs in to an account that does not exist or whose hash is none', async () => {
  expect(await checkPassword(undefined, 'Secret1')).toBe(false)
  expect(await checkPassword('no hash', 'Secret1')).toBe(false)
})
