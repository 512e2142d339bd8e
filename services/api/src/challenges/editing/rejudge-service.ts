// Judges stored submissions by the current flags. Also forecasts the effect of a rejudge, and undoes a rejudge. Rules:
// docs/contract/flags-and-scoring.md#recalculation.
import type { ChallengeType, RecalculationReport } from '@capstan/contract/challenges'
import { type GameTimes, scoringEndOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { LastRejudge, RejudgeForecast, RejudgeUndone } from '@capstan/contract/rejudging'
import type { Executor } from '@capstan/db/client'
import { getGame, lockGame, timesOfGame } from '../../games/editing/service.ts'
import { deriveFoundFlags } from '../../games/solves/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { type Finding, findMatchingFlagId, listFlagsToFind, selectFirstFindingOfEachFlag } from '../../rules/flags/parts.ts'
import { createAnswerMatcher, groupFlagsByKind } from '../../rules/flags/rules.ts'
import {
  countChangedAnswers,
  countChangedTeams,
  findChangedSolves,
  findFirstSolves,
  findSolvesWithSeveralFlags,
  type RecalculatedSolve,
  rejudgeSubmissions,
  type StatusChange,
} from './recalculation.ts'
import { createRejudgeRepository, type RejudgingRow } from './rejudge-repository.ts'
import { type ChallengeRow, createChallengeRepository } from './repository.ts'

type Repository = ReturnType<typeof createRejudgeRepository>
type AnswerMatcher = ReturnType<typeof createAnswerMatcher>

function effectOf({ changed, newlyCorrect, newlyIncorrect, gaining, losing, moving }: RejudgingRow) {
  return {
    ...{ changed, newlyCorrect, newlyIncorrect, gaining, losing, moving },
  }
}

type JudgeOptions = Readonly<{
  type: ChallengeType
  times: Pick<GameTimes, 'end'>
  match: AnswerMatcher
  /** Callback for each page of submissions. It receives the changed statuses. */
  onChanges?: (changes: ReadonlyMap<number, StatusChange>) => Promise<void>
  /**
   * Callback for each page of submissions. If the flag that a right submission matches has changed, the map contains the id of
   * the submission and the id of the new flag.
   */
  onFlagIds?: (flagIds: ReadonlyMap<number, number>) => Promise<void>
}>

/** Judges all submissions of a challenge by its current flags. Writes nothing. */
async function judgeAll(repository: Repository, { type, times, match, onChanges, onFlagIds }: JudgeOptions) {
  const stored = await repository.listFlags()
  const flags = groupFlagsByKind(stored)
  const parts = listFlagsToFind(stored)
  const partIds = new Set(parts.map(({ id }) => id))
  const findPart = parts.length === 0 ? undefined : (answer: string) => findMatchingFlagId(parts, answer)
  const assigned = await repository.listAssigned()
  const answers = { total: 0, changed: 0, newlyCorrect: 0, newlyIncorrect: 0 }
  let solves: RecalculatedSolve[] = []
  let findings: Finding[] = []
  for await (const page of repository.listSubmissions()) {
    const found = rejudgeSubmissions(page, { type, flags: await match(flags, page), partOf: findPart, assigned }, times)
    await onChanges?.(found.changes)
    await onFlagIds?.(found.flagIds)
    solves = findFirstSolves([...solves, ...found.solves])
    findings = selectFirstFindingOfEachFlag([...findings, ...found.findings])
    const counted = countChangedAnswers(found.changes.values())
    answers.total += page.length
    answers.changed += counted.changed
    answers.newlyCorrect += counted.newlyCorrect
    answers.newlyIncorrect += counted.newlyIncorrect
  }
  if (findPart) solves = findSolvesWithSeveralFlags(solves, findings, partIds)
  return { answers, solves, solveChanges: findChangedSolves(await repository.listSolves(), solves) }
}

/** Locks game and challenge, so that edits, solves and other rejudges of the challenge wait. */
async function lock(transaction: Executor, gameId: number, id: number) {
  const game = await lockGame(transaction, gameId)
  const challenge = await createChallengeRepository(transaction).lock(gameId, id)
  if (!challenge) throw new Problem('challenge.unknown')
  return { game, challenge, repository: createRejudgeRepository(transaction, id) }
}

async function canUndo(repository: Repository, { gameEndsAt, rejudgedAt }: RejudgingRow, { end }: GameTimes): Promise<boolean> {
  if (gameEndsAt.getTime() !== end.getTime()) return false
  return !(await repository.hasOtherStatus()) && !(await repository.isCorrectedSince(rejudgedAt))
}

async function presentLast(repository: Repository, times: GameTimes): Promise<LastRejudge | null> {
  const row = await repository.findRejudging()
  if (!row) return null
  return { ...effectOf(row), time: row.rejudgedAt.toISOString(), canUndo: await canUndo(repository, row, times) }
}

/**
 * Returns the changes that `rejudge` would make. Reads one snapshot and takes no lock.
 * @throws Problem `game.unknown`, `challenge.unknown`
 */
export function forecastRejudging(deps: Pick<InstanceDeps, 'db'>, gameId: number, id: number): Promise<RejudgeForecast> {
  const { db } = deps
  return db.transaction(
    async (snapshot) => {
      const times = timesOfGame(await getGame(deps, gameId, snapshot))
      const challenge = await createChallengeRepository(snapshot).find(gameId, id)
      if (!challenge) throw new Problem('challenge.unknown')
      const repository = createRejudgeRepository(snapshot, id)
      const judged = await judgeAll(repository, {
        type: challenge.type,
        times: { end: scoringEndOf(times, challenge.deadlineAt) },
        match: createAnswerMatcher(),
      })
      const accepted = await repository.listAccepted(gameId)
      return {
        ...judged.answers,
        ...countChangedTeams(judged.solveChanges, (participationId) => accepted.has(participationId)),
        accepted: judged.solves.filter(({ participationId }) => accepted.has(participationId)).length,
        last: await presentLast(repository, times),
      }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}

/**
 * Judges every submission again, and records the previous state for an undo.
 * @throws Problem `game.unknown`, `challenge.unknown`
 */
export async function rejudgeChallenge(
  { db, clock }: Pick<InstanceDeps, 'clock' | 'db'>,
  gameId: number,
  id: number,
): Promise<{ title: ChallengeRow['title']; report: RecalculationReport }> {
  const match = createAnswerMatcher()
  // Match patterns before the lock is taken: matching takes seconds, and the lock blocks solves of the challenge.
  const unlocked = createRejudgeRepository(db, id)
  const knownFlags = groupFlagsByKind(await unlocked.listFlags())
  if (knownFlags.rules.length > 0) for await (const page of unlocked.listSubmissions()) await match(knownFlags, page)
  const rejudgedAt = clock.now()
  const result = await db.transaction(async (transaction) => {
    const { game, challenge, repository } = await lock(transaction, gameId, id)
    const times = timesOfGame(game)
    let isRecorded = false
    // If a rejudge changes nothing, retain the record of the previous rejudge.
    const openRecord = async (): Promise<void> => {
      if (!isRecorded) await repository.openRejudging({ rejudgedAt, gameEndsAt: times.end })
      isRecorded = true
    }
    const onChanges = async (changes: ReadonlyMap<number, StatusChange>): Promise<void> => {
      if (changes.size === 0) return
      await openRecord()
      await repository.recordStatuses(changes)
      await repository.setStatuses([...changes].map(([submissionId, { after }]) => [submissionId, after] as const))
    }
    const { answers, solveChanges } = await judgeAll(repository, {
      type: challenge.type,
      times: { end: scoringEndOf(times, challenge.deadlineAt) },
      match,
      onChanges,
      onFlagIds: (flagIds) => repository.setFlagIds(flagIds),
    })
    await deriveFoundFlags(transaction, id, scoringEndOf(times, challenge.deadlineAt))
    const { total, ...counted } = answers
    if (solveChanges.length > 0) {
      await openRecord()
      await repository.recordSolves(solveChanges)
      const after = solveChanges.flatMap((change) => change.after ?? [])
      await repository.replaceSolves(
        gameId,
        solveChanges.map(({ participationId }) => participationId),
        after,
      )
    }
    if (isRecorded) {
      const accepted = await repository.listAccepted(gameId)
      await repository.closeRejudging({ ...counted, ...countChangedTeams(solveChanges, (one) => accepted.has(one)) })
    }
    const accepted = await repository.countSolvers()
    await repository.setAcceptedCount(accepted)
    return { title: challenge.title, report: { total, changed: counted.changed, accepted } }
  })
  return result
}

/**
 * Restores statuses and solves from before the last rejudge. Later submissions are retained.
 * @throws Problem `game.unknown`, `challenge.unknown`, `rejudge.none`, `rejudge.outdated`
 */
export async function undoRejudging(
  { db }: Pick<InstanceDeps, 'db'>,
  gameId: number,
  id: number,
): Promise<{ title: ChallengeRow['title']; report: RejudgeUndone }> {
  const result = await db.transaction(async (transaction) => {
    const { game, challenge, repository } = await lock(transaction, gameId, id)
    const row = await repository.findRejudging()
    if (!row) throw new Problem('rejudge.none')
    if (!(await canUndo(repository, row, timesOfGame(game)))) throw new Problem('rejudge.outdated')
    const changed = await repository.restoreStatuses()
    await deriveFoundFlags(transaction, id, scoringEndOf(timesOfGame(game), challenge.deadlineAt))
    await repository.restoreSolves(gameId, row.gameEndsAt)
    await repository.deleteRejudging()
    const accepted = await repository.countSolvers()
    await repository.setAcceptedCount(accepted)
    return { title: challenge.title, report: { changed, accepted } }
  })
  return result
}
