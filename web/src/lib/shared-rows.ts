import { useRef } from 'react'

const isSame = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const [ours, theirs] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const names = Object.keys(ours)
  return names.length === Object.keys(theirs).length && names.every((name) => isSame(ours[name], theirs[name]))
}

/** `fresh`, where each row that equals the known row of its key is that known object. Returns the known list when nothing changed. */
export function shareRows<Row>(known: readonly Row[] | undefined, fresh: readonly Row[], keyOf: (row: Row) => string) {
  if (known === undefined || known === fresh) return fresh
  const byKey = new Map(known.map((row) => [keyOf(row), row]))
  const shared = fresh.map((row) => {
    const before = byKey.get(keyOf(row))
    return before !== undefined && isSame(before, row) ? before : row
  })
  return shared.length === known.length && shared.every((row, at) => row === known[at]) ? known : shared
}

/** Rows of a list that is read again and again. A row stays the same object until its content changes. @param keyOf stays the same */
export function useSharedRows<Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[]
export function useSharedRows<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string): readonly Row[] | undefined
export function useSharedRows<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string): readonly Row[] | undefined {
  const read = useRef<readonly Row[] | undefined>(undefined)
  const shown = useRef<readonly Row[] | undefined>(undefined)
  if (rows !== read.current) {
    read.current = rows
    shown.current = rows && shareRows(shown.current, rows, keyOf)
  }
  return shown.current
}

/**
 * For lists of thousands of rows that go through `useSharedRows`: SWR would write both answers out as text to learn whether they
 * are equal.
 */
export const sharedRead = { compare: (one: unknown, other: unknown) => one === other }
