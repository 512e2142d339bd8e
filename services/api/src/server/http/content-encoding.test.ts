import { expect, test } from 'vitest'
import { chooseEncoding } from './content-encoding.ts'

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=0.1, gzip;q=0.9', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
  ['identity', 'identity'],
  ['GZIP', 'gzip'],
  ['zstd', 'identity'],
  ['br;q=x', 'identity'],
] as const)('answers Accept-Encoding %j with %s', (header, encoding) => {
  expect(chooseEncoding(header, ['br', 'gzip'])).toBe(encoding)
})

test('ignores a header of more than a kilobyte', () => {
  const long = (bytes: number) => `br${' '.repeat(bytes - 2)}`
  expect([chooseEncoding(long(1_024), ['br']), chooseEncoding(long(1_025), ['br'])]).toEqual(['br', 'identity'])
})

test('prefers the first offered encoding at equal weights', () => {
  expect(chooseEncoding('gzip, br, zstd', ['zstd', 'br', 'gzip'])).toBe('zstd')
})

test('answers many different headers correctly', () => {
  for (let index = 0; index < 2_000; index += 1) expect(chooseEncoding(`gzip, x-${index}`, ['br', 'gzip'])).toBe('gzip')
})
