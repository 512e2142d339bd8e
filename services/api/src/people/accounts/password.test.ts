import { expect, test } from 'vitest'
import { passwords } from '../../testing/passwords.ts'
import { standIn } from './password.ts'

const { hash: hashPassword, check: checkPassword, checkOf: checkPasswordOf } = passwords

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

test('an account is looked up when its turn comes: a crowd is not a crowd of statements', async () => {
  const account = { passwordHash: await hashPassword('Secret1'), name: 'ada' }
  const lookedUp: number[] = []
  let done = 0
  const check = async (number: number) => {
    const find = async () => {
      lookedUp.push(number - done)
      return account
    }
    const found = await checkPasswordOf(find, 'Secret1', 'one address')
    done += 1
    return found
  }
  const found = await Promise.all(Array.from({ length: 12 }, (_, number) => check(number)))
  expect(found).toEqual(Array.from({ length: 12 }, () => ({ account, matches: true })))
  // Never further ahead of those that are done than there are threads at most.
  expect(Math.max(...lookedUp)).toBeLessThanOrEqual(4)
  expect(await checkPasswordOf(async () => undefined, 'Secret1', '')).toEqual({ account: undefined, matches: false })
})
