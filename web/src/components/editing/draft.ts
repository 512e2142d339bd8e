/** What somebody has changed in a form, and what was stored in those fields when they began. */
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

/** The edits after typing `patch`. A field that is back at what is stored is no change any more. */
export function withEdit<Shape extends object>(edits: Edits<Shape>, stored: Shape, patch: Partial<Shape>): Edits<Shape> {
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

/** The edits without some fields: they show what is stored again. */
export function withoutFields<Shape extends object>(edits: Edits<Shape>, fields: readonly (keyof Shape)[]): Edits<Shape> {
  const changes = { ...edits.changes }
  const bases = { ...edits.bases }
  for (const field of fields) {
    delete changes[field]
    delete bases[field]
  }
  return { changes, bases }
}

/** Fields that somebody else has changed too, to something else, since they were changed here. */
export function conflictsOf<Shape extends object>(edits: Edits<Shape>, stored: Shape): readonly (keyof Shape)[] {
  return fieldsOf(edits).filter(
    (field) => !isSame(edits.bases[field], stored[field]) && !isSame(edits.changes[field], stored[field]),
  )
}

/** The edits, now knowing of the others' change: saving will replace it. */
export function keepMine<Shape extends object>(edits: Edits<Shape>, stored: Shape): Edits<Shape> {
  return {
    changes: edits.changes,
    bases: Object.fromEntries(fieldsOf(edits).map((field) => [field, stored[field]])) as Partial<Shape>,
  }
}

/** The edits after `sent` was saved: what was typed meanwhile stays. */
export function withoutSaved<Shape extends object>(edits: Edits<Shape>, sent: Partial<Shape>): Edits<Shape> {
  return withoutFields(
    edits,
    fieldsOf(edits).filter((field) => isSame(edits.changes[field], sent[field])),
  )
}
