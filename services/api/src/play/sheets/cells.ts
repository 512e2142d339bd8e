/** What a cell holds; text is sent through `safeText`. */
export type CellValue = string | number

const maxCellLength = 32_767

const blank = '<empty>'
const separator = ' / '
const number = /^[+-]?[\d ().-]+$/

/** Plain numbers and telephone numbers, one or several, which no program takes for a call. */
function isHarmless(text: string): boolean {
  return text.split(separator).every((part) => part === blank || number.test(part))
}

/** Also in the full width of East Asian scripts, which some programs read alike. */
const startsFormula = /^[=+\-@\t\r\n＝＋－＠]/

/**
 * Text that no spreadsheet program runs as a formula, also not after a detour through CSV: what could start one gets an
 * apostrophe in front. Characters that XML cannot hold are dropped; the length is bounded by what a cell may hold.
 */
export function safeText(text: string): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, (character) => (/[\t\r\n]/.test(character) ? character : ''))
  const guarded = startsFormula.test(clean) && !isHarmless(clean) ? `'${clean}` : clean
  return guarded.slice(0, maxCellLength).toWellFormed()
}

/** Several members in one cell; `<empty>` for a blank. Rules: docs/contract/captures-and-monitor.md#spreadsheets. */
export function joinMembers(values: readonly (string | null)[]): string {
  return values.map((value) => (value === null || value.trim() === '' ? blank : value)).join(separator)
}

/** `yyyy-MM-dd HH:mm:ssZ`, UTC. Rules: docs/contract/captures-and-monitor.md#spreadsheets. */
export function sheetTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
