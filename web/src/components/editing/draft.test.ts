import { describe, expect, it } from 'vitest'
import {
  applyEdit,
  type Edits,
  listConflictingFields,
  mergeEdits,
  noEdits,
  rebaseEdits,
  redactEdits,
  removeSavedEdits,
} from './draft.ts'

type Thing = Readonly<{
  title: string
  hints: readonly string[]
}>

const stored: Thing = { title: 'Gate', hints: ['one'] }
const edited: Edits<Thing> = applyEdit(noEdits, stored, { title: 'Harbour gate' })

describe('a draft of edits', () => {
  it('the draft drops an edit if the user types the stored value again', () => {
    expect(applyEdit(edited, stored, { title: 'Gate' })).toEqual(noEdits)
    expect(applyEdit(noEdits, stored, { hints: ['one'] })).toEqual(noEdits)
  })

  it('the draft reports no conflict if another user changes other fields', () => {
    expect(listConflictingFields(edited, { ...stored, hints: ['one', 'two'] })).toEqual([])
  })

  it('the draft reports a conflict if another user changes the same field', () => {
    expect(listConflictingFields(edited, { ...stored, title: 'Gate 2' })).toEqual(['title'])
  })

  it('the draft reports no conflict if both users type the same value', () => {
    expect(listConflictingFields(edited, { ...stored, title: 'Harbour gate' })).toEqual([])
  })

  it('the draft reports no conflict after "keep mine" until another user changes the field again', () => {
    const merged = rebaseEdits(edited, { ...stored, title: 'Gate 2' })
    expect(listConflictingFields(merged, { ...stored, title: 'Gate 2' })).toEqual([])
    expect(listConflictingFields(merged, { ...stored, title: 'Gate 3' })).toEqual(['title'])
  })

  it('the draft retains edits that the user types during a save', () => {
    const more = applyEdit(edited, stored, { hints: ['one', 'two'] })
    expect(removeSavedEdits(more, { title: 'Harbour gate' }).changes).toEqual({ hints: ['one', 'two'] })
  })

  it('the browser stores no secrets, and no edits that change only secrets', () => {
    const redact = ({ title, ...others }: Partial<Thing>) => ({ ...others, ...(title !== undefined && { title: 'Gate' }) })
    const more = applyEdit(edited, stored, { hints: [] })
    expect(redactEdits(more, redact)).toEqual({ changes: { hints: [] }, bases: { hints: ['one'] } })
    expect(redactEdits(edited, redact)).toEqual(noEdits)
  })

  it('the draft merges concurrent changes by a merge function, and drops an edit if the result equals the stored value', () => {
    const merges = {
      hints: (base: readonly string[], mine: readonly string[], theirs: readonly string[]) =>
        mine[0] === 'mine' ? undefined : [...theirs, ...mine.slice(base.length)],
    }
    const theirs = { ...stored, hints: ['uno'] }
    const added = applyEdit(edited, stored, { hints: ['one', 'two'] })
    const merged = mergeEdits(added, theirs, merges)
    expect(merged).toEqual({
      changes: { title: 'Harbour gate', hints: ['uno', 'two'] },
      bases: { title: 'Gate', hints: ['uno'] },
    })
    expect(listConflictingFields(merged, theirs)).toEqual([])
    expect(mergeEdits(applyEdit(noEdits, stored, { hints: [] }), theirs, merges)).toEqual(noEdits)
    const contested = applyEdit(noEdits, stored, { hints: ['mine'] })
    expect(listConflictingFields(mergeEdits(contested, theirs, merges), theirs)).toEqual(['hints'])
  })
})
