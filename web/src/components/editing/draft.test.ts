import { describe, expect, it } from 'vitest'
import { conflictsOf, type Edits, keepMine, noEdits, withEdit, withoutSaved } from './draft.ts'

type Thing = Readonly<{
  title: string
  hints: readonly string[]
}>

const stored: Thing = { title: 'Gate', hints: ['one'] }
const edited: Edits<Thing> = withEdit(noEdits, stored, { title: 'Harbour gate' })

describe('input on top of what is stored', () => {
  it('is no change any more once it is typed back', () => {
    expect(withEdit(edited, stored, { title: 'Gate' })).toEqual(noEdits)
    expect(withEdit(noEdits, stored, { hints: ['one'] })).toEqual(noEdits)
  })

  it('meets no conflict while others change other fields', () => {
    expect(conflictsOf(edited, { ...stored, hints: ['one', 'two'] })).toEqual([])
  })

  it('meets a conflict when somebody else changes the same field', () => {
    expect(conflictsOf(edited, { ...stored, title: 'Gate 2' })).toEqual(['title'])
  })

  it('meets none when both typed the same', () => {
    expect(conflictsOf(edited, { ...stored, title: 'Harbour gate' })).toEqual([])
  })

  it('knows the others’ change once it was told to replace it, until there is another', () => {
    const kept = keepMine(edited, { ...stored, title: 'Gate 2' })
    expect(conflictsOf(kept, { ...stored, title: 'Gate 2' })).toEqual([])
    expect(conflictsOf(kept, { ...stored, title: 'Gate 3' })).toEqual(['title'])
  })

  it('keeps what was typed while it was being saved', () => {
    const more = withEdit(edited, stored, { hints: ['one', 'two'] })
    expect(withoutSaved(more, { title: 'Harbour gate' }).changes).toEqual({ hints: ['one', 'two'] })
  })
})
