import { Readable } from 'node:stream'
import { joinTextsIntoChunks } from '../../server/http/text-chunks.ts'
import { type CellValue, escapeFormulaText } from './cells.ts'
import type { SheetContent } from './sheet.ts'

/** Byte order mark. Without it, Excel reads the file in the code page of the system, not as UTF-8. */
const byteOrderMark = '\uFEFF'

/**
 * Matches a place where a formula would begin if a program splits quoted cells at `;`, tabs or line breaks. Excel splits cells at
 * `;` in countries with a decimal comma.
 */
const startsFormulaInside = /([;\t\r\n]["' ]*)(?=[=+\-@＝＋－＠])/g

function cellOf(value: CellValue): string {
  if (typeof value === 'number') return String(value)
  const text = escapeFormulaText(value).replaceAll(startsFormulaInside, "$1'")
  // Each text is quoted, because programs disagree about the characters that need quotes.
  return text === '' ? '' : `"${text.replaceAll('"', '""')}"`
}

function lineOf(values: readonly CellValue[]): string {
  return `${values.map(cellOf).join(',')}\r\n`
}

async function* linesOf({ header, rows }: SheetContent): AsyncGenerator<string> {
  yield byteOrderMark + lineOf(header)
  for await (const values of rows) yield lineOf(values)
}

/**
 * Streams a CSV file (RFC 4180) in UTF-8. The memory does not depend on the number of rows. A row that cannot be read aborts the
 * stream.
 */
export function writeCsv(sheet: SheetContent): Readable {
  return Readable.from(joinTextsIntoChunks(linesOf(sheet)), { objectMode: false })
}
