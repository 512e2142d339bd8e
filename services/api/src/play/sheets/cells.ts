/** Value of a cell. `escapeFormulaText` protects text values. */
export type CellValue = string | number

const maxCellChars = 32_767

const blank = '<empty>'
const separator = ' / '
const number = /^[+-]?[\d ().-]+$/

/** True if a cell contains only plain numbers and telephone numbers. No spreadsheet program runs such a cell as a formula. */
function isHarmless(text: string): boolean {
  return text.split(separator).every((part) => part === blank || number.test(part))
}

/** Matches the first character of a formula, including its East Asian full-width form, which some programs accept. */
const startsFormula = /^[=+\-@\t\r\n＝＋－＠]/

/**
 * Escapes text, so that no spreadsheet program runs it as a formula, even after a conversion to CSV. Possible formulas get a
 * leading apostrophe. Characters that XML cannot represent are dropped, and long text is truncated.
 */
export function escapeFormulaText(text: string): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, (character) => (/[\t\r\n]/.test(character) ? character : ''))
  const guarded = startsFormula.test(clean) && !isHarmless(clean) ? `'${clean}` : clean
  return guarded.slice(0, maxCellChars).toWellFormed()
}

/**
 * Joins the values of several members in one cell, with `<empty>` for a blank value.
 * Rules: docs/contract/captures-and-monitor.md#spreadsheets.
 */
export function joinMemberValuesInOneCell(values: readonly (string | null)[]): string {
  return values.map((value) => (value === null || value.trim() === '' ? blank : value)).join(separator)
}
