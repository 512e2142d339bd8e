import { expect, test } from 'vitest'
import { cryptoRandom } from './random.ts'

test('returns every integer below the maximum', () => {
  const seen = new Set(Array.from({ length: 500 }, () => cryptoRandom.int(4)))
  expect([...seen].sort()).toEqual([0, 1, 2, 3])
})

test('returns a new version 4 UUID in lower case each time', () => {
  expect(cryptoRandom.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(cryptoRandom.uuid()).not.toBe(cryptoRandom.uuid())
})

test('returns 32 hexadecimal digits for 16 bytes', () => {
  expect(cryptoRandom.hex(16)).toMatch(/^[0-9a-f]{32}$/)
})
