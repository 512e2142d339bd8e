// Fonts of certificates. Each family consists of small files, one for each range of characters. A file is loaded when a text
// first needs one of its characters. ADR 62.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { LanguageCode } from '@capstan/contract/languages'
import { create, type Font } from 'fontkit'
import { unpackWoff } from './woff.ts'

const require = createRequire(import.meta.url)

type Range = readonly [from: number, to: number]

type Slice = Readonly<{
  path: string
  ranges: readonly Range[]
}>

/** Font with the file from which it was loaded. */
export type LoadedFont = Readonly<{
  /** Path of the file, unique per font. */
  name: string
  bytes: Buffer
  font: Font
}>

const alphabets = ['noto-sans', 'noto-sans-hebrew', 'noto-sans-arabic', 'noto-sans-thai'] as const
const simplified = 'noto-sans-sc'
const japanese = 'noto-sans-jp'
const korean = 'noto-sans-kr'

type Family = (typeof alphabets)[number] | typeof simplified | typeof japanese | typeof korean | 'noto-emoji'

/** Returns the font families for Chinese characters, preferred first. Each language has its own shapes of these characters. */
function hanFamilies(text: string, language: LanguageCode): Family[] {
  if (/\p{Script=Hangul}/u.test(text)) return [korean, simplified, japanese]
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return [japanese, simplified, korean]
  if (language === 'ja-JP' || language === 'zh-TW') return [japanese, simplified, korean]
  return language === 'ko-KR' ? [korean, simplified, japanese] : [simplified, japanese, korean]
}

function rangeOf(text: string): Range {
  const [from = '', to = from] = text.replace('U+', '').split('-')
  return [Number.parseInt(from, 16), Number.parseInt(to, 16)]
}

/** Names of character ranges that are read only from `noto-sans`, because other families have empty or equal files for them. */
const sharedParts: ReadonlySet<string> = new Set(['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek-ext', 'vietnamese'])

/**
 * Lists the files of a font family with the range of characters in each file. The index of the family names each range, such as
 * `cyrillic` or `[4]`.
 */
function slicesOf(family: Family): Slice[] {
  const index: Record<string, string> = JSON.parse(readFileSync(require.resolve(`@fontsource/${family}/unicode.json`), 'utf8'))
  const parts = Object.entries(index).filter(([part]) => !sharedParts.has(part) || family === 'noto-sans')
  return parts.map(([part, ranges]) => ({
    path: `@fontsource/${family}/files/${family}-${part.replaceAll(/[[\]]/g, '')}-400-normal.woff`,
    ranges: ranges.split(',').map(rangeOf),
  }))
}

export function createFonts() {
  const families = new Map<Family, readonly Slice[]>()
  const loaded = new Map<string, LoadedFont>()
  const found = new Map<string, LoadedFont | undefined>()

  const filesOf = (family: Family): readonly Slice[] => {
    const known = families.get(family) ?? slicesOf(family)
    families.set(family, known)
    return known
  }

  const load = (path: string): LoadedFont => {
    const known = loaded.get(path)
    if (known) return known
    const bytes = unpackWoff(readFileSync(require.resolve(path)))
    const font: LoadedFont = { name: path, bytes, font: create(bytes) as Font }
    loaded.set(path, font)
    return font
  }

  const findIn = (family: Family, code: number): LoadedFont | undefined => {
    const key = `${family} ${code}`
    if (!found.has(key))
      found.set(
        key,
        filesOf(family)
          .filter(({ ranges }) => ranges.some(([from, to]) => code >= from && code <= to))
          .map(({ path }) => load(path))
          .find(({ font }) => font.hasGlyphForCodePoint(code)),
      )
    return found.get(key)
  }

  return {
    /** Returns the font that draws a box for each character that no family has. */
    fallback: (): LoadedFont => load('@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff'),
    /**
     * Creates the function that finds the fonts of a text.
     * @returns a function that returns the font of a character, or undefined if no family has the character
     */
    forText(text: string, language: LanguageCode): (code: number) => LoadedFont | undefined {
      const order: Family[] = [...alphabets, ...hanFamilies(text, language), 'noto-emoji']
      return (code) => {
        for (const family of order) {
          const font = findIn(family, code)
          if (font) return font
        }
        return undefined
      }
    },
  }
}

export type Fonts = ReturnType<typeof createFonts>
