import { expect, it } from 'vitest'
import { getBackoffMs } from './backoff.ts'

it.each([
  [1, 0, 50],
  [1, 1, 100],
  [2, 1, 200],
  [3, 0.5, 300],
  [4, 1, 800],
  [5, 1, 1000],
  [500, 1, 1000],
])('after %i failures and with the random number %d, waits %i ms', (failures, chance, expected) => {
  expect(getBackoffMs({ firstMs: 100, capMs: 1000 }, failures, () => chance)).toBe(expected)
})
