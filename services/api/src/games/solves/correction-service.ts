// Solves that organizers grant or take back. Rules: docs/contract/flags-and-scoring.md#corrections.
import type { SolveCorrectionCreate } from '@capstan/contract/corrections'
import { canSubmissionScorePoints, scoringEndOf } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { getGame, lockGame, timesOfGame } from '../editing/service.ts'
import { lockParticipationAgainstDeletion } from '../participations/service.ts'
import { type CorrectionFilter, type CorrectionRow, createCorrectionRepository, type SolveKey } from './correction-repository.ts'
import { createSolveRepository } from './repository.ts'

type CorrectionDeps = Pick<InstanceDeps, 'clock' | 'db'>

type ChangedCorrection = Readonly<{
  /** Title of the game. */
  game: string
  correction: CorrectionRow
}>

/** Lists corrections of a game, newest first. @throws Problem `game.unknown` */
export async function listCorrections(
  deps: CorrectionDeps,
  gameId: number,
  filter: CorrectionFilter,
): Promise<{ rows: readonly CorrectionRow[]; total: number }> {
  await getGame(deps, gameId)
  return createCorrectionRepository(deps.db).listPage(gameId, filter)
}

/**
 * Determines the solve of a team from its submissions and the corrections. @param end instant from which submissions do not count
 * as solves
 */
async function settle(transaction: Executor, key: SolveKey, end: Date): Promise<void> {
  await createCorrectionRepository(transaction).updateVoid(key)
  await createSolveRepository(transaction).updateOne(key, end)
}

async function read(transaction: Executor, gameId: number, id: number): Promise<CorrectionRow> {
  const correction = await createCorrectionRepository(transaction).find(gameId, id)
  if (!correction) throw new Problem('correction.unknown')
  return correction
}

/**
 * Grants a solve to a team, or takes back the solve of a team. Concurrent corrections and submissions of the challenge wait for
 * each other.
 * @throws Problem `game.unknown`, `challenge.unknown`, `participation.unknown`, `correction.time`, `correction.solved`,
 * `correction.unsolved`
 */
export function createSolveCorrection(
  { db, clock }: CorrectionDeps,
  gameId: number,
  authorId: string,
  { teamId, challengeId, kind, reason, solvedAt: wanted }: SolveCorrectionCreate,
): Promise<ChangedCorrection> {
  return db.transaction(async (transaction) => {
    const game = await lockGame(transaction, gameId)
    const times = timesOfGame(game)
    const repository = createCorrectionRepository(transaction)
    const challenge = await repository.lockChallenge(gameId, challengeId)
    if (!challenge) throw new Problem('challenge.unknown')
    const end = scoringEndOf(times, challenge.deadlineAt)
    const participationId = await lockParticipationAgainstDeletion(transaction, gameId, teamId)
    const key = { gameId, challengeId, participationId }
    const solve = await repository.findSolve(key)
    const now = clock.now()
    const row = { ...key, kind, reason: reason.trim(), authorId, correctedAt: now }
    let id: number
    if (kind === 'Granted') {
      const solvedAt = wanted === undefined ? now : new Date(wanted)
      if (!(solvedAt >= times.start && solvedAt <= now && canSubmissionScorePoints(solvedAt, { end })))
        throw new Problem('correction.time')
      if (solve) throw new Problem('correction.solved')
      const submissionId = await repository.insertGranted({ ...key, teamId }, solvedAt)
      id = await repository.insert({ ...row, solvedAt, submissionId })
    } else {
      if (!solve) throw new Problem('correction.unsolved')
      id = await repository.insert({ ...row, ...solve, lastSubmissionId: await repository.findLastSubmission(key) })
    }
    await settle(transaction, key, end)
    return { game: game.title, correction: await read(transaction, gameId, id) }
  })
}

/**
 * Revokes a correction, and determines the solve of the team again.
 * @throws Problem `game.unknown`, `correction.unknown`, `correction.revoked`
 */
export function revokeCorrection(
  { db, clock }: CorrectionDeps,
  gameId: number,
  revokerId: string,
  id: number,
): Promise<ChangedCorrection> {
  return db.transaction(async (transaction) => {
    const game = await lockGame(transaction, gameId)
    const repository = createCorrectionRepository(transaction)
    const { challengeId, participationId, submissionId } = await read(transaction, gameId, id)
    const challenge = await repository.lockChallenge(gameId, challengeId)
    if (!challenge) throw new Problem('correction.unknown')
    if (!(await repository.revoke(gameId, id, { revokedAt: clock.now(), revokerId }))) throw new Problem('correction.revoked')
    if (submissionId !== null) await repository.deleteSubmission(submissionId)
    await settle(transaction, { gameId, challengeId, participationId }, scoringEndOf(timesOfGame(game), challenge.deadlineAt))
    return { game: game.title, correction: await read(transaction, gameId, id) }
  })
}
