import type { CellValue } from './cells.ts'

/** Sheet with rows of plain values. */
export type SheetContent = Readonly<{
  name: string
  header: readonly string[]
  rows: Iterable<readonly CellValue[]> | AsyncIterable<readonly CellValue[]>
}>
