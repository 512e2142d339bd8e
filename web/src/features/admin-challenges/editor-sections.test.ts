import { expect, it } from 'vitest'
import { sectionsOf, sectionsWith } from './editor-sections.ts'

it('each type has the sections that it needs', () => {
  expect(sectionsOf('StaticAttachment')).toEqual(['about', 'hints', 'flags', 'files', 'score', 'upkeep'])
  expect(sectionsOf('DynamicAttachment')).toEqual(['about', 'hints', 'flags', 'score', 'upkeep'])
  expect(sectionsOf('DynamicContainer')).toEqual(['about', 'hints', 'flags', 'files', 'container', 'score', 'upkeep'])
})

it('a field leads to its section', () => {
  expect([...sectionsWith(['cpuCount', 'title', 'memoryLimit'])]).toEqual(['container', 'about'])
  expect([...sectionsWith([])]).toEqual([])
})
