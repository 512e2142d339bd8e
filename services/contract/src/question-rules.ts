// Rules for answers to the questions of a registration, for server and web. See docs/contract/games-and-joining.md#questions.
import { Limits } from './limits.ts'
import type { ProblemCode } from './problems.ts'
import type { Question } from './questions.ts'

/** Value of an answer that gives the consent of the user. */
export const consentGiven = 'yes'

export function isChoiceQuestion({ kind }: Pick<Question, 'kind'>): boolean {
  return kind === 'Choice' || kind === 'Choices'
}

/** Trims the values of an answer, and removes empty and repeated values. */
export function normalizeAnswerValues(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))]
}

/** True if the values are a valid answer for the kind of the question. An empty list is valid for every kind. */
function fits({ kind, options }: Pick<Question, 'kind' | 'options'>, values: readonly string[]): boolean {
  const [first = ''] = values
  switch (kind) {
    case 'ShortText':
      return values.length <= 1 && [...first].length <= Limits.maxShortAnswerLength && !/[\r\n]/.test(first)
    case 'LongText':
      return values.length <= 1 && [...first].length <= Limits.maxLongAnswerLength
    case 'Choice':
      return values.length <= 1 && values.every((value) => options.includes(value))
    case 'Choices':
      return values.every((value) => options.includes(value))
    case 'Consent':
      return values.length <= 1 && values.every((value) => value === consentGiven)
    case 'File':
      return values.length === 0
  }
}

/**
 * Checks the answer to a question.
 * @param values result of `normalizeAnswerValues`
 * @returns `answer.invalid` if the answer does not fit the question, `answer.required` if a required answer is empty
 */
export function refuseQuestionAnswer(
  question: Pick<Question, 'kind' | 'options' | 'required'>,
  { values, hasFile }: Readonly<{ values: readonly string[]; hasFile: boolean }>,
): Extract<ProblemCode, 'answer.invalid' | 'answer.required'> | undefined {
  if (!fits(question, values) || (hasFile && question.kind !== 'File')) return 'answer.invalid'
  return question.required && values.length === 0 && !hasFile ? 'answer.required' : undefined
}

type Required = Pick<Question, 'id' | 'scope' | 'required'>

/** Returns the required questions without an answer. @param answered the ids of the answered questions */
export function listUnansweredQuestions<Each extends Required>(
  questions: readonly Each[],
  answered: ReadonlySet<string>,
): Each[] {
  return questions.filter(({ id, required }) => required && !answered.has(id))
}

/**
 * True if the caller may answer the question. Each member answers questions for members, and only the captain answers questions
 * for the team.
 */
export function canCallerAnswer({ scope }: Pick<Question, 'scope'>, isCaptain: boolean): boolean {
  return scope === 'Member' || isCaptain
}
