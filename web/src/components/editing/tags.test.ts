import { describe, expect, it } from 'vitest'
import { withTags } from './tags.ts'

const limits = { most: 3, longest: 6 }

describe('typing tags', () => {
  it('takes several at once, without spaces around them and without #', () => {
    expect(withTags(['game'], ' #rules , prizes,, ', limits)).toEqual(['game', 'rules', 'prizes'])
  })

  it('takes none twice, whatever the letter case', () => {
    expect(withTags(['Game'], 'game, GAME', limits)).toEqual(['Game'])
  })

  it('takes no more than there may be, each as long as it may be', () => {
    expect(withTags(['game'], 'questions;rules,prizes', limits)).toEqual(['game', 'questi', 'rules'])
  })
})
