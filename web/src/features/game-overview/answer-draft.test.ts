import type { Question } from '@capstan/contract/questions'
import { expect, it } from 'vitest'
import { findAnswerFaults, listChangedAnswers, toAnswerDraft } from './answer-draft.ts'

const size: Question = {
  ...{ id: 'size', scope: 'Member', kind: 'Choice', title: 'Size', help: '' },
  ...{ required: true, options: ['S', 'M'] },
}
const logo: Question = {
  ...{ id: 'logo', scope: 'Team', kind: 'File', title: 'Logo', help: '' },
  ...{ required: false, options: [] },
}
const consent: Question = {
  ...{ id: 'consent', scope: 'Member', kind: 'Consent', title: 'I accept the rules', help: '' },
  ...{ required: true, options: [] },
}

it('the check reports required questions without an answer, and invalid answers', () => {
  expect(findAnswerFaults([size, logo], {})).toEqual({ size: 'required' })
  expect(findAnswerFaults([consent], { consent: { values: ['perhaps'], file: null } })).toEqual({ consent: 'invalid' })
  expect(findAnswerFaults([size], { size: { values: ['S'], file: null } })).toEqual({})
})

it('the check ignores a removed option, so that its question counts as unanswered', () => {
  const draft = toAnswerDraft([{ questionId: 'size', values: ['XL'], file: null }])
  expect(findAnswerFaults([size], draft)).toEqual({ size: 'required' })
})

it('the request omits questions without an answer, and options that an organizer removed', () => {
  const file = { id: 'file', name: 'logo.svg', sizeBytes: 3 }
  expect(listChangedAnswers([size, logo], {})).toEqual([])
  expect(listChangedAnswers([size, logo], { logo: { values: [], file } })).toEqual([
    { questionId: 'logo', values: [], fileId: 'file' },
  ])
  expect(listChangedAnswers([{ ...size, kind: 'Choices' }, logo], { size: { values: ['XL', 'S'], file: null } })).toEqual([
    { questionId: 'size', values: ['S'], fileId: null },
  ])
})
