import { isChoiceQuestion, normalizeAnswerValues, refuseQuestionAnswer } from '@capstan/contract/question-rules'
import type { Answer, AnswerFile, AnswerWrite, Question } from '@capstan/contract/questions'

export type TypedAnswer = Readonly<{
  values: readonly string[]
  file: AnswerFile | null
}>

/** Answers that the player has entered, by question id. */
export type AnswerDraft = Readonly<Record<string, TypedAnswer>>

const noAnswer: TypedAnswer = { values: [], file: null }

export function toAnswerDraft(answers: readonly Answer[]): AnswerDraft {
  return Object.fromEntries(answers.map(({ questionId, values, file }) => [questionId, { values, file }]))
}

export function typedAnswerOf(draft: AnswerDraft, { id }: Question): TypedAnswer {
  return draft[id] ?? noAnswer
}

/** Returns the values of an answer, without options that an organizer has removed. */
function knownValues(question: Question, { values }: TypedAnswer): string[] {
  return normalizeAnswerValues(isChoiceQuestion(question) ? values.filter((value) => question.options.includes(value)) : values)
}

/** Returns the reasons why answers are invalid, by the id of the question. */
export function findAnswerFaults(questions: readonly Question[], draft: AnswerDraft): Record<string, 'required' | 'invalid'> {
  return Object.fromEntries(
    questions.flatMap((question) => {
      const answer = typedAnswerOf(draft, question)
      const refusal = refuseQuestionAnswer(question, { values: knownValues(question, answer), hasFile: answer.file !== null })
      return refusal ? [[question.id, refusal === 'answer.required' ? 'required' : 'invalid'] as const] : []
    }),
  )
}

/**
 * Returns the entered answers that must be sent. Omits questions whose answers the player did not change, because the page may
 * not know the stored answers.
 */
export function listChangedAnswers(questions: readonly Question[], typed: AnswerDraft): AnswerWrite[] {
  return questions
    .filter(({ id }) => typed[id] !== undefined)
    .map((question) => {
      const answer = typedAnswerOf(typed, question)
      return { questionId: question.id, values: knownValues(question, answer), fileId: answer.file?.id ?? null }
    })
}
