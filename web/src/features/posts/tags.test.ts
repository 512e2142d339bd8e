import { describe, expect, it } from 'vitest'
import { countTags, filterPostsByTag } from './tags.ts'

const posts = [{ tags: ['game', 'demo'] }, { tags: null }, { tags: ['game'] }, { tags: ['about'] }]

describe('the tags of posts', () => {
  it('the list contains tags by frequency, then by name', () => {
    expect(countTags(posts)).toEqual([
      { tag: 'game', count: 2 },
      { tag: 'about', count: 1 },
      { tag: 'demo', count: 1 },
    ])
  })

  it('the list shows the posts with the selected tag, or all posts if no tag is selected', () => {
    expect(filterPostsByTag(posts, 'game')).toEqual([posts[0], posts[2]])
    expect(filterPostsByTag(posts, null)).toBe(posts)
  })
})
