import { expect, test } from 'vitest'
import { checkPassword, hashPassword } from './password.ts'

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
