import { describe, expect, test } from 'vitest'
import { replaceGeneratedParts } from './generated-parts.ts'

describe('generated parts', () => {
  test('a generated part replaces the text between its markers, on separate lines or within a line', () => {
    const text = 'a\n\n<!-- generated: one -->\n<!-- /generated -->\n\n| <!-- generated: two -->old<!-- /generated --> | z'
    expect(replaceGeneratedParts(text, { one: '1 < 2', two: 'new' })).toBe(
      'a\n\n<!-- generated: one -->\n\n1 < 2\n\n<!-- /generated -->\n\n| <!-- generated: two -->new<!-- /generated --> | z',
    )
  })

  test('a generated part remains unchanged when it is generated again', () => {
    const parts = { one: '| a |\n| --- |', two: '<2>' }
    const once = replaceGeneratedParts(
      '<!-- generated: one -->\n<!-- /generated -->\n<!-- generated: two --><!-- /generated -->',
      parts,
    )
    expect(replaceGeneratedParts(once, parts)).toBe(once)
  })

  test('`replaceGeneratedParts` throws an error if a marker contains an unknown name', () => {
    expect(() => replaceGeneratedParts('<!-- generated: three --><!-- /generated -->', {})).toThrow('three')
  })
})
