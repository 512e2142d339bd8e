import { isChoiceQuestion, normalizeAnswerValues } from '@capstan/contract/question-rules'
import type { EditedQuestion, QuestionWrite } from '@capstan/contract/questions'

/** Returns the active questions, and then the archived questions. */
function inOrder(questions: readonly EditedQuestion[]): EditedQuestion[] {
  return [...questions.filter(({ archived }) => !archived), ...questions.filter(({ archived }) => archived)]
}

export function addQuestion(questions: readonly EditedQuestion[], id: string): EditedQuestion[] {
  const added: EditedQuestion = {
    ...{ id, scope: 'Member', kind: 'ShortText', title: '', help: '' },
    ...{ required: false, options: [], archived: false },
  }
  return inOrder([...questions, added])
}

/** Swaps an active question with the next or the previous one. */
export function moveQuestion(questions: readonly EditedQuestion[], id: string, by: 1 | -1): EditedQuestion[] {
  const moved = inOrder(questions)
  const from = moved.findIndex((question) => question.id === id)
  const [question, other] = [moved[from], moved[from + by]]
  if (!question || !other || other.archived) return moved
  moved[from] = other
  moved[from + by] = question
  return moved
}

export function restoreQuestion(questions: readonly EditedQuestion[], id: string): EditedQuestion[] {
  return inOrder(questions.map((question) => (question.id === id ? { ...question, archived: false } : question)))
}

/** True if the server would refuse the questions. */
export function areQuestionsInvalid(questions: readonly EditedQuestion[]): boolean {
  const active = questions.filter(({ archived }) => !archived)
  const names = new Set(active.map(({ scope, title }) => `${scope} ${title.trim()}`))
  return (
    names.size < active.length ||
    active.some(
      (question) =>
        question.title.trim() === '' || (isChoiceQuestion(question) && normalizeAnswerValues(question.options).length < 2),
    )
  )
}

/** Returns the questions to save. Drops blank options. */
export function removeBlankOptions(questions: readonly EditedQuestion[]): QuestionWrite[] {
  return questions.map((question) => ({
    ...question,
    options: isChoiceQuestion(question) ? normalizeAnswerValues(question.options) : [],
  }))
}
