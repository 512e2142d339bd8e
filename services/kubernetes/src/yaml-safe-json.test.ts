import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { toYamlSafeJson } from './yaml-safe-json.ts'

test('escapes every character that YAML does not print, and preserves the value', () => {
  const text = `a\u007f\u0085\u009f\u2028\u2029\ufeff\uffff\u0000"\\ü😀`
  const json = toYamlSafeJson({ [text]: [text, 1, null] })
  expect(json).toMatch(/^[\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\u{10000}-\u{10ffff}]+$/u)
  expect(JSON.parse(json)).toEqual({ [text]: [text, 1, null] })
  expect(parse(json)).toEqual({ [text]: [text, 1, null] })
})

test('replaces half of a surrogate pair, which no YAML can contain', () => {
  expect(toYamlSafeJson({ message: '😀'.slice(0, 1) })).toBe('{"message":"\ufffd"}')
})
