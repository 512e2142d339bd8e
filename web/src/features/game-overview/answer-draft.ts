import { isChoice, plainValues, refuseAnswer } from '@capstan/contract/question-rules'
import type { Answer, AnswerFile, AnswerWrite, Question } from '@capstan/contract/questions'

/** Answer as typed. */
export type TypedAnswer = Readonly<{
  values: readonly string[]
  file: AnswerFile | null
}>

/** Typed answers by the id of the question. */
export type AnswerDraft = Readonly<Record<string, TypedAnswer>>

const noAnswer: TypedAnswer = { values: [], file: null }

export function draftOf(answers: readonly Answer[]): AnswerDraft {
  return Object.fromEntries(answers.map(({ questionId, values, file }) => [questionId, { values, file }]))
}

export function answerIn(draft: AnswerDraft, { id }: Question): TypedAnswer {
  return draft[id] ?? noAnswer
}

/** Returns the refusals of the answers by the id of the question. */
export function answerFaults(questions: readonly Question[], draft: AnswerDraft): Record<string, 'required' | 'invalid'> {
  return Object.fromEntries(
    questions.flatMap((question) => {
      const { values, file } = answerIn(draft, question)
      const refusal = refuseAnswer(question, { values: plainValues(values), hasFile: file !== null })
      return refusal ? [[question.id, refusal === 'answer.required' ? 'required' : 'invalid'] as const] : []
    }),
  )
}

/** Returns the answers to send. An option that an organizer has removed is left out. */
export function answersToSend(questions: readonly Question[], draft: AnswerDraft): AnswerWrite[] {
  return questions.map((question) => {
    const { values, file } = answerIn(draft, question)
    const known = isChoice(question) ? values.filter((value) => question.options.includes(value)) : values
    return { questionId: question.id, values: plainValues(known), fileId: file?.id ?? null }
  })
}
