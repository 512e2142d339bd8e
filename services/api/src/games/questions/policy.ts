import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import { isChoiceQuestion, normalizeAnswerValues } from '@capstan/contract/question-rules'
import type { EditedQuestion, QuestionWrite } from '@capstan/contract/questions'

type Merge = Readonly<{
  stored: readonly EditedQuestion[]
  /** Ids of questions that have answers. */
  answered: ReadonlySet<string>
  newId: () => string
}>

function isSameQuestion(question: EditedQuestion, write: QuestionWrite): boolean {
  return question.scope === write.scope && question.kind === write.kind && question.title === write.title.trim()
}

/**
 * Finds the stored question that each entry changes. An entry with an id changes the question with this id. An entry without an
 * id changes the question with the same scope, kind and title.
 */
function storedOf(list: readonly QuestionWrite[], stored: readonly EditedQuestion[]) {
  const taken = new Set(list.flatMap(({ id }) => id ?? []))
  return list.map((write) => {
    if (write.id != null) return stored.find(({ id }) => id === write.id)
    const found = stored.find((question) => !taken.has(question.id) && isSameQuestion(question, write))
    if (found) taken.add(found.id)
    return found
  })
}

function isValid(questions: readonly EditedQuestion[]): boolean {
  const active = questions.filter(({ archived }) => !archived)
  return (
    questions.length <= Limits.maxQuestions &&
    new Set(questions.map(({ id }) => id)).size === questions.length &&
    new Set(active.map(({ scope, title }) => `${scope} ${title}`)).size === active.length &&
    active.every((question) => question.title !== '' && (!isChoiceQuestion(question) || question.options.length >= 2))
  )
}

/**
 * Returns the questions of a game after an edit that replaces them by `list`. Archived questions are last. If a stored question
 * is not in `list` but has answers, the question is archived.
 * @returns a problem code if the list is invalid, or if it changes the form of an answered question
 */
export function mergeQuestions(
  list: readonly QuestionWrite[],
  { stored, answered, newId }: Merge,
): EditedQuestion[] | Extract<ProblemCode, 'game.questions' | 'question.answered'> {
  const matches = storedOf(list, stored)
  const written = list.map(({ id, scope, kind, title, help = '', required = false, options = [], archived = false }, index) => ({
    id: matches[index]?.id ?? id ?? newId(),
    scope,
    kind,
    title: title.trim(),
    help: help.trim(),
    required,
    options: isChoiceQuestion({ kind }) ? normalizeAnswerValues(options) : [],
    archived,
  }))
  const ids = new Set(written.map(({ id }) => id))
  const left = stored.filter(({ id }) => !ids.has(id) && answered.has(id)).map((question) => ({ ...question, archived: true }))
  const questions = [...written, ...left]
  if (!isValid(questions)) return 'game.questions'
  const hasNewForm = written.some(({ id, scope, kind }, index) => {
    const before = matches[index]
    return before !== undefined && answered.has(id) && (before.scope !== scope || before.kind !== kind)
  })
  if (hasNewForm) return 'question.answered'
  return [...questions.filter(({ archived }) => !archived), ...questions.filter(({ archived }) => archived)]
}

export function listActiveQuestions(questions: readonly EditedQuestion[]): EditedQuestion[] {
  return questions.filter(({ archived }) => !archived)
}
