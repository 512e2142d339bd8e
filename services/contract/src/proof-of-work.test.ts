import { expect, test } from 'vitest'
import { countLeadingZeroBits } from './proof-of-work.ts'

test.each([
  [[0x80, 0], 0],
  [[0x01, 0xff], 7],
  [[0, 0xff], 8],
  [[0, 0x1f], 11],
  [[0, 0, 0, 1], 31],
  [[0, 0], 16],
])('the hash %j starts with %i zero bits', (bytes, expected) => {
  expect(countLeadingZeroBits(Uint8Array.from(bytes))).toBe(expected)
})
