import { readFileSync } from 'node:fs'
import { Limits } from '@capstan/contract/limits'

/**
 * Blanks and invisible characters: Unicode's ignorable, format and control characters. Three more symbols have no visible shape:
 * blank Braille, object replacement, and note without a head.
 */
export const invisible = /[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}]/gu

function textOf(codePoints: string): string {
  return String.fromCodePoint(...codePoints.split(' ').map((hex) => Number.parseInt(hex, 16)))
}

/**
 * Reads the table that `scripts/confusables.ts` writes.
 * @returns the prototype of each character that looks like another character
 */
function readConfusables(): ReadonlyMap<string, string> {
  const table = readFileSync(new URL('./confusables.txt', import.meta.url), 'utf8')
  const prototypes = new Map<string, string>()
  for (const line of table.trim().split('\n')) {
    if (line.startsWith('#')) continue
    const [prototype = '', characters = ''] = line.split(':')
    for (const character of characters.split(',')) prototypes.set(textOf(character), textOf(prototype))
  }
  return prototypes
}

const prototypes = readConfusables()
function prototypeOf(character: string): string {
  return prototypes.get(character) ?? character
}

/**
 * Maps small capitals and framed letters to plain letters. Unicode does not list them as look-alikes, although readers
 * confuse them. Many Cyrillic small letters look like small capitals.
 */
function createStyledLetters(): ReadonlyMap<string, string> {
  const letters = new Map([...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ'].map((small, index) => [small, String.fromCodePoint(0x61 + index)]))
  letters.set('ĸ', 'k').set('ʍ', 'm').set('ȷ', 'j')
  for (let index = 0; index < 26; index++)
    for (const framed of [0x1f150, 0x1f170]) letters.set(String.fromCodePoint(framed + index), String.fromCodePoint(0x61 + index))
  return letters
}

const styledLetters = createStyledLetters()

function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

function isAscii(character: string): boolean {
  return character < '\u0080'
}

/** Returns the Latin letter that a letter of another alphabet resembles. The small and the capital letter have the same result. */
function readLetter(character: string): string {
  if (isAscii(character)) return character
  const capital = character.toUpperCase()
  const prototype = prototypeOf(capital)
  // Unicode maps all letters that look like a vertical line to `l`. Readers read a capital letter of this kind as an I.
  const read = prototype === 'l' && /\p{Lu}/u.test(capital) ? 'I' : prototype
  return /^[a-z]+$/i.test(read) ? read : prototypeOf(character.toLowerCase())
}

function mapCharacters(text: string, map: (character: string) => string): string {
  return [...text].map(map).join('').normalize('NFD')
}

/**
 * Finishes a key. Removes a dot above an i or j, because these letters have a dot already. The letter may have one other mark, such
 * as an ogonek.
 */
function finish(key: string): string {
  return [...key.replaceAll(/([ij]\p{M}?)\u0307/gu, '$1')].slice(0, Limits.maxNameKeyLength).join('')
}

/** Removes invisible characters and normalizes the encoding. */
function plain(name: string): string {
  return name.normalize('NFKC').replaceAll(invisible, '').normalize('NFD')
}

/** Pattern of a word: letters, digits, marks, and the vertical bar, which looks like a letter. */
const wordPattern = /[\p{L}\p{N}\p{M}|]+/gu

/** True for letters whose case is visible, so not for `I` and `l`. */
function hasVisibleCase(character: string): boolean {
  return /[a-km-zA-HJ-Z]/.test(character)
}

/** True if the nearest letters before and after a position of a word are capitals. Ignores letters without a visible case. */
function isAmongCapitals(at: number, word: readonly string[]): boolean {
  const neighbors = [word.slice(0, at).findLast(hasVisibleCase), word.slice(at + 1).find(hasVisibleCase)]
  return neighbors.some(Boolean) && neighbors.every((letter) => letter === undefined || /[A-Z]/.test(letter))
}

/**
 * Returns the letter that people read in this word. The reading of `I`, `l`, `1`, `|` and `L` depends on their position and on
 * the case of the letters beside them.
 */
function readInWord(letter: string, at: number, word: readonly string[]): string {
  const isAlone = word.length === 1
  const hasSmall = word.some((other) => /[a-km-z]/.test(other))
  switch (letter) {
    case 'l':
    case '1':
    case '|':
      return isAmongCapitals(at, word) ? 'i' : 'l'
    case 'I':
      if (isAlone) return 'l'
      return at > 0 && hasSmall && !isAmongCapitals(at, word) ? 'l' : 'i'
    case 'L':
      // A capital L among small letters is unambiguous: `TeamL` differs from `TeamI`.
      return isAlone || (at > 0 && hasSmall && !isAmongCapitals(at, word)) ? 'L' : 'l'
    case '0':
      return 'o'
    default:
      return letter.toLowerCase()
  }
}

/**
 * Returns a name as people read it. In a word of small letters people read a capital I as an l (`AIice`). In a word of capitals
 * they read a small l as an I (`ADMlN`). Letters of other alphabets become similar Latin letters of the same case.
 */
function readInContext(name: string): string {
  return mapCharacters(
    mapCharacters(name.normalize('NFKC'), (one) => (isAscii(one) ? one : (styledLetters.get(one) ?? prototypeOf(one))))
      .split(/\s+/)
      .map((part) => plain(part).replaceAll(wordPattern, (word) => [...word].map(readInWord).join('')))
      .join(''),
    prototypeOf,
  )
}

export type NameKeys = Readonly<{
  /** Name as people read it, regardless of case and alphabet: `АDMIN` in Cyrillic or full width becomes `admin`. */
  nameSkeleton: string
  /**
   * Shape of the name with its case (skeleton of UTS 39). Equal for `AIice` with a capital I and `Alice`, but different for
   * `Team I` and `Team L`.
   */
  nameShape: string
  /**
   * Name as people read it, regardless of case. The other letters of a word determine whether a vertical line is read as I or l.
   * Equal for `AIice` with a capital I and `alice`, and for `ADMlN` with a small l and `Admin`.
   */
  nameReading: string
}>

export const nameKinds = ['nameSkeleton', 'nameShape', 'nameReading'] as const satisfies readonly (keyof NameKeys)[]

/** Returns the unique keys of a user's or team's name. Two names look alike if they share a key of the same kind. */
export function computeUniqueNameKeys(name: string): NameKeys {
  const text = plain(name)
  const read = mapCharacters(foldCase(text), readLetter).toLowerCase()
  return {
    // The key treats rn like m, regardless of case. The table of Unicode has this rule only for a small m.
    nameSkeleton: finish(mapCharacters(read, (one) => styledLetters.get(one) ?? one)).replaceAll('rn', 'm'),
    nameShape: finish(mapCharacters(text, prototypeOf)),
    nameReading: finish(readInContext(name)),
  }
}
