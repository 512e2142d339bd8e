import { expect, test } from 'vitest'
import { getLoginDelayMs } from './login-delay.ts'

test.each([
  [0, 0, 0],
  [3, 0, 0],
  [4, 0, 500],
  [5, 0, 1000],
  [7, 0, 4000],
  [8, 0, 5000],
  [5000, 0, 5000],
  [0, 30, 0],
  [0, 31, 500],
  [5, 31, 1000],
  [0, 2000, 5000],
])('with %i account failures and %i address failures, the login delay is %i ms', (account, address, expected) => {
  expect(getLoginDelayMs({ account, address })).toBe(expected)
})
