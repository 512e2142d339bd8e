import { useCallback, useEffect, useRef, useState } from 'react'
import { draftPrefix } from '../../lib/forget.ts'
import { conflictsOf, type Edits, keepMine, noEdits, withEdit, withoutFields, withoutSaved } from './draft.ts'

export type Draft<Shape extends object> = Readonly<{
  /** What is stored, with the changes made here on top. */
  value: Shape
  changes: Partial<Shape>
  changedFields: readonly (keyof Shape)[]
  /** Fields that somebody else changed meanwhile. Saving waits until `keepMine` or `takeTheirs`. */
  conflicts: readonly (keyof Shape)[]
  /** The same against a newer state of what is stored. */
  conflictsWith: (stored: Shape) => readonly (keyof Shape)[]
  set: (patch: Partial<Shape>) => void
  keepMine: () => void
  takeTheirs: () => void
  /** Drops what was saved. */
  settle: (sent: Partial<Shape>) => void
  discard: () => void
  /** Asks the present, not the last render; for guards. */
  isDirtyNow: () => boolean
}>

function readKept<Shape extends object>(key: string): Edits<Shape> {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Edits<Shape> | null) ?? noEdits
  } catch {
    return noEdits
  }
}

/**
 * Input on top of what is stored, field by field: unchanged fields follow the server. Survives a reload and a lost session.
 * @param name of the edited thing, unique; give the component a `key` when it changes
 */
export function useDraft<Shape extends object>(name: string, stored: Shape): Draft<Shape> {
  const key = `${draftPrefix}${name}`
  const [edits, setEdits] = useState<Edits<Shape>>(() => readKept<Shape>(key))
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
