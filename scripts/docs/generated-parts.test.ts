import { describe, expect, test } from 'vitest'
import { fillParts } from './generated-parts.ts'

describe('generated parts', () => {
  test('stand between their marks, on lines of their own or in the line', () => {
    const text = 'a\n\n<!-- generated: one -->\n<!-- /generated -->\n\n| <!-- generated: two -->old<!-- /generated --> | z'
    expect(fillParts(text, { one: '1 < 2', two: 'new' })).toBe(
      'a\n\n<!-- generated: one -->\n\n1 < 2\n\n<!-- /generated -->\n\n| <!-- generated: two -->new<!-- /generated --> | z',
    )
  })

  test('are the same when they are made again', () => {
    const parts = { one: '| a |\n| --- |', two: '<2>' }
    const once = fillParts('<!-- generated: one -->\n<!-- /generated -->\n<!-- generated: two --><!-- /generated -->', parts)
    expect(fillParts(once, parts)).toBe(once)
  })

  test('must be known', () => {
    expect(() => fillParts('<!-- generated: three --><!-- /generated -->', {})).toThrow('three')
  })
})
