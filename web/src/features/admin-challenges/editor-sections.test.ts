import { expect, it } from 'vitest'
import { sectionsOf, sectionsWith } from './editor-sections.ts'

it('returns the editor sections of each challenge type', () => {
  expect(sectionsOf('StaticAttachment')).toEqual(['about', 'hints', 'flags', 'files', 'score', 'rules', 'upkeep'])
  expect(sectionsOf('DynamicAttachment')).toEqual(['about', 'hints', 'flags', 'score', 'rules', 'upkeep'])
  expect(sectionsOf('DynamicContainer')).toEqual(['about', 'hints', 'flags', 'files', 'container', 'score', 'rules', 'upkeep'])
})

it('returns the editor section that contains a field', () => {
  expect([...sectionsWith(['containers', 'title', 'description'])]).toEqual(['container', 'about'])
  expect([...sectionsWith([])]).toEqual([])
})
