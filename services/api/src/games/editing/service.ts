// Games for organizers and visitors. Rules: docs/contract/games-and-joining.md#editing-games.
import { randomUUID } from 'node:crypto'
import type { AdminGameWrite, GameClone } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import type { GameTimes } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { SurveyMode } from '@capstan/contract/surveys'
import type { Executor } from '@capstan/db/client'
import { DatabaseUnavailable } from '@capstan/db/database-error'
import type { InstanceDeps } from '../../instances/deps.ts'
import { endInstances, finishInstanceEndings } from '../../instances/lifecycle/endings.ts'
import {
  acceptWaitingTeams,
  countFreePlaces,
  countTeamsBeforeInstant,
  logAdmissions,
  readWaitingListPositions,
} from '../../people/places/service.ts'
import { createGameKeys, openGameKey } from '../../rules/signing/game-keys.ts'
import { deriveGameSalt } from '../../rules/signing/game-salt.ts'
import { cryptoRandom } from '../../rules/signing/random.ts'
import type { QueueCaller } from '../../server/fair-queue.ts'
import { deleteUnreferencedFiles, listAnswerFileHashes, releaseFiles, storeFile } from '../../server/files/service.ts'
import { deleteCaptureBlobs } from '../../server/files/stored-captures.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import { countUnansweredQuestions } from '../questions/answers.ts'
import { listActiveQuestions, mergeQuestions } from '../questions/policy.ts'
import { recheckSolvesAfterEndChange } from '../solves/service.ts'
import { createDivisionRepository } from './division-repository.ts'
import { type Division, mergeDivisions, refuseInvalidDivisions } from './divisions.ts'
import { gameColumnsOf, refuseInvalidFreezeTimes, refuseInvalidGameTimes, refuseInvalidRegistrationWindow } from './policy.ts'
import { createGameRepository, type GameRow, type GameSearch, type ListedGame, type OwnParticipation } from './repository.ts'

export type { GameRow, ListedGame } from './repository.ts'

export type GameWithDivisions = Readonly<{
  game: GameRow
  divisions: readonly Division[]
}>

export function timesOfGame(game: GameRow): GameTimes {
  return {
    start: game.startsAt,
    end: game.endsAt,
    practiceMode: game.practiceMode,
    writeupDeadline: game.writeupDeadline,
  }
}

function prepare({ clock }: Pick<InstanceDeps, 'clock'>, write: AdminGameWrite, current: readonly Division[], stored?: GameRow) {
  const values = gameColumnsOf(write, clock.now())
  const divisions = mergeDivisions(current, write)
  const known = { ...stored, ...values }
  const refusal =
    refuseInvalidGameTimes(known) ??
    refuseInvalidFreezeTimes(known) ??
    refuseInvalidRegistrationWindow(known) ??
    refuseInvalidDivisions(divisions)
  if (refusal) throw new Problem(refusal)
  return { values, divisions }
}

/** Returns the questions to store. @param answered ids of questions with answers @throws Problem `game.questions`, `question.answered` */
function questionsOf(
  { questions: list }: AdminGameWrite,
  stored: GameRow['questions'],
  answered: ReadonlySet<string>,
): Pick<GameRow, 'questions'> {
  if (!list) return { questions: stored }
  const questions = mergeQuestions(list, { stored, answered, newId: randomUUID })
  if (typeof questions === 'string') throw new Problem(questions)
  return { questions }
}

/**
 * Refuses a change between survey modes once players have answered, because they relied on the mode at that time.
 * @throws Problem `survey.answered` if the survey has answers in another mode
 */
async function checkSurvey(transaction: Executor, gameId: number, mode: SurveyMode): Promise<void> {
  if (mode === 'Off') return
  const answered = await createGameRepository(transaction).findAnsweredSurvey(gameId)
  if (answered && answered !== mode) throw new Problem('survey.answered')
}

/** @throws Problem `game.unknown` */
export async function getGame({ db }: Pick<InstanceDeps, 'db'>, id: number, executor: Executor = db): Promise<GameRow> {
  const game = await createGameRepository(executor).find(id)
  if (!game) throw new Problem('game.unknown')
  return game
}

/** Row-locks a game before a caller changes it or its challenges. @throws Problem `game.unknown` */
export async function lockGame(executor: Executor, id: number): Promise<GameRow> {
  const game = await createGameRepository(executor).lock(id)
  if (!game) throw new Problem('game.unknown')
  return game
}

