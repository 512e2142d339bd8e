import { useCallback, useEffect, useRef, useState } from 'react'
import { draftPrefix } from '../../lib/forget.ts'
import {
  applyEdit,
  type Edits,
  listConflictingFields,
  type Merges,
  mergeEdits,
  noEdits,
  rebaseEdits,
  redactEdits,
  removeEdits,
  removeSavedEdits,
} from './draft.ts'

export type Draft<Shape extends object> = Readonly<{
  /** Stored values with the local edits applied. */
  value: Shape
  changes: Partial<Shape>
  changedFields: readonly (keyof Shape)[]
  /** Fields that another user changed concurrently. The form can be saved only after `keepMine` or `takeTheirs`. */
  conflicts: readonly (keyof Shape)[]
  conflictsWith: (stored: Shape) => readonly (keyof Shape)[]
  /** Returns the edits to save, given the newest stored values of the server. */
  changesOn: (stored: Shape) => Partial<Shape>
  set: (patch: Partial<Shape>) => void
  keepMine: () => void
  takeTheirs: () => void
  /** Drops the edits after they were saved. */
  settle: (sent: Partial<Shape>) => void
  discard: () => void
  /** True if there are unsaved edits now. The state of the last render may be stale. */
  isDirtyNow: () => boolean
}>

function allChanges<Changes>(changes: Changes): Changes {
  return changes
}

const noMerges = {}

function hasChanges({ changes }: Edits<object>): boolean {
  return Object.keys(changes).length > 0
}

function readStored<Shape extends object>(key: string): Edits<Shape> {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Edits<Shape> | null) ?? noEdits
  } catch {
    return noEdits
  }
}

/** Special treatment of secrets and concurrent changes. The functions must not change between renders. */
type DraftRules<Shape extends object> = Readonly<{
  /** Removes parts of the edits that the browser must not store. Removed parts do not survive a reload. */
  redact?: (changes: Partial<Shape>) => Partial<Shape>
  /** Functions that merge concurrent changes, one per field. A field without a function is in conflict if two users change it. */
  merges?: Merges<Shape>
}>

/**
 * Manages edits on top of stored values, per field. Unchanged fields show the newest values from the server. Edits survive a reload
 * and an expired session.
 * @param name unique name of the edited item. Give the component a `key` if the name changes
 */
export function useDraft<Shape extends object>(
  name: string,
  stored: Shape,
  { redact = allChanges, merges = noMerges }: DraftRules<Shape> = {},
): Draft<Shape> {
  const key = `${draftPrefix}${name}`
  const [typed, setEdits] = useState<Edits<Shape>>(() => readStored<Shape>(key))
  const edits = mergeEdits(typed, stored, merges)
  const latest = useRef({ edits, stored })
  latest.current = { edits: mergeEdits(latest.current.edits, stored, merges), stored }

  const change = useCallback(
    (next: Edits<Shape>) => {
      latest.current.edits = next
      setEdits(next)
      if (!hasChanges(redactEdits(next, redact))) sessionStorage.removeItem(key)
    },
    [key, redact],
  )
  useEffect(() => {
    const storable = redactEdits(typed, redact)
    if (hasChanges(storable)) sessionStorage.setItem(key, JSON.stringify(storable))
  }, [key, typed, redact])

  return {
    value: { ...stored, ...edits.changes },
    changes: edits.changes,
    changedFields: Object.keys(edits.changes) as (keyof Shape)[],
    conflicts: listConflictingFields(edits, stored),
    conflictsWith: (newer) => listConflictingFields(mergeEdits(latest.current.edits, newer, merges), newer),
    changesOn: (newer) => mergeEdits(latest.current.edits, newer, merges).changes,
    set: useCallback((patch) => change(applyEdit(latest.current.edits, latest.current.stored, patch)), [change]),
    keepMine: () => change(rebaseEdits(edits, stored)),
    takeTheirs: () => change(removeEdits(edits, listConflictingFields(edits, stored))),
    settle: (sent) => change(removeSavedEdits(latest.current.edits, sent)),
    discard: () => change(noEdits),
    isDirtyNow: useCallback(() => Object.keys(latest.current.edits.changes).length > 0, []),
  }
}
