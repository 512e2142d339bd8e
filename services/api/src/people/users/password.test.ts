import { isStrongPassword } from '@capstan/contract/account-rules'
import { expect, test } from 'vitest'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { createRandomPassword } from './password.ts'

test('creates different passwords of 16 characters with lower case, upper case, digit and symbol', () => {
  const passwords = Array.from({ length: 500 }, () => createRandomPassword(cryptoRandom))
  for (const password of passwords) {
    expect(password).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*[^A-Za-z0-9]).{16}$/)
    expect(isStrongPassword(password)).toBe(true)
  }
  expect(new Set(passwords).size).toBe(500)
})

test('places each kind of character at random positions', () => {
  const firsts = new Set(Array.from({ length: 500 }, () => createRandomPassword(cryptoRandom).replace(/[a-z]/g, 'a').charAt(0)))
  expect(firsts.size).toBeGreaterThan(10)
})
