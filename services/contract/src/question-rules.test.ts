import { describe, expect, test } from 'vitest'
import { Limits } from './limits.ts'
import { canCallerAnswer, listUnansweredQuestions, normalizeAnswerValues, refuseQuestionAnswer } from './question-rules.ts'
import type { Question } from './questions.ts'

type Case = readonly [kind: Question['kind'], values: readonly string[], hasFile: boolean, refusal: string | undefined]

const long = 'x'.repeat(Limits.maxLongAnswerLength)
const cases: readonly Case[] = [
  ['ShortText', ['Ada'], false, undefined],
  ['ShortText', ['😀'.repeat(Limits.maxShortAnswerLength)], false, undefined],
  ['ShortText', ['x'.repeat(Limits.maxShortAnswerLength + 1)], false, 'answer.invalid'],
  ['ShortText', ['two\nlines'], false, 'answer.invalid'],
  ['ShortText', ['one', 'two'], false, 'answer.invalid'],
  ['ShortText', ['Ada'], true, 'answer.invalid'],
  ['ShortText', [], false, 'answer.required'],
  ['LongText', ['two\nlines'], false, undefined],
  ['LongText', [long], false, undefined],
  ['LongText', [`${long}x`], false, 'answer.invalid'],
  ['Choice', ['S'], false, undefined],
  ['Choice', ['S', 'M'], false, 'answer.invalid'],
  ['Choice', ['XL'], false, 'answer.invalid'],
  ['Choices', ['M', 'S'], false, undefined],
  ['Choices', ['M', 'XL'], false, 'answer.invalid'],
  ['Choices', [], false, 'answer.required'],
  ['Consent', ['yes'], false, undefined],
  ['Consent', ['no'], false, 'answer.invalid'],
  ['Consent', [], false, 'answer.required'],
  ['File', [], true, undefined],
  ['File', ['name.pdf'], true, 'answer.invalid'],
  ['File', [], false, 'answer.required'],
]

test.each(cases)(
  'the check of an answer of the kind %s with the values %j and a file (%s) returns %s',
  (kind, values, hasFile, refusal) => {
    expect(refuseQuestionAnswer({ kind, options: ['S', 'M'], required: true }, { values, hasFile })).toBe(refusal)
  },
)

test('an empty answer to an optional question is accepted', () => {
  expect(
    refuseQuestionAnswer({ kind: 'Choice', options: ['S'], required: false }, { values: [], hasFile: false }),
  ).toBeUndefined()
})

test('the values of an answer are trimmed, and empty and repeated values are removed', () => {
  expect(normalizeAnswerValues([' a ', '', '  ', 'b', 'a'])).toEqual(['a', 'b'])
})

describe('questions of a registration', () => {
  const questions = [
    { id: 'a', scope: 'Team', required: true },
    { id: 'b', scope: 'Member', required: true },
    { id: 'c', scope: 'Member', required: false },
  ] as const

  test('required questions without an answer are reported as unanswered', () => {
    expect(listUnansweredQuestions(questions, new Set(['a'])).map(({ id }) => id)).toEqual(['b'])
  })

  test('each member can answer questions for members, and only the captain can answer questions for the team', () => {
    expect(questions.filter((question) => canCallerAnswer(question, false)).map(({ id }) => id)).toEqual(['b', 'c'])
    expect(questions.filter((question) => canCallerAnswer(question, true))).toHaveLength(3)
  })
})
