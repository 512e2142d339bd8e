import type { EditedQuestion } from '@capstan/contract/questions'
import { describe, expect, it } from 'vitest'
import { addQuestion, areQuestionsInvalid, moveQuestion, removeBlankOptions, restoreQuestion } from './question-form.ts'

function question(id: string, values: Partial<EditedQuestion> = {}): EditedQuestion {
  return {
    ...{ id, scope: 'Member', kind: 'ShortText', title: id, help: '', required: false, options: [], archived: false },
    ...values,
  } as EditedQuestion
}
function idsOf(questions: readonly EditedQuestion[]) {
  return questions.map(({ id }) => id)
}

describe('the list of questions', () => {
  const list = [question('a'), question('b'), question('c', { archived: true })]

  it('a new question is added before the archived ones', () => {
    expect(idsOf(addQuestion(list, 'd'))).toEqual(['a', 'b', 'd', 'c'])
  })

  it('a question moves by one position, but not beyond the first or last active question', () => {
    expect(idsOf(moveQuestion(list, 'a', 1))).toEqual(['b', 'a', 'c'])
    expect(idsOf(moveQuestion(list, 'b', -1))).toEqual(['b', 'a', 'c'])
    expect(idsOf(moveQuestion(list, 'a', -1))).toEqual(['a', 'b', 'c'])
    expect(idsOf(moveQuestion(list, 'b', 1))).toEqual(['a', 'b', 'c'])
  })

  it('an archived question can be restored', () => {
    expect(restoreQuestion(list, 'c')[2]).toMatchObject({ id: 'c', archived: false })
  })

  it('the form rejects questions with a blank or repeated title, or with only one option', () => {
    expect(areQuestionsInvalid(list)).toBe(false)
    expect(areQuestionsInvalid([question('a', { title: ' ' })])).toBe(true)
    expect(areQuestionsInvalid([question('a'), question('b', { title: 'a' })])).toBe(true)
    expect(areQuestionsInvalid([question('a'), question('b', { title: 'a', scope: 'Team' })])).toBe(false)
    expect(areQuestionsInvalid([question('a', { kind: 'Choice', options: ['S', ''] })])).toBe(true)
  })

  it('the form drops blank options when it saves questions', () => {
    const saved = removeBlankOptions([
      question('a', { kind: 'Choices', options: ['S', '', ' M '] }),
      question('b', { options: ['x'] }),
    ])
    expect(saved.map(({ options }) => options)).toEqual([['S', 'M'], []])
  })
})
