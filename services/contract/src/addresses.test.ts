import { expect, test } from 'vitest'
import { addressNetworkKey, limitKeyOfIpAddress, normalizeIpAddress } from './addresses.ts'

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::ffff:c000:201', '::ffff:c000:201'],
  ['', ''],
])('the normalized form of the address %j is %j', (address, shown) => {
  expect(normalizeIpAddress(address)).toBe(shown)
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  // Notations of the same mapped IPv4 address.
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  // Addresses in the same IPv6 network, in different notations.
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['2001:DB8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
  ['2001:0db8:0000:0001:0:0:0:2', '2001:db8:0:1::/64'],
  ['2001:db8:0:1::7:192.0.2.1', '2001:db8:0:1::/64'],
  // Address in the next IPv6 network.
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
])('limits count requests from the address %s under the key %s', (address, key) => {
  expect(limitKeyOfIpAddress(address)).toBe(key)
})

test.each([
  '',
  'localhost',
  '192.0.2',
  '192.0.2.256',
  '192.0.2.01',
  '192.0.2.1:80',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7:8::',
  '1::2::3',
  ':::',
  '12345::',
  '1.2.3.4::',
  '192.0.2.1:1::',
  `::1%${'x'.repeat(64)}`,
  ':'.repeat(100_000),
])('limits count requests from all invalid addresses under the same key: %.30s', (text) => {
  expect(limitKeyOfIpAddress(text)).toBe('unknown')
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:7:1::1', '2001:db8:7::/48'],
  ['2001:db8:7:ffff::1', '2001:db8:7::/48'],
  ['2001:db8:8:1::1', '2001:db8:8::/48'],
  ['::1', '0:0:0::/48'],
  ['localhost', 'unknown'],
])('the network of the address %s has the key %s', (address, key) => {
  expect(addressNetworkKey(address)).toBe(key)
})
