import { describe, expect, test } from 'vitest'
import { createFonts } from './fonts.ts'
import { createParagraphs } from './text-lines.ts'

const fonts = createFonts()
const paragraphs = createParagraphs(fonts)

function linesOf(text: string, maxWidth = Number.POSITIVE_INFINITY) {
  return paragraphs(text, 'en-US')
    .wrap(maxWidth)
    .map(({ runs }) => runs.map((run) => run.text).join('|'))
}

function familiesOf(text: string, language: Parameters<typeof paragraphs>[1] = 'en-US') {
  const [line] = paragraphs(text, language).wrap(Number.POSITIVE_INFINITY)
  return line?.runs.map(({ font }) => font.name.split('/')[1])
}

describe('text of mixed directions', () => {
  test('a number after a Hebrew word is drawn to the left of the word', () => {
    expect(linesOf('Team \u2068\u05d0\u05d1 12\u2069 won')).toEqual(['Team |12| |\u05d0\u05d1| won'])
  })
  test('the parts of an Arabic paragraph are ordered from right to left', () => {
    expect(linesOf('\u0641\u0631 CTF')).toEqual(['CTF| |\u0641\u0631'])
  })
  test('parentheses around Hebrew are mirrored', () => {
    expect(linesOf('(\u05d0)')[0]).toBe('(|\u05d0|)')
    expect(linesOf('\u05d0(')[0]).toBe(')|\u05d0')
  })
})

describe('fonts of certificates', () => {
  test('the fonts contain the letters of many writing systems', () => {
    const scripts = 'Aß Жя Ωλ ﺏب אב ไทย नम 中文 かな 한국 😀 ệ'
    for (const word of scripts.split(' '))
      for (const run of paragraphs(word, 'en-US').wrap(100)[0]?.runs ?? [])
        for (const glyph of run.font.font.layout(run.text).glyphs) expect({ word, id: glyph.id }).not.toEqual({ word, id: 0 })
  })
  test('Chinese characters have the shapes of the given language, or Japanese shapes if the text contains kana', () => {
    expect(familiesOf('直')).toEqual(['noto-sans-sc'])
    expect(familiesOf('直', 'ja-JP')).toEqual(['noto-sans-jp'])
    expect(new Set(familiesOf('直かな'))).toEqual(new Set(['noto-sans-jp']))
  })
  test('a character without a font is drawn as a box, and an invisible character is not drawn', () => {
    expect(familiesOf('\u{1e2e0}')).toEqual(['noto-sans'])
    expect(linesOf('\u2068\u2069\u200b')).toEqual([''])
  })
})

describe('line breaks', () => {
  test('a line break replaces the space between two words', () => {
    expect(linesOf('one two three', 4)).toEqual(['one two', 'three'])
  })
  test('a word breaks only if it is wider than a line', () => {
    expect(linesOf('aa bbbbbbbbbb', 2.5).join('').replaceAll(' ', '')).toBe('aabbbbbbbbbb')
    expect(
      Math.max(
        ...paragraphs('W'.repeat(20), 'en-US')
          .wrap(5)
          .map(({ width }) => width),
      ),
    ).toBeLessThanOrEqual(5)
  })
  test('Chinese text breaks between any two characters', () => {
    expect(linesOf('中文中文', 2)).toEqual(['中|文', '中|文'])
  })
  test('an empty paragraph has one empty line', () => {
    expect(linesOf('')).toEqual([''])
  })
})