/** Locks the settings, divisions and enabled challenges of a game against changes. @throws Problem `game.unknown` */
export async function lockGameAgainstEdits(executor: Executor, id: number): Promise<GameWithDivisions> {
  const game = await createGameRepository(executor).share(id)
  if (!game) throw new Problem('game.unknown')
  return { game, divisions: await createDivisionRepository(executor).list(id) }
}

export function listRecentGames({ db }: Pick<InstanceDeps, 'db'>): Promise<ListedGame[]> {
  const games = createGameRepository(db)
  return games.listRecent(Limits.recentGames)
}

export function listAllGames({ db }: Pick<InstanceDeps, 'db'>): Promise<ListedGame[]> {
  const games = createGameRepository(db)
  return games.listRecent(Limits.listedGames)
}

export function listGamesForIndexPage({ db }: Pick<InstanceDeps, 'db'>): Promise<ListedGame[]> {
  const games = createGameRepository(db)
  return games.listRecent(Limits.previewedGames)
}

export function listOwnGames({ db, clock }: Pick<InstanceDeps, 'clock' | 'db'>, userId: string): Promise<number[]> {
  const games = createGameRepository(db)
  return games.listOwn(userId, clock.now())
}

export type GamePageFacts = Readonly<{
  teamCount: number
  /** Participation of the caller. Undefined for visitors and users who did not join. */
  own: OwnParticipation | undefined
  freePlaces: number | null
  /** Place of the caller's team on the waiting list. Null while the board is frozen. */
  waitingPlace: number | null
  /** Number of required questions that the caller has not answered. */
  missingAnswers: number
  /** True if the teams can download certificates after the end of the game. False while the board is frozen. */
  hasCertificates: boolean
}>

/** Returns a game with the data of its page. @throws Problem `game.unknown` */
export async function getGamePage(
  deps: Pick<InstanceDeps, 'clock' | 'db'>,
  id: number,
  userId: string | undefined,
): Promise<GameWithDivisions & GamePageFacts> {
  const { db, clock } = deps
  const games = createGameRepository(db)
  const [game, divisions, teamCount, own, hasCertificates] = await Promise.all([
    getGame(deps, id),
    createDivisionRepository(db).list(id),
    games.countTeams(id),
    userId === undefined ? undefined : games.findOwn(id, userId),
    games.hasCertificates(id),
  ])
  const missingAnswers =
    own && userId !== undefined
      ? await countUnansweredQuestions(db, game, { userId, participationId: own.id, isCaptain: own.captainId === userId })
      : 0
  const common = { game, divisions, own, missingAnswers }
  const freezeAt = findFreezeInstant(game, clock.now())
  if (freezeAt)
    return { ...common, waitingPlace: null, hasCertificates: false, ...(await countTeamsBeforeInstant(db, game, freezeAt)) }
  const [freePlaces, waiting] = await Promise.all([
    countFreePlaces(db, game),
    own?.isWaiting ? readWaitingListPositions(db, id) : undefined,
  ])
  return { ...common, teamCount, freePlaces, waitingPlace: (own && waiting?.get(own.id)) ?? null, hasCertificates }
}

/** @throws Problem `game.unknown` */
export async function getGameForEdit(deps: Pick<InstanceDeps, 'db'>, id: number): Promise<GameWithDivisions> {
  const { db } = deps
  const [game, divisions] = await Promise.all([getGame(deps, id), createDivisionRepository(db).list(id)])
  return { game, divisions }
}

export async function findGamesForEdit(
  { db }: Pick<InstanceDeps, 'db'>,
  search: GameSearch,
): Promise<{ rows: GameWithDivisions[]; total: number }> {
  const games = createGameRepository(db)
  const { rows, total } = await games.findBy(search)
  const divisions = await createDivisionRepository(db).listOf(rows.map(({ id }) => id))
  return { rows: rows.map((game) => ({ game, divisions: divisions.get(game.id) ?? [] })), total }
}

export async function listGamesForEdit(
  { db }: Pick<InstanceDeps, 'db'>,
  page: { count: number; skip: number },
): Promise<{ rows: GameWithDivisions[]; total: number }> {
  const games = createGameRepository(db)
  const [rows, total] = await Promise.all([games.listPage(page), games.countAll()])
  const divisions = await createDivisionRepository(db).listOf(rows.map(({ id }) => id))
  return { rows: rows.map((game) => ({ game, divisions: divisions.get(game.id) ?? [] })), total }
}

