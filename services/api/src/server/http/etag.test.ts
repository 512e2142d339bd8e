import { expect, test } from 'vitest'
import { matchesEtag, weakEtagOf } from './etag.ts'

test.each([
  [undefined, false],
  ['"abc"', true],
  ['W/"abc"', true],
  ['"xyz", W/"abc"', true],
  ['*', true],
  ['"xyz"', false],
  ['abc', false],
])('If-None-Match %j matches the tag W/"abc": %j', (header, expected) => {
  expect(matchesEtag(header, 'W/"abc"')).toBe(expected)
})

test('ignores an If-None-Match header of more than 4 kB', () => {
  const long = (bytes: number) => `W/"abc"${' '.repeat(bytes - 7)}`
  expect([matchesEtag(long(4_096), 'W/"abc"'), matchesEtag(long(4_097), 'W/"abc"')]).toEqual([true, false])
})

test('only equal bytes have equal ETags', () => {
  expect(weakEtagOf('a')).toBe(weakEtagOf(Buffer.from('a')))
  expect(weakEtagOf('a')).not.toBe(weakEtagOf('b'))
})
