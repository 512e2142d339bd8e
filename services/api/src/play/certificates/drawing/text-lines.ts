// Lines of text in any writing system, in visual order (Unicode standard annexes 9 and 14).
import type { LanguageCode } from '@capstan/contract/languages'
import bidiFactory from 'bidi-js'
import LineBreaker from 'linebreak'
import type { Fonts, LoadedFont } from './fonts.ts'

// The cast is needed because the types of the library do not match the module format that Node loads.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()

/** Part of a line in one font and one direction. */
export type Run = Readonly<{
  font: LoadedFont
  /** Characters in the order that the font needs to draw them correctly. */
  text: string
  /** Width at a font size of 1. */
  width: number
}>

/** Line of text. The array `runs` is sorted from left to right. */
export type TextLine = Readonly<{
  runs: readonly Run[]
  width: number
}>

type Part = { font: LoadedFont; level: number; text: string }

const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u
const neutral = /[\p{Script=Common}\p{Script=Inherited}]/u
/** Combining marks and joiners, which belong to the character before them. */
const attached = /[\p{Script=Inherited}\p{Mark}\p{Default_Ignorable_Code_Point}]/u
/** Invisible characters, such as those that isolate the direction of names. */
const ignorable = /\p{Default_Ignorable_Code_Point}/u
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function reversed(text: string): string {
  return [...graphemes.segment(text)]
    .map(({ segment }) => segment)
    .reverse()
    .join('')
}

/**
 * True if the font library draws the text from right to left. The first character that belongs to a writing system determines the
 * direction.
 */
function isShapedRightToLeft(text: string): boolean {
  const first = [...text].find((character) => !neutral.test(character))
  return first !== undefined && rightToLeft.test(first)
}

function runOf({ font, level, text }: Part): Run {
  const drawn = isShapedRightToLeft(text) === (level % 2 === 1) ? text : reversed(text)
  return { font, text: drawn, width: font.font.layout(drawn, []).advanceWidth / font.font.unitsPerEm }
}

/** Orders the parts of a line from left to right (rule L2 of annex 9). */
function inVisualOrder(parts: readonly Part[]): Part[] {
  const ordered = [...parts]
  const highest = Math.max(0, ...parts.map(({ level }) => level))
  for (let level = highest; level > 0; level--)
    for (let start = 0; start < ordered.length; start++) {
      let end = start
      while ((ordered[end]?.level ?? 0) >= level) end++
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).reverse())
      start = end
    }
  return ordered
}

/** Paragraph whose words are measured, so that it can wrap at several widths. */
export type Paragraph = Readonly<{
  /** Width of the text if it is not wrapped, at a font size of 1. */
  width: number
  /** @param maxWidth maximum width of a line, at a font size of 1 */
  wrap(maxWidth: number): TextLine[]
}>

/** Range of characters without a possible line break. `end` is before the trailing spaces, and `next` is after them. */
type Word = Readonly<{ start: number; end: number; next: number }>

function wordsOf(text: string): Word[] {
  const words: Word[] = []
  const breaker = new LineBreaker(text)
  let start = 0
  for (let at = breaker.nextBreak(); at; at = breaker.nextBreak()) {
    const next = at.position
    words.push({ start, end: start + text.slice(start, next).trimEnd().length, next })
    start = next
  }
  return words
}

function graphemesOf(text: string, { start, end, next }: Word): Word[] {
  const parts = [...graphemes.segment(text.slice(start, end))].map(({ index, segment }) => ({
    start: start + index,
    end: start + index + segment.length,
    next: start + index + segment.length,
  }))
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, next } : part))
}

export function createParagraphs(fonts: Fonts) {
  return (text: string, language: LanguageCode): Paragraph => {
    const find = fonts.forText(text, language)
    const { levels } = bidi.getEmbeddingLevels(text)

    const lineOf = (start: number, end: number): TextLine => {
      const parts: Part[] = []
      for (let at = start; at < end; ) {
        const code = text.codePointAt(at) ?? 0
        const level = levels[at] ?? 0
        const character = String.fromCodePoint(code)
        at += character.length
        const last = parts.at(-1)
        // Combining marks and joiners use the font of the character before them.
        const host = last?.level === level && attached.test(character) ? last?.font : undefined
        const isHosted = host?.font.hasGlyphForCodePoint(code) ?? false
        if (!isHosted && ignorable.test(character)) continue
        const font = (isHosted ? host : find(code)) ?? fonts.fallback()
        const shown = level % 2 === 1 ? (bidi.getMirroredCharacter(character) ?? character) : character
        if (last?.font === font && last.level === level) last.text += shown
        else parts.push({ font, level, text: shown })
      }
      const runs = inVisualOrder(parts).map(runOf)
      return { runs, width: runs.reduce((sum, { width }) => sum + width, 0) }
    }

    const measured = new Map<string, number>()
    const widthOf = (start: number, end: number): number => {
      const key = `${start} ${end}`
      const width = measured.get(key) ?? lineOf(start, end).width
      measured.set(key, width)
      return width
    }

    const words = wordsOf(text)
    return {
      width: words.reduce((sum, { start, next }) => sum + widthOf(start, next), 0),
      wrap(maxWidth) {
        const lines: { start: number; end: number }[] = []
        let line: { start: number; end: number } | undefined
        let used = 0
        const add = (word: Word): void => {
          const width = widthOf(word.start, word.end)
          if (line && used + width <= maxWidth) line.end = word.end
          else {
            line = { start: word.start, end: word.end }
            lines.push(line)
            used = 0
          }
          used += widthOf(word.start, word.next)
        }
        for (const word of words) {
          // A word that is wider than a line breaks between any two characters.
          const isTooWide = widthOf(word.start, word.end) > maxWidth
          for (const part of isTooWide ? graphemesOf(text, word) : [word]) add(part)
        }
        return lines.length === 0 ? [lineOf(0, 0)] : lines.map(({ start, end }) => lineOf(start, end))
      },
    }
  }
}

export type Paragraphs = ReturnType<typeof createParagraphs>
