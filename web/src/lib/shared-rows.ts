import { useRef } from 'react'

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const [ours, theirs] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const names = Object.keys(ours)
  return names.length === Object.keys(theirs).length && names.every((name) => isSame(ours[name], theirs[name]))
}

/**
 * Returns the rows of `fresh`, but reuses the known object of each unchanged row. If no row changed, returns the known list
 * itself.
 */
export function reuseUnchangedRows<Row>(known: readonly Row[] | undefined, fresh: readonly Row[], keyOf: (row: Row) => string) {
  if (known === undefined || known === fresh) return fresh
  const byKey = new Map(known.map((row) => [keyOf(row), row]))
  const shared = fresh.map((row) => {
    const before = byKey.get(keyOf(row))
    return before !== undefined && isSame(before, row) ? before : row
  })
  return shared.length === known.length && shared.every((row, at) => row === known[at]) ? known : shared
}

/**
 * Returns the rows of a list that is read repeatedly. A row remains the same object until its content changes.
 * @param keyOf function that returns the key of a row. It must be the same function in every render
 */
export function useSharedRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[]
export function useSharedRows<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string): readonly Row[] | undefined
export function useSharedRows<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string): readonly Row[] | undefined {
  const read = useRef<readonly Row[] | undefined>(undefined)
  const shown = useRef<readonly Row[] | undefined>(undefined)
  if (rows !== read.current) {
    read.current = rows
    shown.current = rows && reuseUnchangedRows(shown.current, rows, keyOf)
  }
  return shown.current
}

export const sharedRead = { compare: (one: unknown, other: unknown) => one === other }
