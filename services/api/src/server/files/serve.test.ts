import { describe, expect, test } from 'vitest'
import { parseRange } from './serve.ts'

describe('parsing of a Range header for a file of 100 bytes', () => {
  test.each([
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=95-500', { start: 95, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-500', { start: 0, end: 99 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-3', undefined],
    ['bytes=0-1,5-6', undefined],
    ['items=0-1', undefined],
    ['bytes=-', undefined],
    [`bytes=0-${'9'.repeat(300)}`, undefined],
    [undefined, undefined],
  ])('parses %s as %j', (header, expected) => {
    expect(parseRange(header, 100)).toEqual(expected)
  })
})
