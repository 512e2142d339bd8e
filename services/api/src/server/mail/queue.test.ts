import { expect, test } from 'vitest'
import { getMailRetryDelayMs } from './queue.ts'

test.each([
  [1, 5_000],
  [2, 10_000],
  [3, 20_000],
  [7, 320_000],
  [8, 600_000],
  [30, 600_000],
])('after failure %i a mail waits %i ms', (attempts, expected) => {
  expect(getMailRetryDelayMs(attempts)).toBe(expected)
})
