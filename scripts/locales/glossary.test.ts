import { expect, test } from 'vitest'
import { findGlossaryFaults } from './glossary.ts'

test('a word that the glossary replaces is reported, in every form and place', () => {
  expect(findGlossaryFaults('en-US', 'instances:title', 'Your Containers')).toEqual([
    '"Your Containers" has "container", the glossary says "instance"',
  ])
  expect(findGlossaryFaults('de-DE', 'admin-challenges:card.test', 'Testcontainer der Herausforderung')).toHaveLength(2)
  expect(findGlossaryFaults('ru-RU', 'server:problems.instance.none', 'Ни один контейнер не запущен')).toHaveLength(1)
  expect(findGlossaryFaults('zh-CN', 'server:mails.ignore', '请确认您的邮箱')).toHaveLength(1)
})

test('words of the glossary and placeholders are accepted', () => {
  expect(findGlossaryFaults('en-US', 'instances:title', 'Your instances')).toEqual([])
  expect(findGlossaryFaults('fr-FR', 'notices:text.blood', '<who>{{team}}</who> a résolu <what>{{challenge}}</what>')).toEqual([])
  expect(findGlossaryFaults('de-DE', 'account:recovery.sentText', 'Link an {{email}} geschickt')).toEqual([])
})

test('a French text must use the spaces and apostrophes of French', () => {
  expect(findGlossaryFaults('fr-FR', 'common:copy.failed', "L'image : prête ?")).toHaveLength(3)
  expect(findGlossaryFaults('fr-FR', 'common:copy.failed', 'L’image\u00a0: prête\u202f?')).toEqual([])
})

test('only some texts, such as the hint about the container image, may contain the word "container"', () => {
  const text = 'A container image with its tag.'
  expect(findGlossaryFaults('en-US', 'admin-challenges:hint.image', text)).toEqual([])
  expect(findGlossaryFaults('en-US', 'admin-challenges:test.idle', 'Test container is not running')).toEqual([])
  expect(findGlossaryFaults('en-US', 'admin-challenges:test.start', text)).toHaveLength(1)
  expect(findGlossaryFaults('en-US', 'admin-challenges:hint.image', 'The colour of the container image')).toHaveLength(1)
})
