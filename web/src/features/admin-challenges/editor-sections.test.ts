import { expect, it } from 'vitest'
import { listEditorSections, listSectionsWithFields } from './editor-sections.ts'

it('each challenge type has the right editor sections', () => {
  expect(listEditorSections('StaticAttachment')).toEqual(['about', 'hints', 'flags', 'files', 'score', 'rules', 'upkeep'])
  expect(listEditorSections('DynamicAttachment')).toEqual(['about', 'hints', 'flags', 'score', 'rules', 'upkeep'])
  expect(listEditorSections('DynamicContainer')).toEqual([
    'about',
    'hints',
    'flags',
    'files',
    'container',
    'score',
    'rules',
    'upkeep',
  ])
})

it('the editor opens the sections that contain the given fields', () => {
  expect([...listSectionsWithFields(['containers', 'title', 'description'])]).toEqual(['container', 'about'])
  expect([...listSectionsWithFields([])]).toEqual([])
})
