import { readFileSync } from 'node:fs'
import { Limits } from '@capstan/contract/limits'
import { unseen } from './policy.ts'

function textOf(codePoints: string): string {
  return String.fromCodePoint(...codePoints.split(' ').map((hex) => Number.parseInt(hex, 16)))
}

/** Reads the table of `scripts/confusables.ts`. @returns prototype of each character that looks like another one */
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
 * Letters of another size or in a frame. Unicode tells them from capitals, people who read a name do not; many a Cyrillic small
 * letter is drawn like one of them.
 */
function readLettersInDisguise(): ReadonlyMap<string, string> {
  const letters = new Map([...'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ'].map((small, index) => [small, String.fromCodePoint(0x61 + index)]))
  letters.set('ĸ', 'k').set('ʍ', 'm')
  for (let index = 0; index < 26; index++)
    for (const framed of [0x1f150, 0x1f170]) letters.set(String.fromCodePoint(framed + index), String.fromCodePoint(0x61 + index))
  return letters
}

const lettersInDisguise = readLettersInDisguise()

/** Without regard to case in every alphabet, as far as the language can: `ß` is `ss`, a final sigma is a sigma. */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

function isAscii(character: string): boolean {
  return character < '\u0080'
}

/**
 * As a letter of another alphabet is taken for one of ours. Its capital decides, so that case makes no difference: some small letters
 * look like quite another one (a Greek ν like v, its capital like N), and for these there is the shape.
 */
function readLetter(character: string): string {
  if (isAscii(character)) return character
  const capital = character.toUpperCase()
  const prototype = prototypeOf(capital)
  // Unicode's name for whatever looks like a vertical line; in a capital letter people read an I.
  const read = prototype === 'l' && /\p{Lu}/u.test(capital) ? 'I' : prototype
  return /^[a-z]+$/i.test(read) ? read : prototypeOf(character.toLowerCase())
}

function mapCharacters(text: string, map: (character: string) => string): string {
  return [...text].map(map).join('').normalize('NFD')
}

function shorten(key: string): string {
  return [...key].slice(0, Limits.nameKeyMaxLength).join('')
}

/** What nobody sees makes no difference, nor do the many ways to write a character. */
function plain(name: string): string {
  return name.normalize('NFKC').replaceAll(unseen, '').normalize('NFD')
}

/** Letter or digit of a word, with the vertical line that is taken for one. */
const wordPattern = /[\p{L}\p{N}\p{M}|]+/gu

/** As `I`, `l`, `1` and `L` are read at a place of a word, whose other letters say whether it is in capitals. */
function readInWord(letter: string, at: number, word: string): string {
  const isAlone = word.length === 1
  const hasSmall = /[a-km-z]/.test(word)
  const isInCapitals = !hasSmall && /[A-HJ-NP-Z]/.test(word)
  switch (letter) {
    case 'l':
    case '1':
    case '|':
      return isInCapitals && !isAlone ? 'i' : 'l'
    case 'I':
      if (isAlone) return 'l'
      return at > 0 && hasSmall ? 'l' : 'i'
    case 'L':
      // A capital L among small letters looks like no other letter: `TeamL` is not `TeamI`.
      return isAlone || (at > 0 && hasSmall) ? 'L' : 'l'
    case '0':
      return 'o'
    default:
      return letter.toLowerCase()
  }
}

/**
 * A name as people read it: in a word of small letters a capital I is an l (`AIice`), in one of capitals a small l is an I (`ADMlN`).
 * Letters of other alphabets are read as the Latin ones that they look like, in their own case.
 */
function readInContext(name: string): string {
  return mapCharacters(
    mapCharacters(name.normalize('NFKC'), (one) => (isAscii(one) ? one : (lettersInDisguise.get(one) ?? prototypeOf(one))))
      .split(/\s+/)
      .map((part) =>
        plain(part).replaceAll(wordPattern, (word) => [...word].map((one, at) => readInWord(one, at, word)).join('')),
      )
      .join(''),
    prototypeOf,
  )
}

/** What names are unique by; they hold no blanks. */
export type NameKeys = Readonly<{
  /** How the name reads, whatever its case and alphabet: `АDMIN` in Cyrillic and full width is `admin`. */
  nameSkeleton: string
  /** How it is drawn, in its own case (the skeleton of UTS 39): `AIice` with a capital I is `Alice`, `Team I` is not `Team L`. */
  nameShape: string
  /** How it is read in another case too: `AIice` is `alice`, `ADMlN` is `Admin`. */
  nameReading: string
}>

export const nameKinds = ['nameSkeleton', 'nameShape', 'nameReading'] as const satisfies readonly (keyof NameKeys)[]

/** Two names with an equal key of a kind are taken for each other. Pure; the same for every name of a person or a team. */
export function nameKeys(name: string): NameKeys {
  const text = plain(name)
  const read = mapCharacters(foldCase(text), readLetter).toLowerCase()
  return {
    nameSkeleton: shorten(mapCharacters(read, (one) => lettersInDisguise.get(one) ?? one)),
    nameShape: shorten(mapCharacters(text, prototypeOf)),
    nameReading: shorten(readInContext(name)),
  }
}
