/** Where choices come from. */
export interface Choice {
  /** An even choice among `0 … maxExclusive - 1`; `maxExclusive` is at least 1. */
  int(maxExclusive: number): number
}

/** What a character may become, by its upper-case form. A table row lists every choice, the character itself among them. */
export type LeetTable = Readonly<Record<string, string>>

/** The plain table: what `[LEET]` chooses from. */
export const plainLeet: LeetTable = {
  A: 'Aa4',
  B: 'Bb68',
  C: 'Cc',
  D: 'Dd',
  E: 'Ee3',
  F: 'Ff1',
  G: 'Gg69',
  H: 'Hh',
  I: 'Ii1l',
  J: 'Jj',
  K: 'Kk',
  L: 'Ll1I',
  M: 'Mm',
  N: 'Nn',
  O: 'Oo0',
  P: 'Pp',
  Q: 'Qq9',
  R: 'Rr',
  S: 'Ss5',
  T: 'Tt7',
  U: 'Uu',
  V: 'Vv',
  W: 'Ww',
  X: 'Xx',
  Y: 'Yy',
  Z: 'Zz2',
  0: '0oO',
  1: '1lI',
  2: '2zZ',
  3: '3eE',
  4: '4aA',
  5: '5Ss',
  6: '6Gb',
  7: '7T',
  8: '8bB',
  9: '9g',
}

/** The wide table, of `[CLEET]`; in the rows of B and 8 the `&` takes the place of another choice. */
export const wideLeet: LeetTable = {
  ...plainLeet,
  A: 'Aa4@',
  B: 'Bb6&',
  C: 'Cc(',
  I: 'Ii1l!',
  L: 'Ll1I!',
  O: 'Oo0#',
  S: 'Ss5$',
  Z: 'Zz2?',
  0: '0oO#',
  1: '1lI|',
  2: '2zZ?',
  8: '8&B',
}

interface Piece {
  readonly character: string
  /** Inside `{ }` and outside every `[...]`. */
  readonly isOpen: boolean
}

/** Splits a template into characters and says which of them leet may touch. A `[` that is never closed is an ordinary character. */
const piecesOf = (text: string): Piece[] => {
  const characters = [...text]
  const lastClosing = characters.lastIndexOf(']')
  const pieces: Piece[] = []
  let depth = 0
  let isMarker = false
  characters.forEach((character, index) => {
    if (!isMarker && character === '[' && index < lastClosing) isMarker = true
    const isBrace = !isMarker && (character === '{' || character === '}')
    if (isBrace) depth = character === '{' ? depth + 1 : Math.max(0, depth - 1)
    pieces.push({ character, isOpen: depth > 0 && !isMarker && !isBrace })
    if (isMarker && character === ']') isMarker = false
  })
  return pieces
}

const rowOf = (table: LeetTable, character: string): string | undefined => {
  const key = character.toUpperCase()
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** What each character of a text may become. */
export const leetChoices = (text: string, table: LeetTable | undefined): string[] =>
  piecesOf(text).map(({ character, isOpen }) => {
    if (!isOpen || table === undefined) return character
    return character === ' ' ? '_' : (rowOf(table, character) ?? character)
  })

/**
 * Replaces each character inside `{ }` by a random one of its row, and spaces there by `_`; `[...]` markers and all else stay.
 * The number of characters does not change. Rules: docs/contract/challenges.md#leet.
 */
export const leet = (text: string, table: LeetTable, random: Choice): string =>
  piecesOf(text)
    .map(({ character, isOpen }) => {
      if (!isOpen) return character
      if (character === ' ') return '_'
      const row = rowOf(table, character)
      return row === undefined ? character : row.charAt(random.int(row.length))
    })
    .join('')

/** Bits of surprise that `leet` adds: the sum of log2(row length) over the characters it touches. */
export const leetEntropyBits = (text: string, table: LeetTable): number =>
  piecesOf(text).reduce((bits, { character, isOpen }) => {
    const row = isOpen ? rowOf(table, character) : undefined
    return row === undefined ? bits : bits + Math.log2(row.length)
  }, 0)
