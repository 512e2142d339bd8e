import { Problem } from '@capstan/contract/problems'
import { batched } from '@capstan/db/batched'
import type { Database } from '@capstan/db/client'
import { DatabaseError } from '@capstan/db/database-error'
import { retryUntilKnown } from '@capstan/db/retry-until-known'
import { type Attempt, type Judged, judge, judgeInTurn } from './judging.ts'
import { type StoredSubmission, submissionRepository } from './submission-repository.ts'

/** An attempt with its verdict and the id of its stored submission. */
export interface Stored extends Judged, StoredSubmission {}

/** True if an earlier attempt of the same call stored the submission. */
function isStoredAlready(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'submissions_attempt_key'
}

export function isRepetition(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'submissions_client_key_participation_id_key'
}

/**
 * Judges and stores attempts. Concurrent right answers are judged together under a lock on their challenges. Each answer
 * therefore counts all earlier solves.
 */
export function createSettler(db: Database) {
  const submissions = submissionRepository(db)

  const findStored = async (judged: readonly Judged[]): Promise<Stored[]> =>
    (await submissions.findStored(judged.map(({ record }) => record))).flatMap((row, index) =>
      row ? [{ ...(judged[index] as Judged), ...row }] : [],
    )

  const storeTogether = batched((judged: readonly Judged[]) => {
    const work = async (): Promise<Stored[]> => {
      const rows = await submissions.insert(judged.map(({ record }) => record))
      return rows.map((row, index) => ({ ...(judged[index] as Judged), ...row }))
    }
    // The statement is atomic, even if the connection fails before its confirmation.
    const find = async () => {
      const found = await findStored(judged)
      return found.length === judged.length ? found : undefined
    }
    return retryUntilKnown(work, { find, isDone: isStoredAlready })
  }, db)

  const settleTogether = batched((attempts: readonly Attempt[]): Promise<readonly Stored[]> => {
    const challengeIds = [...new Set(attempts.map(({ challenge }) => challenge.id))]
    const participationIds = attempts.map(({ player }) => player.participation.id)
    let settled: readonly Stored[] = []
    const work = () =>
      db.transaction(async (transaction) => {
        const repository = submissionRepository(transaction)
        const locked = await repository.lockChallenges(challengeIds)
        if (locked.length < challengeIds.length) throw new Problem('challenge.unknown')
        const judged = judgeInTurn(attempts, await repository.readSolves(challengeIds, participationIds))
        const rows = await repository.settle(judged.map(({ record }) => record))
        const stored = new Map(judged.map((one, index) => [one.attempt, { ...one, ...(rows[index] as StoredSubmission) }]))
        settled = attempts.map((attempt) => stored.get(attempt) as Stored)
        return settled
      })
    // The transaction is atomic, even if the connection fails before its confirmation.
    const find = async () => {
      const [found] = await findStored(settled.slice(0, 1))
      return found && found.id === settled[0]?.id ? settled : undefined
    }
    return retryUntilKnown(work, { find, isDone: isStoredAlready })
  }, db)

  /** Resolves after the commit. @throws Problem `challenge.unknown` for a right answer to a deleted challenge */
  return (attempt: Attempt): Promise<Stored> => {
    const judged = judge(attempt)
    return judged.verdict.status === 'Accepted' ? settleTogether(attempt) : storeTogether(judged)
  }
}
