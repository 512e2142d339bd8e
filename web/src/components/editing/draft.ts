/** Fields that the user changed in a form. `bases` contains the stored value of each field at the time of the first change. */
export type Edits<Shape extends object> = Readonly<{
  changes: Partial<Shape>
  bases: Partial<Shape>
}>

export const noEdits = { changes: {}, bases: {} } as const

function isSame(one: unknown, other: unknown) {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function fieldsOf<Shape extends object>(edits: Edits<Shape>) {
  return Object.keys(edits.changes) as (keyof Shape)[]
}

/**
 * Adds changes by the user to the edits. If a field has its stored value again, removes the field from the edits.
 * @param patch changed fields with their new values
 */
export function applyEdit<Shape extends object>(edits: Edits<Shape>, stored: Shape, patch: Partial<Shape>): Edits<Shape> {
  const changes = { ...edits.changes }
  const bases = { ...edits.bases }
  for (const field of Object.keys(patch) as (keyof Shape)[]) {
    if (isSame(patch[field], stored[field])) {
      delete changes[field]
      delete bases[field]
      continue
    }
    changes[field] = patch[field]
    if (!(field in bases)) bases[field] = stored[field]
  }
  return { changes, bases }
}

/** Returns the edits without the given fields. The form then shows the stored values of these fields. */
export function removeEdits<Shape extends object>(edits: Edits<Shape>, fields: readonly (keyof Shape)[]): Edits<Shape> {
  const changes = { ...edits.changes }
  const bases = { ...edits.bases }
  for (const field of fields) {
    delete changes[field]
    delete bases[field]
  }
  return { changes, bases }
}

/** Returns the edited fields that another user has since changed to a different value. */
export function listConflictingFields<Shape extends object>(edits: Edits<Shape>, stored: Shape): readonly (keyof Shape)[] {
  return fieldsOf(edits).filter(
    (field) => !isSame(edits.bases[field], stored[field]) && !isSame(edits.changes[field], stored[field]),
  )
}

/**
 * Returns the edits with the newest stored values as their base. If another user has changed the edited fields, a save then
 * overwrites that user's values.
 */
export function rebaseEdits<Shape extends object>(edits: Edits<Shape>, stored: Shape): Edits<Shape> {
  return {
    changes: edits.changes,
    bases: Object.fromEntries(fieldsOf(edits).map((field) => [field, stored[field]])) as Partial<Shape>,
  }
}

/** Removes the saved values `sent` from the edits. Fields that the user changed again during the save remain edits. */
export function removeSavedEdits<Shape extends object>(edits: Edits<Shape>, sent: Partial<Shape>): Edits<Shape> {
  return removeEdits(
    edits,
    fieldsOf(edits).filter((field) => isSame(edits.changes[field], sent[field])),
  )
}

/**
 * Returns the edits that the browser may store. Drops an edit that changes only secret parts of a value.
 * @param redact removes secret parts of values
 */
export function redactEdits<Shape extends object>(
  edits: Edits<Shape>,
  redact: (changes: Partial<Shape>) => Partial<Shape>,
): Edits<Shape> {
  const redacted = { changes: redact(edits.changes), bases: edits.bases }
  return removeEdits(
    redacted,
    fieldsOf(redacted).filter((field) => isSame(redacted.changes[field], redacted.bases[field])),
  )
}

/** Merges two values that users changed concurrently. @returns undefined if both changed the same part differently */
type Merge<Value> = (base: Value, mine: Value, theirs: Value) => Value | undefined

export type Merges<Shape extends object> = { readonly [Field in keyof Shape]?: Merge<Shape[Field]> }

/**
 * If another user has changed an edited field and `merges` has a function for this field, merges the edit with the newest stored
 * value. Edits of all other fields remain unchanged.
 */
export function mergeEdits<Shape extends object>(edits: Edits<Shape>, stored: Shape, merges: Merges<Shape>): Edits<Shape> {
  const fields = listConflictingFields(edits, stored).filter((field) => merges[field])
  return fields.reduce((known, field) => {
    const merged = merges[field]?.(
      known.bases[field] as Shape[typeof field],
      known.changes[field] as Shape[typeof field],
      stored[field],
    )
    if (merged === undefined) return known
    const rebased = { changes: { ...known.changes, [field]: merged }, bases: { ...known.bases, [field]: stored[field] } }
    return isSame(merged, stored[field]) ? removeEdits(rebased, [field]) : rebased
  }, edits)
}
