import type { QuestionWrite } from '@capstan/contract/questions'
import { describe, expect, test } from 'vitest'
import { aQuestion } from '../../testing/questions.ts'
import { mergeQuestions } from './policy.ts'

const none: ReadonlySet<string> = new Set()
function counter() {
  let count = 0
  return () => `new-${++count}`
}
function write(values: Partial<QuestionWrite> = {}): QuestionWrite {
  return { scope: 'Member', kind: 'ShortText', title: 'Diet', ...values }
}

describe('a list of questions', () => {
  test('a list gives ids to new questions, trims texts, and retains options only for questions with a choice', () => {
    const list = [
      write({ title: ' Diet ', options: ['ignored'] }),
      write({ kind: 'Choice', title: 'Size', options: [' S ', 'M', 'S'], required: true }),
    ]
    expect(mergeQuestions(list, { stored: [], answered: none, newId: counter() })).toEqual([
      aQuestion({ id: 'new-1', title: 'Diet' }),
      aQuestion({ id: 'new-2', kind: 'Choice', title: 'Size', options: ['S', 'M'], required: true }),
    ])
  })

  test('an edited question is matched to a stored question by id, or else by scope, kind and title', () => {
    const stored = [aQuestion({ id: 'a', title: 'Diet' }), aQuestion({ id: 'b', title: 'Size' })]
    const list = [write({ title: 'Size', help: 'For the shirt' }), write({ id: 'a', title: 'Food' })]
    expect(mergeQuestions(list, { stored, answered: none, newId: counter() })).toMatchObject([
      { id: 'b', title: 'Size', help: 'For the shirt' },
      { id: 'a', title: 'Food' },
    ])
  })

  test('a removed question with answers is archived, and a removed question without answers is deleted', () => {
    const stored = [
      aQuestion({ id: 'a', title: 'Old' }),
      aQuestion({ id: 'b', title: 'Gone' }),
      aQuestion({ id: 'c', title: 'Diet' }),
    ]
    const merged = mergeQuestions([write()], { stored, answered: new Set(['a']), newId: counter() })
    expect(merged).toMatchObject([
      { id: 'c', archived: false },
      { id: 'a', archived: true },
    ])
  })

  test('a list restores the archived questions that it contains, and sorts archived questions last', () => {
    const stored = [aQuestion({ id: 'a', title: 'Old', archived: true })]
    const list = [write({ id: 'b', archived: true }), write({ id: 'a', title: 'Old', archived: false })]
    expect(mergeQuestions(list, { stored, answered: none, newId: counter() })).toMatchObject([
      { id: 'a', archived: false },
      { id: 'b', archived: true },
    ])
  })

  const size = (options: string[]) => write({ kind: 'Choice', title: 'Size', options })
  test.each<[string, QuestionWrite[]]>([
    ['two questions of a scope with one title', [write(), write({ kind: 'LongText' })]],
    ['a blank title', [write({ title: ' ' })]],
    ['a choice with one distinct option', [size(['S', ' S '])]],
    ['two questions with one id', [write({ id: 'a' }), write({ id: 'a', title: 'Other' })]],
  ])('a list of questions is refused with %s', (_name, list) => {
    expect(mergeQuestions(list, { stored: [], answered: none, newId: counter() })).toBe('game.questions')
  })

  test('a list is refused if listed and archived questions together exceed the maximum number', () => {
    const stored = Array.from({ length: 50 }, (_, index) => aQuestion({ id: `id-${index}`, title: `Question ${index}` }))
    const answered = new Set(stored.map(({ id }) => id))
    expect(mergeQuestions([write()], { stored, answered, newId: counter() })).toBe('game.questions')
  })

  test.each<[string, Partial<QuestionWrite>]>([
    ['kind', { kind: 'LongText' }],
    ['scope', { scope: 'Team' }],
  ])('cannot change the %s of a question with answers', (_name, change) => {
    const stored = [aQuestion({ id: 'a', title: 'Diet' })]
    const list = [write({ id: 'a', ...change })]
    expect(mergeQuestions(list, { stored, answered: new Set(['a']), newId: counter() })).toBe('question.answered')
    expect(mergeQuestions(list, { stored, answered: none, newId: counter() })).toMatchObject([change])
  })
})
