import { describe, expect, it } from 'vitest'
import { mergeTags } from './tags.ts'

const limits = { most: 3, longest: 6 }

describe('parsing tags from typed text', () => {
  it('parsing adds several tags at once, and removes surrounding spaces and a leading #', () => {
    expect(mergeTags(['game'], ' #rules , prizes,, ', limits)).toEqual(['game', 'rules', 'prizes'])
  })

  it('parsing adds a tag only once, regardless of case', () => {
    expect(mergeTags(['Game'], 'game, GAME', limits)).toEqual(['Game'])
  })

  it('parsing enforces the maximum number and length of tags', () => {
    expect(mergeTags(['game'], 'questions;rules,prizes', limits)).toEqual(['game', 'questi', 'rules'])
  })
})
