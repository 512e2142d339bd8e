export interface Choice {
  /** Returns a uniformly distributed random integer from 0 to `maxExclusive - 1`. `maxExclusive` must be at least 1. */
  int(maxExclusive: number): number
}

/**
 * Map from the uppercase form of a character to all characters that may replace the character, including the character itself.
 */
export type LeetTable = Readonly<Record<string, string>>

/** Leet table for templates with the marker `[LEET]`. */
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

/** Leet table for templates with the marker `[CLEET]`. This table has more replacements than `plainLeet`. */
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

type Piece = Readonly<{
  character: string
  /** True if the character is inside of `{ }` and outside of all `[...]`. */
  isOpen: boolean
}>

/**
 * Splits a template into characters, and marks those that leet may replace. A `[` without a closing bracket is an ordinary
 * character.
 */
function piecesOf(text: string): Piece[] {
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

function rowOf(table: LeetTable, character: string): string | undefined {
  const key = character.toUpperCase()
  return Object.hasOwn(table, key) ? table[key] : undefined
}

export function listLeetReplacements(text: string, table: LeetTable | undefined): string[] {
  return piecesOf(text).map(({ character, isOpen }) => {
    if (!isOpen || table === undefined) return character
    return character === ' ' ? '_' : (rowOf(table, character) ?? character)
  })
}

/**
 * Replaces each character inside `{ }` by a random character from its row in the table, and each space by `_`. Markers `[...]`,
 * text outside of `{ }` and the length of the text do not change. See docs/contract/challenges.md#leet.
 */
export function applyLeet(text: string, table: LeetTable, random: Choice): string {
  return piecesOf(text)
    .map(({ character, isOpen }) => {
      if (!isOpen) return character
      if (character === ' ') return '_'
      const row = rowOf(table, character)
      return row === undefined ? character : row.charAt(random.int(row.length))
    })
    .join('')
}

/**
 * Returns the entropy that leet adds to a text, in bits. Each character that leet may replace adds log2(length of its row in the
 * table).
 */
export function leetEntropyBits(text: string, table: LeetTable): number {
  return piecesOf(text).reduce((bits, { character, isOpen }) => {
    const row = isOpen ? rowOf(table, character) : undefined
    return row === undefined ? bits : bits + Math.log2(row.length)
  }, 0)
}
