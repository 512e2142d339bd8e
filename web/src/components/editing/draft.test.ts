import { describe, expect, it } from 'vitest'
import { conflictsOf, type Edits, noEdits, rebaseEdits, withEdit, withoutSaved } from './draft.ts'

type Thing = Readonly<{
  title: string
  hints: readonly string[]
}>

const stored: Thing = { title: 'Gate', hints: ['one'] }
const edited: Edits<Thing> = withEdit(noEdits, stored, { title: 'Harbour gate' })

describe('a draft of edits', () => {
  it('drops an edit if the user types the stored value again', () => {
    expect(withEdit(edited, stored, { title: 'Gate' })).toEqual(noEdits)
    expect(withEdit(noEdits, stored, { hints: ['one'] })).toEqual(noEdits)
  })

  it('reports no conflict if another user changes other fields', () => {
    expect(conflictsOf(edited, { ...stored, hints: ['one', 'two'] })).toEqual([])
  })

  it('reports a conflict if another user changes the same field', () => {
    expect(conflictsOf(edited, { ...stored, title: 'Gate 2' })).toEqual(['title'])
  })

  it('reports no conflict if both users type the same value', () => {
    expect(conflictsOf(edited, { ...stored, title: 'Harbour gate' })).toEqual([])
  })

  it('reports no conflict after "keep mine" until another user changes the field again', () => {
    const merged = rebaseEdits(edited, { ...stored, title: 'Gate 2' })
    expect(conflictsOf(merged, { ...stored, title: 'Gate 2' })).toEqual([])
    expect(conflictsOf(merged, { ...stored, title: 'Gate 3' })).toEqual(['title'])
  })

  it('retains edits that the user types during a save', () => {
    const more = withEdit(edited, stored, { hints: ['one', 'two'] })
    expect(withoutSaved(more, { title: 'Harbour gate' }).changes).toEqual({ hints: ['one', 'two'] })
  })
})
