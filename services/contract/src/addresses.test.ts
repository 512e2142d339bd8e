import { expect, test } from 'vitest'
import { plainAddress } from './addresses.ts'

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::ffff:c000:201', '::ffff:c000:201'],
  ['', ''],
])('%j is shown as %j', (address, shown) => {
  expect(plainAddress(address)).toBe(shown)
})
