import { useCallback, useEffect, useRef, useState } from 'react'
import { draftPrefix } from '../../lib/forget.ts'
import { conflictsOf, type Edits, noEdits, rebaseEdits, withEdit, withoutFields, withoutSaved } from './draft.ts'

export type Draft<Shape extends object> = Readonly<{
  /** Stored values with the local edits applied. */
  value: Shape
  changes: Partial<Shape>
  changedFields: readonly (keyof Shape)[]
  /** Fields that another user changed concurrently. The form can be saved only after `keepMine` or `takeTheirs`. */
  conflicts: readonly (keyof Shape)[]
  conflictsWith: (stored: Shape) => readonly (keyof Shape)[]
  set: (patch: Partial<Shape>) => void
  keepMine: () => void
  takeTheirs: () => void
  /** Drops the edits after they were saved. */
  settle: (sent: Partial<Shape>) => void
  discard: () => void
  /** Reads the current state, for example for a guard. The state of the last render may be stale. */
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
 * Manages edits on top of stored values, per field. Unchanged fields follow the server. Edits survive a reload and an expired
 * session.
 * @param name unique name of the edited item; give the component a `key` if the name changes
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
    keepMine: () => change(rebaseEdits(edits, stored)),
    takeTheirs: () => change(withoutFields(edits, conflictsOf(edits, stored))),
    settle: (sent) => change(withoutSaved(latest.current.edits, sent)),
    discard: () => change(noEdits),
    isDirtyNow: useCallback(() => Object.keys(latest.current.edits.changes).length > 0, []),
  }
}