/**
 * Creates a game with a new key pair.
 * @param adopt function that writes additional rows in the same transaction
 * @throws Problem `game.times`, `game.divisions`, `game.division-code`
 */
export function createGame(
  deps: Pick<InstanceDeps, 'clock' | 'config' | 'db'>,
  write: AdminGameWrite,
  adopt?: (transaction: Executor, game: GameRow) => Promise<void>,
): Promise<GameWithDivisions> {
  const { db } = deps
  return db.transaction(async (transaction) => {
    const made = await insertGame(deps, transaction, write)
    await adopt?.(transaction, made.game)
    return made
  })
}

/** Creates a game like `createGame`, but in the caller's transaction. */
export async function insertGame(
  deps: Pick<InstanceDeps, 'clock' | 'config'>,
  transaction: Executor,
  write: AdminGameWrite,
  picture: { readonly posterHash?: string } = {},
): Promise<GameWithDivisions> {
  const { config } = deps
  const { values, divisions } = prepare(deps, write, [])
  const keys = createGameKeys(config.secretKey, cryptoRandom)
  const game = await createGameRepository(transaction).insert({
    ...values,
    ...picture,
    ...keys,
    ...questionsOf(write, [], new Set()),
  })
  return { game, divisions: await createDivisionRepository(transaction).replace(game.id, divisions) }
}

/**
 * Creates a hidden copy of the settings, divisions and poster of a game. The source game is locked until the end of the
 * transaction. The caller must increment the reference count of the poster.
 * @throws Problem `game.unknown`, `game.times`
 */
export async function copyGame(
  { config }: Pick<InstanceDeps, 'config'>,
  transaction: Executor,
  id: number,
  { title, start }: GameClone,
): Promise<GameWithDivisions> {
  const source = await lockGameAgainstEdits(transaction, id)
  const { id: _id, createdAt: _created, ...settings } = source.game
  const startsAt = new Date(start)
  const laterMs = startsAt.getTime() - source.game.startsAt.getTime()
  const moved = (at: Date) => new Date(at.getTime() + laterMs)
  const { freezeAt, registrationOpensAt: opens, registrationClosesAt: closes } = source.game
  const times = {
    startsAt,
    endsAt: moved(source.game.endsAt),
    writeupDeadline: moved(source.game.writeupDeadline),
    freezeAt: freezeAt && moved(freezeAt),
    revealedAt: null,
    registrationOpensAt: opens && moved(opens),
    registrationClosesAt: closes && moved(closes),
  }
  const refusal = refuseInvalidGameTimes(times)
  if (refusal) throw new Problem(refusal)
  const keys = createGameKeys(config.secretKey, cryptoRandom)
  const questions = listActiveQuestions(source.game.questions)
  const changes = { ...times, ...keys, questions, title: title.trim(), hidden: true }
  const game = await createGameRepository(transaction).insert({ ...settings, ...changes })
  return { game, divisions: await createDivisionRepository(transaction).replace(game.id, source.divisions) }
}

/**
 * Replaces the settings. If the end changes, the solves before the new end are determined again. If the limit of teams rises, waiting
 * teams are accepted.
 * @throws Problem `game.unknown`, `game.times`, `game.freeze`, `game.registration`, `game.questions`, `question.answered`
 * @throws Problem `game.divisions`, `game.division-code`, `survey.answered`
 */
export async function updateGame(
  deps: Pick<InstanceDeps, 'clock' | 'db' | 'platformLog'>,
  id: number,
  write: AdminGameWrite,
): Promise<GameWithDivisions> {
  const { db } = deps
  const { admissions, ...updated } = await db.transaction(async (transaction) => {
    const repository = createGameRepository(transaction)
    const before = await lockGame(transaction, id)
    const divisionRows = createDivisionRepository(transaction)
    const { values, divisions } = prepare(deps, write, await divisionRows.list(id), before)
    const questions = questionsOf(write, before.questions, await repository.listAnsweredQuestions(id))
    await checkSurvey(transaction, id, values.survey ?? 'Off')
    const isMoved = values.freezeAt !== undefined && values.freezeAt?.getTime() !== before.freezeAt?.getTime()
    const game = await repository.update(id, { ...values, ...questions, ...(isMoved && { revealedAt: null }) })
    const stored = await divisionRows.replace(id, divisions)
    if (game.endsAt.getTime() !== before.endsAt.getTime()) await recheckSolvesAfterEndChange(transaction, id, game.endsAt)
    return { game, divisions: stored, admissions: await acceptWaitingTeams(transaction, game) }
  })
  logAdmissions(deps, admissions)
  return updated
}

