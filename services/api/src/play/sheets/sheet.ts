import type { CellValue } from './cells.ts'

export type SheetContent = Readonly<{
  name: string
  header: readonly string[]
  rows: Iterable<readonly CellValue[]> | AsyncIterable<readonly CellValue[]>
}>
