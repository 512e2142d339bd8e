import writeExcelFile from 'write-excel-file/node'
import { type CellValue, safeText } from './cells.ts'

/** A sheet as rows of plain values. */
export interface SheetContent {
  /** Name of the sheet. */
  readonly name: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly CellValue[])[]
}

/** Excel takes 31 characters and none of `\ / ? * [ ] :`. */
const sheetName = (name: string): string => name.replaceAll(/[\\/?*[\]:']/g, ' ').slice(0, 31)

/** An xlsx file of one sheet with a bold, fixed header row. */
export const writeWorkbook = ({ name, header, rows }: SheetContent): Promise<Buffer> => {
  const headerCells = header.map((value) => ({ value: safeText(value), type: String, fontWeight: 'bold' as const }))
  const cells = rows.map((row) =>
    row.map((value) => (typeof value === 'number' ? { value, type: Number } : { value: safeText(value), type: String })),
  )
  const columns = header.map((title) => ({ width: Math.min(40, Math.max(12, title.length + 2)) }))
  return writeExcelFile([headerCells, ...cells], { sheet: sheetName(name), columns, stickyRowsCount: 1 }).toBuffer()
}
