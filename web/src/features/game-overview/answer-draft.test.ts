import type { Question } from '@capstan/contract/questions'
import { expect, it } from 'vitest'
import { answerFaults, answersToSend, draftOf } from './answer-draft.ts'

const size: Question = {
  ...{ id: 'size', scope: 'Member', kind: 'Choice', title: 'Size', help: '' },
  ...{ required: true, options: ['S', 'M'] },
}
const logo: Question = {
  ...{ id: 'logo', scope: 'Team', kind: 'File', title: 'Logo', help: '' },
  ...{ required: false, options: [] },
}

it('names required questions without an answer, and answers that do not fit', () => {
  expect(answerFaults([size, logo], {})).toEqual({ size: 'required' })
  expect(answerFaults([size], { size: { values: ['XL'], file: null } })).toEqual({ size: 'invalid' })
  expect(answerFaults([size], { size: { values: ['S'], file: null } })).toEqual({})
})

it('sends an answer to each question, without removed options', () => {
  const file = { id: 'file', name: 'logo.svg', sizeBytes: 3 }
  const draft = draftOf([
    { questionId: 'size', values: ['XL'], file: null },
    { questionId: 'logo', values: [], file },
  ])
  expect(answersToSend([size, logo], draft)).toEqual([
    { questionId: 'size', values: [], fileId: null },
    { questionId: 'logo', values: [], fileId: 'file' },
  ])
})
