import { describe, expect, it } from 'vitest'
import { conflictsOf, type Edits, keepMine, noEdits, withEdit, withoutSaved } from './draft.ts'

type Thing = Readonly<{
  title: string
  hints: readonly string[]
}>

const stored: Thing = { title: 'Gate', hints: ['one'] }
const edited: Edits<Thing> = withEdit(noEdits, stored, { title: 'Harbour gate' })

describe('edits over stored values', () => {
  it('drops an edit when the stored value is typed again', () => {
    expect(withEdit(edited, stored, { title: 'Gate' })).toEqual(noEdits)
    expect(withEdit(noEdits, stored, { hints: ['one'] })).toEqual(noEdits)
  })

  it('reports no conflict when others change other fields', () => {
    expect(conflictsOf(edited, { ...stored, hints: ['one', 'two'] })).toEqual([])
  })

  it('reports a conflict when another user changes the same field', () => {
    expect(conflictsOf(edited, { ...stored, title: 'Gate 2' })).toEqual(['title'])
  })

  it('reports no conflict when both users type the same', () => {
    expect(conflictsOf(edited, { ...stored, title: 'Harbour gate' })).toEqual([])
  })

  it('accepts the other change after "keep mine", until another change arrives', () => {
    const merged = keepMine(edited, { ...stored, title: 'Gate 2' })
    expect(conflictsOf(merged, { ...stored, title: 'Gate 2' })).toEqual([])
    expect(conflictsOf(merged, { ...stored, title: 'Gate 3' })).toEqual(['title'])
  })

  it('retains edits that are typed during a save', () => {
    const more = withEdit(edited, stored, { hints: ['one', 'two'] })
    expect(withoutSaved(more, { title: 'Harbour gate' }).changes).toEqual({ hints: ['one', 'two'] })
  })
})
