import { expect, it } from 'vitest'
import { findIdempotencyKey, readIdempotencyKey } from './idempotency-key.ts'

const key = '0b9f6d1e-8a53-4c51-9f0e-2d3c4b5a6f70'

it.each([[key], [key.toUpperCase()], [`"${key}"`]])('reads %s', (header) => {
  expect(readIdempotencyKey(header)).toBe(key)
})

it.each([[''], ['1'], [`${key}0`], [`${key}, ${key}`], [key.replaceAll('-', '')], [`x${key.slice(1)}`]])(
  'refuses %j',
  (header) => {
    expect(() => readIdempotencyKey(header)).toThrow()
    expect(findIdempotencyKey(header)).toBeUndefined()
  },
)

it('the idempotency key is undefined if the header is absent', () => {
  expect(readIdempotencyKey(undefined)).toBeUndefined()
})
