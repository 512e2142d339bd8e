import { expect, test } from 'vitest'
import { platformCaller } from '../../server/fair-queue.ts'
import { createPasswords, dummyHash } from './password.ts'

const { hash: hashPassword, check: checkPassword, checkAccount } = createPasswords({ isLowPriority: false })

test('creates a salted Argon2id hash that no other password matches', async () => {
  const [first, second] = await Promise.all([hashPassword('Secret1'), hashPassword('Secret1')])
  expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(first).not.toBe(second)
  expect(await checkPassword(first, 'Secret1')).toBe(true)
  expect(await checkPassword(first, 'Secret2')).toBe(false)
})

test('accepts no password if the account does not exist or its hash is invalid', async () => {
  expect(await checkPassword(undefined, 'Secret1')).toBe(false)
  expect(await checkPassword('no hash', 'Secret1')).toBe(false)
})

test('checks a dummy hash with the same parameters if there is no account', async () => {
  const figures = (hash: string) => hash.split('$').slice(1, 4)
  expect(figures(dummyHash)).toEqual(figures(await hashPassword('Secret1')))
  expect(
    dummyHash
      .split('$')
      .slice(4)
      .map(({ length }) => length),
  ).toEqual([22, 43])
})

test('looks up an account only when the password check starts, so that many logins send few statements at once', async () => {
  const account = { passwordHash: await hashPassword('Secret1'), name: 'ada' }
  const lookedUp: number[] = []
  let done = 0
  const check = async (number: number) => {
    const find = async () => {
      lookedUp.push(number - done)
      return account
    }
    const found = await checkAccount(find, 'Secret1', platformCaller)
    done += 1
    return found
  }
  const found = await Promise.all(Array.from({ length: 12 }, (_, number) => check(number)))
  expect(found).toEqual(Array.from({ length: 12 }, () => ({ account, matches: true })))
  // An account is looked up only when a thread is free to check it, so at most four checks are in progress.
  expect(Math.max(...lookedUp)).toBeLessThanOrEqual(4)
  expect(await checkAccount(async () => undefined, 'Secret1', platformCaller)).toEqual({ account: undefined, matches: false })
})
