// Stored answers to the questions of registrations. Rules: docs/contract/games-and-joining.md#questions.
import { Problem } from '@capstan/contract/problems'
import {
  canCallerAnswer,
  listUnansweredQuestions,
  normalizeAnswerValues,
  refuseQuestionAnswer,
} from '@capstan/contract/question-rules'
import type { AnswerWrite, EditedQuestion } from '@capstan/contract/questions'
import type { Executor } from '@capstan/db/client'
import { listActiveQuestions } from './policy.ts'
import { createQuestionRepository, type StoredAnswer } from './repository.ts'

type AskingGame = Readonly<{
  id: number
  questions: readonly EditedQuestion[]
}>

/** User who answers questions, and the participation of this user. */
export type Answering = Readonly<{
  userId: string
  participationId: number
  isCaptain: boolean
}>

/** Returns the ids of the questions that the team or a member has answered. */
function answeredBy(answers: readonly Pick<StoredAnswer, 'userId' | 'questionId'>[], userId: string | null): Set<string> {
  return new Set(answers.filter((answer) => answer.userId === userId).map(({ questionId }) => questionId))
}

/** Returns the required questions that a team has not answered. */
export function listQuestionsUnansweredByTeam(
  questions: readonly EditedQuestion[],
  answers: readonly Pick<StoredAnswer, 'userId' | 'questionId'>[],
): EditedQuestion[] {
  const asked = listActiveQuestions(questions).filter(({ scope }) => scope === 'Team')
  return listUnansweredQuestions(asked, answeredBy(answers, null))
}

/** Returns the required questions that a member has not answered. */
export function listQuestionsUnansweredByMember(
  questions: readonly EditedQuestion[],
  answers: readonly Pick<StoredAnswer, 'userId' | 'questionId'>[],
  userId: string,
): EditedQuestion[] {
  const asked = listActiveQuestions(questions).filter(({ scope }) => scope === 'Member')
  return listUnansweredQuestions(asked, answeredBy(answers, userId))
}

/** Returns the required questions that the caller has to answer. */
export function listQuestionsUnansweredByCaller(
  questions: readonly EditedQuestion[],
  answers: readonly StoredAnswer[],
  { userId, isCaptain }: Pick<Answering, 'userId' | 'isCaptain'>,
): EditedQuestion[] {
  return [
    ...(isCaptain ? listQuestionsUnansweredByTeam(questions, answers) : []),
    ...listQuestionsUnansweredByMember(questions, answers, userId),
  ]
}

/** Counts the required questions that the caller has to answer. */
export async function countUnansweredQuestions(
  executor: Executor,
  { questions }: AskingGame,
  caller: Answering,
): Promise<number> {
  if (!listActiveQuestions(questions).some(({ required }) => required)) return 0
  return listQuestionsUnansweredByCaller(
    questions,
    await createQuestionRepository(executor).listAnswers(caller.participationId),
    caller,
  ).length
}

function named(code: 'answer.required' | 'answer.invalid', { title }: EditedQuestion): Problem {
  return new Problem(code, { text: { code: `${code}.of`, values: { question: title } } })
}

/** @throws Problem with the first required question without an answer */
export function refuseMissingAnswers([first]: readonly EditedQuestion[]): void {
  if (first) throw named('answer.required', first)
}

function isEqual(before: StoredAnswer | undefined, values: readonly string[], fileId: string | null): boolean {
  const known = before?.values ?? []
  return (
    known.length === values.length &&
    known.every((value, index) => value === values[index]) &&
    (before?.file?.id ?? null) === fileId
  )
}

type Change = Readonly<{
  question: EditedQuestion
  values: readonly string[]
  fileId: string | null
  isAnswered: boolean
}>

/** Checks an answer, and returns the change to store. @returns undefined if the answer equals the stored answer */
function changeOf(
  { questionId, values: given = [], fileId: givenFile }: AnswerWrite,
  { questions }: AskingGame,
  stored: readonly StoredAnswer[],
  { userId, isCaptain }: Answering,
): Change | undefined {
  const question = listActiveQuestions(questions).find(({ id }) => id === questionId)
  if (!question) throw new Problem('question.unknown')
  if (!canCallerAnswer(question, isCaptain)) throw new Problem('answer.captain')
  const owner = question.scope === 'Team' ? null : userId
  const before = stored.find((answer) => answer.questionId === questionId && answer.userId === owner)
  const [values, fileId] = [normalizeAnswerValues(given), givenFile ?? null]
  if (isEqual(before, values, fileId)) return undefined
  const refusal = refuseQuestionAnswer(question, { values, hasFile: fileId !== null })
  if (refusal) throw named(refusal, question)
  return { question, values, fileId, isAnswered: before !== undefined }
}

/**
 * Stores answers of a user in the caller's transaction. The caller has locked the participation. Unchanged answers are skipped.
 * @param isOpen true if existing answers may be changed
 * @returns all answers of the participation
 * @throws Problem `question.unknown`, `answer.*`
 */
export async function storeAnswers(
  executor: Executor,
  game: AskingGame,
  caller: Answering,
  writes: readonly AnswerWrite[],
  { now, isOpen }: Readonly<{ now: Date; isOpen: boolean }>,
): Promise<StoredAnswer[]> {
  const repository = createQuestionRepository(executor)
  const { participationId, userId } = caller
  const stored = await repository.listAnswers(participationId)
  const latest = new Map(writes.map((write) => [write.questionId, write]))
  const changes = [...latest.values()].flatMap((write) => changeOf(write, game, stored, caller) ?? [])
  if (!isOpen && changes.some(({ isAnswered }) => isAnswered)) throw new Problem('answer.closed')
  const idsOf = (scope: EditedQuestion['scope']) =>
    changes.filter(({ question }) => question.scope === scope).map(({ question }) => question.id)
  await repository.deleteAnswers(participationId, null, idsOf('Team'))
  await repository.deleteAnswers(participationId, userId, idsOf('Member'))
  for (const { question, values, fileId } of changes) {
    if (values.length === 0 && fileId === null) continue
    const answerId = await repository.insertAnswer({
      gameId: game.id,
      participationId,
      userId: question.scope === 'Team' ? null : userId,
      questionId: question.id,
      values: [...values],
      answeredAt: now,
    })
    if (fileId !== null && !(await repository.assignFile(answerId, { id: fileId, gameId: game.id, uploaderId: userId })))
      throw new Problem('answer.file')
  }
  return repository.listAnswers(participationId)
}

/** Counts, for each participation, the required answers that the team and its members have not given. */
export async function countUnansweredQuestionsByTeam(
  executor: Executor,
  { id, questions }: AskingGame,
  members: ReadonlyMap<number, readonly string[]>,
): Promise<Map<number, number>> {
  if (!listActiveQuestions(questions).some(({ required }) => required)) return new Map()
  const answers = Map.groupBy(await createQuestionRepository(executor).listAnswered(id), ({ participationId }) => participationId)
  return new Map(
    [...members].map(([participationId, userIds]) => {
      const given = answers.get(participationId) ?? []
      const ofMembers = userIds.map((userId) => listQuestionsUnansweredByMember(questions, given, userId).length)
      return [
        participationId,
        ofMembers.reduce((sum, count) => sum + count, listQuestionsUnansweredByTeam(questions, given).length),
      ]
    }),
  )
}
