export type SheetRow = Readonly<{
  /** Line where the row starts, counted from 1. */
  line: number
  cells: readonly string[]
}>

const separators = [',', ';', '\t'] as const

/** Returns the most frequent separator in the first line. Ignores separators in quotes. */
function separatorOf(text: string): string {
  const line = (/^[^\r\n]*/.exec(text)?.[0] ?? '').replaceAll(/"[^"]*"/g, '')
  const count = (separator: string): number => line.split(separator).length
  return separators.reduce<string>((best, each) => (count(each) > count(best) ? each : best), ',')
}

/**
 * Parses comma-separated values by RFC 4180. Semicolons and tabs are also separators, and empty rows are skipped. A missing
 * closing quote is assumed at the end of the text.
 */
export function parseSheet(source: string): SheetRow[] {
  const text = source.replace(/^\uFEFF/, '')
  // Some spreadsheets name the separator in an additional first line.
  const named = /^sep=(.)\r?\n/.exec(text)
  const separator = named?.[1] ?? separatorOf(text)
  const rows: SheetRow[] = []
  let line = named ? 2 : 1
  let rowLine = line
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  /** True while the current cell contains only white space. */
  let isBlank = true
  const startCell = (): void => {
    cell = ''
    isBlank = true
  }
  const endRow = (): void => {
    cells.push(cell)
    if (cells.length > 1 || cell.trim() !== '') rows.push({ line: rowLine, cells })
    cells = []
    startCell()
  }
  for (let at = named?.[0].length ?? 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\n') line += 1
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      cell += '"'
      isBlank = false
      at += 1
    } else if (character === '"' && (isQuoted || isBlank)) {
      isQuoted = !isQuoted
      if (isQuoted) startCell()
    } else if (isQuoted || (character !== separator && character !== '\n' && character !== '\r')) {
      cell += character
      isBlank &&= character?.trim() === ''
    } else if (character === separator) {
      cells.push(cell)
      startCell()
    } else if (character === '\n') {
      endRow()
      rowLine = line
    }
  }
  endRow()
  return rows
}
