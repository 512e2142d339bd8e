import { expect, it } from 'vitest'
import { sectionsOf, sectionsWith } from './editor-sections.ts'

it('each challenge type has the right editor sections', () => {
  expect(sectionsOf('StaticAttachment')).toEqual(['about', 'hints', 'flags', 'files', 'score', 'rules', 'upkeep'])
  expect(sectionsOf('DynamicAttachment')).toEqual(['about', 'hints', 'flags', 'score', 'rules', 'upkeep'])
  expect(sectionsOf('DynamicContainer')).toEqual(['about', 'hints', 'flags', 'files', 'container', 'score', 'rules', 'upkeep'])
})

it('the editor opens the sections that contain the given fields', () => {
  expect([...sectionsWith(['containers', 'title', 'description'])]).toEqual(['container', 'about'])
  expect([...sectionsWith([])]).toEqual([])
})
