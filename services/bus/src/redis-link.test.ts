import { describe, expect, it } from 'vitest'
import { reconnectDelayMs } from './redis-link.ts'

describe('the delay before an attempt to reconnect', () => {
  it.each([
    [0, 0, 25],
    [0, 1, 50],
    [1, 1, 100],
    [3, 0.5, 300],
    [6, 1, 2_000],
    [5_000, 0, 1_000],
    [5_000, 1, 2_000],
  ])('reconnection attempt %i with the random number %d is delayed by %i ms', (attempt, random, expected) => {
    expect(reconnectDelayMs(attempt, random)).toBe(expected)
  })
})
