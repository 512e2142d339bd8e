import { expect, test } from 'vitest'
import { checkPassword, hashPassword, standIn } from './password.ts'

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

test('where there is no account, a hash with the same figures is checked', async () => {
  const figures = (hash: string) => hash.split('$').slice(1, 4)
  expect(figures(standIn)).toEqual(figures(await hashPassword('Secret1')))
  expect(
    standIn
      .split('$')
      .slice(4)
      .map(({ length }) => length),
  ).toEqual([22, 43])
})
