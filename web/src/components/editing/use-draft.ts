import { useCallback, useEffect, useRef, useState } from 'react'
import { draftPrefix } from '../../lib/forget.ts'
import { conflictsOf, type Edits, keepMine, noEdits, withEdit, withoutFields, withoutSaved } from './draft.ts'

export type Draft<Shape extends object> = Readonly<{
  /** Stored values with the local edits applied. */
  value: Shape
  changes: Partial<Shape>
  changedFields: readonly (keyof Shape)[]
  /** Fields that another user changed concurrently. Saving waits for `keepMine` or `takeTheirs`. */
  conflicts: readonly (keyof Shape)[]
  conflictsWith: (stored: Shape) => readonly (keyof Shape)[]
  set: (patch: Partial<Shape>) => void
  keepMine: () => void
  takeTheirs: () => void
  /** Drops the edits that were saved. */
  settle: (sent: Partial<Shape>) => void
  discard: () => void
  /** Reads the current state. The state of the last render may be stale. Guards need this. */
  isDirtyNow: () => boolean
}>

function readStored<Shape extends object>(key: string): Edits<Shape> {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Edits<Shape> | null) ?? noEdits
  } catch {
    return noEdits
  }
}

/**
 * Manages edits over stored values per field: unchanged fields follow the server. Edits survive a reload and a lost session.
 * @param name unique name of the edited thing; give the component a `key` when it changes
 */
export function useDraft<Shape extends object>(name: string, stored: Shape): Draft<Shape> {
  const key = `${draftPrefix}${name}`
  const [edits, setEdits] = useState<Edits<Shape>>(() => readStored<Shape>(key))
  const latest = useRef({ edits, stored })
  latest.current.stored = stored

  const change = useCallback(
    (next: Edits<Shape>) => {
      latest.current.edits = next
      setEdits(next)
      if (Object.keys(next.changes).length === 0) sessionStorage.removeItem(key)
    },
    [key],
  )
  useEffect(() => {
    if (Object.keys(edits.changes).length > 0) sessionStorage.setItem(key, JSON.stringify(edits))
  }, [key, edits])

  return {
    value: { ...stored, ...edits.changes },
    changes: edits.changes,
    changedFields: Object.keys(edits.changes) as (keyof Shape)[],
    conflicts: conflictsOf(edits, stored),
    conflictsWith: (newer) => conflictsOf(latest.current.edits, newer),
    set: useCallback((patch) => change(withEdit(latest.current.edits, latest.current.stored, patch)), [change]),
    keepMine: () => change(keepMine(edits, stored)),
    takeTheirs: () => change(withoutFields(edits, conflictsOf(edits, stored))),
    settle: (sent) => change(withoutSaved(latest.current.edits, sent)),
    discard: () => change(noEdits),
    isDirtyNow: useCallback(() => Object.keys(latest.current.edits.changes).length > 0, []),
  }
}
