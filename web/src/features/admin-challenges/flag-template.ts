import { Limits } from '@capstan/contract/limits'

/** Where a preview takes its randomness from. */
export interface PreviewRandom {
  /** A whole number from 0 up to, not including, `max`. */
  readonly int: (max: number) => number
  readonly uuid: () => string
}

type LeetRows = Readonly<Record<string, string>>

/** Behaviour §10, column "plain": what a character may become, by its upper-case form. */
const plainRows: LeetRows = {
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

/** Column "wide adds"; for B and 8 the `&` stands in for one of the plain choices. */
const wideRows: LeetRows = {
  ...plainRows,
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

const guid = '[GUID]'
const teamHash = '[TEAM_HASH]'
const teamHashLength = 12

interface Reading {
  readonly text: string
  readonly rows: LeetRows | undefined
  readonly isUnique: boolean
}

const readTemplate = (template: string): Reading => {
  const whole = template.trim()
  const marker = ['[LEET]', '[CLEET]'].find((candidate) => whole.startsWith(candidate))
  const text = whole.slice(marker?.length ?? 0).trim()
  const isUnique = text.includes(guid) || text.includes(teamHash)
  if (marker === '[CLEET]') return { text, rows: wideRows, isUnique }
  return { text, rows: marker === '[LEET]' || !isUnique ? plainRows : undefined, isUnique }
}

interface Letter {
  readonly text: string
  readonly row: string | undefined
  /** Inside `{ }` and outside every `[...]`. */
  readonly isOpen: boolean
}

/** The letters of a text, each with the row that leet picks from if it touches that letter. */
function lettersOf(text: string, rows: LeetRows): readonly Letter[] {
  let depth = 0
  return (text.match(/\[[^\]]*\]|[\s\S]/gu) ?? []).flatMap((piece): Letter[] => {
    if (piece.length > 1 && piece.startsWith('[')) return [{ text: piece, row: undefined, isOpen: false }]
    if (piece === '{') depth += 1
    if (piece === '}') depth = Math.max(0, depth - 1)
    const isOpen = depth > 0 && piece !== '{' && piece !== '}'
    const key = piece.toUpperCase()
    return [{ text: piece, row: isOpen && Object.hasOwn(rows, key) ? rows[key] : undefined, isOpen }]
  })
}

const leeted = (letters: readonly Letter[], random: PreviewRandom) =>
  letters.map(({ text, row, isOpen }) => (isOpen && text === ' ' ? '_' : (row?.charAt(random.int(row.length)) ?? text))).join('')

export interface TemplatePreview {
  /** A flag that a team might get. */
  readonly flag: string
  /** Bits that leet alone adds; undefined where it touches nothing because a marker makes the flag unique. */
  readonly bits: number | undefined
  /** `[GUID]`, `[TEAM_HASH]` or no template at all: nobody can guess another team's flag. */
  readonly isUnique: boolean
  /** Why the server will not take it: flags over 127 characters, template over 120, too easy to guess. */
  readonly fault: 'templateLong' | 'templateWeak' | undefined
}

/** What a template of a DynamicContainer challenge makes, by the table of behaviour §10. The server has the last word. */
export function previewTemplate(template: string, random: PreviewRandom): TemplatePreview {
  const { text, rows, isUnique } = readTemplate(template)
  if (text === '') return { flag: `flag{${random.uuid()}}`, bits: undefined, isUnique: true, fault: undefined }
  const letters = rows && lettersOf(text, rows)
  const bits = letters?.reduce((sum, { row }) => sum + (row ? Math.log2(row.length) : 0), 0)
  const oneGuid = random.uuid()
  const oneHash = random.uuid().replaceAll('-', '').slice(0, teamHashLength)
  const flag = (letters ? leeted(letters, random) : text).replaceAll(guid, oneGuid).replaceAll(teamHash, oneHash)
  const isLong = [...template].length > Limits.flagTemplateMaxLength || [...flag].length > Limits.flagMaxLength
  const isWeak = !isUnique && (bits ?? 0) < Limits.flagEntropyBitsMin
  return { flag, bits, isUnique, fault: isLong ? 'templateLong' : isWeak ? 'templateWeak' : undefined }
}

/** The browser's randomness. */
export const browserRandom: PreviewRandom = {
  int: (max) => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % max,
  uuid: () => {
    const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)]
    return groups.join('-')
  },
}
