// Questions of the registration for a game. Rules: docs/contract/games-and-joining.md#questions.
import type { Readable } from 'node:stream'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { Limits } from '@capstan/contract/limits'
import { refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { canCallerAnswer } from '@capstan/contract/question-rules'
import type { AnswerFile, AnswerWrite, EditedQuestion, RegistrationForm, TeamAnswers } from '@capstan/contract/questions'
import { registrationState } from '@capstan/contract/registration'
import { hasRole } from '@capstan/contract/roles'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { refuseJoinAtTime } from '../../rules/scoring/join.ts'
import { deleteUnreferencedFiles, openFile, storeFile } from '../../server/files/service.ts'
import type { UploadedFile } from '../../server/files/uploads.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { type GameRow, getGame, lockGameAgainstEdits, timesOfGame } from '../editing/service.ts'
import {
  listQuestionsUnansweredByCaller,
  listQuestionsUnansweredByMember,
  listQuestionsUnansweredByTeam,
  storeAnswers,
} from './answers.ts'
import { listActiveQuestions } from './policy.ts'
import { presentAnswer, presentForm } from './presenter.ts'
import { createQuestionRepository, type Respondent, type StoredAnswer } from './repository.ts'

const hourMs = 3_600_000

/** True if users can change answers that they have given. This is possible while teams may join. */
function isOpen(game: GameRow, now: Date): boolean {
  const window = { opens: game.registrationOpensAt?.getTime() ?? null, closes: game.registrationClosesAt?.getTime() ?? null }
  return refuseOutsidePhase('join', timesOfGame(game), now) === undefined && registrationState(window, now.getTime()) !== 'closed'
}

function formOf(
  game: GameRow,
  userId: string,
  respondent: Respondent | undefined,
  answers: readonly StoredAnswer[],
  now: Date,
): RegistrationForm {
  const isCaptain = respondent?.captainId === userId
  return presentForm({
    questions: listActiveQuestions(game.questions),
    answers: answers.filter((answer) => answer.userId === userId || (isCaptain && answer.userId === null)),
    missing: respondent ? listQuestionsUnansweredByCaller(game.questions, answers, { userId, isCaptain }) : [],
    isCaptain,
    isOpen: isOpen(game, now),
  })
}

/** @throws Problem `game.unknown` */
export async function getRegistrationForm(
  deps: Pick<InstanceDeps, 'clock' | 'db'>,
  gameId: number,
  userId: string,
): Promise<RegistrationForm> {
  const { db, clock } = deps
  const game = await getGame(deps, gameId)
  const repository = createQuestionRepository(db)
  const respondent = await repository.findRespondent(gameId, userId)
  const answers = respondent ? await repository.listAnswers(respondent.participationId) : []
  return formOf(game, userId, respondent, answers, clock.now())
}

/**
 * Stores answers of a user who has joined the game. After the registration has closed, only questions without an answer can be
 * answered.
 * @throws Problem `game.unknown`, `participation.required`, `question.unknown`, `answer.*`
 */
export async function setAnswers(
  deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'db'>,
  gameId: number,
  userId: string,
  writes: readonly AnswerWrite[],
): Promise<{ form: RegistrationForm; game: string }> {
  const { db, clock } = deps
  const { replaced, ...stored } = await db.transaction(async (transaction) => {
    const { game } = await lockGameAgainstEdits(transaction, gameId)
    const repository = createQuestionRepository(transaction)
    const found = await repository.findRespondent(gameId, userId)
    if (!found || !(await repository.lock(found))) throw new Problem('participation.required')
    // Read the captain again, because the captain may have changed since the first read.
    const respondent = await repository.findRespondent(gameId, userId)
    if (respondent?.participationId !== found.participationId) throw new Problem('participation.required')
    const { participationId, captainId } = respondent
    const now = clock.now()
    const before = await repository.listAnswers(participationId)
    const caller = { userId, participationId, isCaptain: captainId === userId }
    const answers = await storeAnswers(transaction, game, caller, writes, { now, isOpen: isOpen(game, now) })
    const form = formOf(game, userId, respondent, answers, now)
    return { form, game: game.title, replaced: before.flatMap(({ file }) => file?.hash ?? []) }
  })
  await deleteUnreferencedFiles(deps, replaced)
  return stored
}

function fileQuestions({ questions }: Pick<GameRow, 'questions'>): EditedQuestion[] {
  return listActiveQuestions(questions).filter(({ kind }) => kind === 'File')
}

/**
 * Refuses a file that the user cannot use in an answer now. A user who has not joined the game may upload files for a request to
 * join.
 * @throws Problem `question.unknown`, `answer.closed`, and the problems of `refuseJoinAtTime`
 */
async function refuseAnswerFile(executor: Executor, game: GameRow, userId: string, now: Date): Promise<void> {
  const asked = fileQuestions(game)
  if (asked.length === 0) throw new Problem('question.unknown')
  const repository = createQuestionRepository(executor)
  const respondent = await repository.findRespondent(game.id, userId)
  if (!respondent) {
    const refusal = refuseJoinAtTime({ ...timesOfGame(game), ...game }, now)
    if (refusal) throw new Problem(refusal)
    return
  }
  if (isOpen(game, now)) return
  const isCaptain = respondent.captainId === userId
  const answers = await repository.listAnswers(respondent.participationId)
  const isAnswered = ({ id, scope }: EditedQuestion) =>
    answers.some((answer) => answer.questionId === id && answer.userId === (scope === 'Team' ? null : userId))
  if (!asked.some((question) => canCallerAnswer(question, isCaptain) && !isAnswered(question))) throw new Problem('answer.closed')
}

/**
 * Stores a file that the user may then use in an answer. If the user has too many unused files in the game, deletes the oldest of
 * them. If the unused files of the game are too large in total, deletes files of the users with the most bytes.
 * @throws Problem `game.unknown`, `file.missing`, `file.too-large`, and the problems of `refuseAnswerFile`
 */
export async function uploadAnswerFile(
  deps: Pick<InstanceDeps, 'blobs' | 'clock' | 'config' | 'db'>,
  gameId: number,
  userId: string,
  file: UploadedFile,
  maxPendingBytes: number = Limits.maxPendingAnswerBytes,
): Promise<AnswerFile> {
  const { db, clock } = deps
  await refuseAnswerFile(db, await getGame(deps, gameId), userId, clock.now())
  const name = sanitizeFileName(file.fileName)
  let [id, kept] = ['', 0]
  const { sizeBytes } = await storeFile(deps, file.content, 'answer', {
    maxBytes: Limits.maxAnswerFileBytes,
    adopt: async (transaction, stored) => {
      if (file.isTooLarge()) throw new Problem('file.too-large')
      const repository = createQuestionRepository(transaction)
      // Check again, because the registration may have closed during the upload.
      const { game } = await lockGameAgainstEdits(transaction, gameId)
      await refuseAnswerFile(transaction, game, userId, clock.now())
      kept = Limits.pendingAnswerFilesPerQuestion * fileQuestions(game).length
      const row = {
        gameId,
        uploaderId: userId,
        fileHash: stored.hash,
        name,
        sizeBytes: stored.sizeBytes,
        uploadedAt: clock.now(),
      }
      id = (await repository.insertFile(row)).id
    },
  })
  const repository = createQuestionRepository(db)
  // Delete old files in separate transactions. A transaction that locks two files could cause a deadlock.
  await deleteUnreferencedFiles(deps, [
    ...(await repository.deleteOldestPendingFiles({ gameId, uploaderId: userId }, kept)),
    ...(await repository.deleteLargestPendingFiles(gameId, maxPendingBytes)),
  ])
  return { id, name, sizeBytes }
}

/**
 * Opens a file that a player uploaded as an answer.
 * @throws Problem `file.unknown`, also if the reader may not open the file
 */
export async function openAnswerFile(
  deps: Pick<InstanceDeps, 'blobs' | 'db'>,
  gameId: number,
  id: string,
  reader: Pick<SessionUser, 'id' | 'role'>,
): Promise<{ fileName: string; content: Readable }> {
  const found = await createQuestionRepository(deps.db).findFile(gameId, id)
  if (!found) throw new Problem('file.unknown')
  const { file, userId, captainId } = found
  const readerId = file.answerId === null ? file.uploaderId : (userId ?? captainId)
  if (readerId !== reader.id && !(file.answerId !== null && hasRole(reader.role, 'Monitor'))) throw new Problem('file.unknown')
  return { fileName: file.name, content: await openFile(deps, file.fileHash) }
}

/** @throws Problem `game.unknown`, `participation.unknown` */
export async function getTeamAnswers(
  deps: Pick<InstanceDeps, 'db'>,
  gameId: number,
  participationId: number,
): Promise<TeamAnswers> {
  const { db } = deps
  const { questions } = await getGame(deps, gameId)
  const repository = createQuestionRepository(db)
  if (!(await repository.hasParticipation(gameId, participationId))) throw new Problem('participation.unknown')
  const [answers, members] = [await repository.listAnswers(participationId), await repository.listMembers(participationId)]
  const of = (userId: string | null) => answers.filter((answer) => answer.userId === userId).map(presentAnswer)
  const ids = (missing: readonly { readonly id: string }[]) => missing.map(({ id }) => id)
  return {
    questions: [...questions],
    answers: of(null),
    missing: ids(listQuestionsUnansweredByTeam(questions, answers)),
    members: members.map(({ userId, userName }) => ({
      userId,
      userName,
      answers: of(userId),
      missing: ids(listQuestionsUnansweredByMember(questions, answers, userId)),
    })),
  }
}

export type GameAnswers = Readonly<{
  title: string
  /** Questions of the game in order. Archived questions are last. */
  questions: readonly EditedQuestion[]
  /** Members of all teams, sorted by team and name. */
  respondents: Awaited<ReturnType<ReturnType<typeof createQuestionRepository>['listRespondents']>>
  answers: readonly StoredAnswer[]
}>

/** Returns all answers in a game. @throws Problem `game.unknown` */
export async function listGameAnswers(deps: Pick<InstanceDeps, 'db'>, gameId: number): Promise<GameAnswers> {
  const { title, questions } = await getGame(deps, gameId)
  const repository = createQuestionRepository(deps.db)
  const [respondents, answers] = [await repository.listRespondents(gameId), await repository.listAnswersOfGame(gameId)]
  return { title, questions, respondents, answers }
}

/** Deletes files that were uploaded more than a day ago and that no answer uses. Every replica calls this function every hour. */
export function deleteUnusedAnswerFiles({ db, clock }: Pick<InstanceDeps, 'clock' | 'db'>): Promise<void> {
  const before = new Date(clock.now().getTime() - Limits.pendingAnswerFileHours * hourMs)
  return createQuestionRepository(db).deletePendingFiles(before)
}
