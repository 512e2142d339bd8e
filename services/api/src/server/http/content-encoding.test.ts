import { expect, test } from 'vitest'
import { chooseEncoding } from './content-encoding.ts'

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0.1, gzip;q=0.9', 'gzip'],
  ['zstd;q=0, br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0, *', 'br'],
  ['*, zstd;q=0.5', 'br'],
  ['identity', 'identity'],
  ['GZIP', 'gzip'],
  ['deflate', 'identity'],
  ['br;q=x', 'identity'],
] as const)('chooses for Accept-Encoding %j the encoding %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding)
})

test('ignores an Accept-Encoding header of more than 1 kB', () => {
  const long = (bytes: number) => `br${' '.repeat(bytes - 2)}`
  expect([chooseEncoding(long(1_024)), chooseEncoding(long(1_025))]).toEqual(['br', 'identity'])
})