/** Reveals a frozen board. Has no effect if the board is revealed already. @throws Problem `game.unknown`, `game.not-frozen` */
export function revealBoard({ db, clock }: Pick<InstanceDeps, 'clock' | 'db'>, id: number): Promise<GameWithDivisions> {
  return db.transaction(async (transaction) => {
    const game = await lockGame(transaction, id)
    const divisions = await createDivisionRepository(transaction).list(id)
    if (game.revealedAt) return { game, divisions }
    const now = clock.now()
    if (!findFreezeInstant(game, now)) throw new Problem('game.not-frozen')
    return { game: await createGameRepository(transaction).update(id, { revealedAt: now }), divisions }
  })
}

/** Undoes the reveal of a board. @throws Problem `game.unknown` */
export function undoBoardReveal({ db }: Pick<InstanceDeps, 'db'>, id: number): Promise<GameWithDivisions> {
  return db.transaction(async (transaction) => {
    await lockGame(transaction, id)
    const game = await createGameRepository(transaction).update(id, { revealedAt: null })
    return { game, divisions: await createDivisionRepository(transaction).list(id) }
  })
}

/** @returns hash and full file name of the stored poster @throws Problem `game.unknown`, or a problem of an invalid image */
export async function setGamePoster(
  deps: InstanceDeps,
  id: number,
  bytes: Buffer,
  caller: QueueCaller,
): Promise<{ hash: string; name: string }> {
  const { images } = deps
  await getGame(deps, id)
  const image = await images.convert('poster', bytes, caller)
  let replaced: string | null = null
  const { hash } = await storeFile(deps, image.bytes, image.name, {
    adopt: async (transaction, file) => {
      const game = await lockGame(transaction, id)
      replaced = game.posterHash
      await createGameRepository(transaction).update(id, { posterHash: file.hash })
      await releaseFiles(transaction, [replaced])
    },
  })
  await deleteUnreferencedFiles(deps, [replaced])
  return { hash, name: image.name }
}

/**
 * Deletes a game with challenges, files, participations, writeups, traffic captures and running instances. If a step fails,
 * nothing is deleted.
 * @throws Problem `game.unknown`, `game.delete-failed`
 */
export async function deleteGame(deps: InstanceDeps, id: number): Promise<void> {
  const { db, blobs } = deps
  const left = await db
    .transaction(async (transaction) => {
      const repository = createGameRepository(transaction)
      const game = await lockGame(transaction, id)
      const attachments = await repository.listAttachments(id)
      const hashes = [
        game.posterHash,
        ...attachments.map(({ fileHash }) => fileHash),
        ...(await repository.listWriteupHashes(id)),
        ...(await repository.listCertificateHashes(id)),
      ]
      const answerFiles = await listAnswerFileHashes(transaction, { gameId: id })
      const captures = await repository.listCaptures(id)
      const ended = await endInstances(deps, transaction, { gameId: id })
      await repository.delete(id)
      await repository.deleteAttachments(attachments.map((attachment) => attachment.id))
      await releaseFiles(transaction, hashes)
      return { hashes: [...hashes, ...answerFiles], captures, ended }
    })
    .catch((cause: unknown) => {
      throw cause instanceof Problem || cause instanceof DatabaseUnavailable ? cause : new Problem('game.delete-failed')
    })
  await finishInstanceEndings(deps, left.ended)
  await deleteUnreferencedFiles(deps, left.hashes)
  await deleteCaptureBlobs(blobs, left.captures)
}

/** Returns the salt of the game's `[TEAM_HASH]` flags. @throws Problem `game.unknown` */
export async function getGameHashSalt(deps: Pick<InstanceDeps, 'config' | 'db'>, id: number): Promise<string> {
  const { config } = deps
  return deriveGameSalt(openGameKey(await getGame(deps, id), config.secretKey))
}
