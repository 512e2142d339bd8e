import { expect, test } from 'vitest'
import { cryptoRandom } from './random.ts'

test('numbers stay below the bound and reach every value', () => {
  const seen = new Set(Array.from({ length: 500 }, () => cryptoRandom.int(4)))
  expect([...seen].sort()).toEqual([0, 1, 2, 3])
})

test('a UUID is of version 4, in lower case, and new each time', () => {
  expect(cryptoRandom.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(cryptoRandom.uuid()).not.toBe(cryptoRandom.uuid())
})

test('16 bytes are 32 hexadecimal digits', () => {
  expect(cryptoRandom.hex(16)).toMatch(/^[0-9a-f]{32}$/)
})
