import { maxJsonDepth } from '@capstan/contract/limits'
import { describe, expect, test } from 'vitest'
import { refuseCostlyJson } from './json-body.ts'

const bounds = { maxBytes: 1_000_000, maxValues: 10 }
function refuse(text: string) {
  return refuseCostlyJson(Buffer.from(text), bounds)
}
function nested(depth: number) {
  return '['.repeat(depth) + ']'.repeat(depth)
}
/** Returns a list of numbers as JSON. The size check counts `length + 1` values: the list and its elements. */
function list(length: number) {
  return JSON.stringify(Array.from({ length }, () => 0))
}

describe('size check of JSON texts', () => {
  test.each([
    ['', undefined],
    ['null', undefined],
    [list(9), undefined],
    [list(10), 'request.too-large'],
    ['{"a":1,"b":[2,3],"c":{"d":4}}', undefined],
    ['{"a":[],"b":[],"c":[],"d":[],"e":[]}', 'request.too-large'],
    ['[[],[],[],[],[]]', 'request.too-large'],
  ])('returns for %s: %s', (text, expected) => {
    expect(refuse(text)).toBe(expected)
  })

  test('the check limits the depth of brackets, but not the number of brackets', () => {
    const wide = { ...bounds, maxValues: 10_000 }
    expect(refuseCostlyJson(Buffer.from(nested(maxJsonDepth)), wide)).toBeUndefined()
    expect(refuseCostlyJson(Buffer.from(nested(maxJsonDepth + 1)), wide)).toBe('request.invalid')
    expect(refuseCostlyJson(Buffer.from(`[${`${nested(20)},`.repeat(100)}0]`), wide)).toBeUndefined()
    expect(refuseCostlyJson(Buffer.from('{"a":'.repeat(maxJsonDepth + 1)), wide)).toBe('request.invalid')
  })

  test('the check ignores brackets and commas in strings', () => {
    expect(refuse(JSON.stringify([',,,,,,,,,,,,', '['.repeat(100), '\\', '"', '\\"', '{'.repeat(100)]))).toBeUndefined()
    expect(refuse(JSON.stringify({ [',[{'.repeat(50)]: '\\\\' }))).toBeUndefined()
    expect(refuse(`["\\\\",${'1,'.repeat(10)}1]`)).toBe('request.too-large')
  })

  test('the check leaves errors in invalid JSON to the parser', () => {
    expect(refuse(']'.repeat(1_000))).toBeUndefined()
    expect(refuse('"open')).toBeUndefined()
    expect(refuse('"\\')).toBeUndefined()
  })
})
