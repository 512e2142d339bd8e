import { Problem } from '@capstan/contract/problems'
import { batchQueries } from '@capstan/db/batched'
import type { Database } from '@capstan/db/client'
import { DatabaseError } from '@capstan/db/database-error'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import { keyOfAssignment } from '../../instances/assignments/service.ts'
import { type AttemptRefusal, hasAttemptRules, noAttempts } from '../../rules/flags/attempts.ts'
import { type Attempt, type Judged, judgeAttempt, judgeAttemptsInOrder } from './judging.ts'
import { createSubmissionRepository, type StoredSubmission } from './submission-repository.ts'

/** Attempt with its verdict and the id of its stored submission. */
export interface Stored extends Judged, StoredSubmission {}

/** True if the error means that an earlier try has already stored the submission. */
function isStoredAlready(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'submissions_attempt_key'
}

export function isIdempotencyKeyTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.constraint === 'submissions_client_key_participation_id_key'
}

export function isAttemptRefusal(error: unknown): boolean {
  return error instanceof Problem && (error.code === 'submission.limit' || error.code === 'submission.cooldown')
}

function problemOf(refusal: AttemptRefusal, { submissionLimit, cooldownSeconds }: Attempt['challenge']): Problem {
  return refusal.code === 'submission.limit'
    ? new Problem(refusal.code, { detail: `The team has used all of its ${submissionLimit} attempts at this challenge.` })
    : new Problem(refusal.code, {
        detail: `After a wrong answer the team waits ${cooldownSeconds} s.`,
        retryAfterSeconds: refusal.retryAfterSeconds,
      })
}

function countedOf({ challenge, player }: Attempt) {
  return { challengeId: challenge.id, participationId: player.participation.id, endsAt: player.game.endsAt }
}

/** Stored attempt, or the problem with which an attempt was refused. */
type Settled = Stored | Problem

function isStored(settled: Settled): settled is Stored {
  return !(settled instanceof Problem)
}

/**
 * Judges and stores attempts. Wrong answers to challenges without attempt rules are stored without a lock. All other attempts are
 * judged under a lock on their challenges. The judgment therefore takes all earlier solves and attempts into account. Concurrent
 * attempts are stored together.
 */
export function createAttemptProcessor(db: Database) {
  const submissions = createSubmissionRepository(db)

  const findStored = async (judged: readonly Judged[]): Promise<Stored[]> =>
    (await submissions.findStored(judged.map(({ record }) => record))).flatMap((row, index) =>
      row ? [{ ...(judged[index] as Judged), ...row }] : [],
    )

  const storeTogether = batchQueries((judged: readonly Judged[]) => {
    const work = async (): Promise<Stored[]> => {
      const rows = await submissions.insert(judged.map(({ record }) => record))
      return rows.map((row, index) => ({ ...(judged[index] as Judged), ...row }))
    }
    // If the connection failed before the confirmation, the statement has stored either all submissions or none.
    const find = async () => {
      const found = await findStored(judged)
      return found.length === judged.length ? found : undefined
    }
    return retryUntilOutcomeKnown(work, { find, isDone: isStoredAlready })
  }, db)

  const settleTogether = batchQueries((attempts: readonly Attempt[]): Promise<readonly Settled[]> => {
    const challengeIds = [...new Set(attempts.map(({ challenge }) => challenge.id))]
    const participationIds = attempts.map(({ player }) => player.participation.id)
    let settled: readonly Settled[] = []
    const work = () =>
      db.transaction(async (transaction) => {
        const repository = createSubmissionRepository(transaction)
        const locked = await repository.lockChallenges(challengeIds)
        if (locked.length < challengeIds.length) throw new Problem('challenge.unknown')
        const rules = new Map(locked.map(({ id, ...rule }) => [id, rule]))
        const limited = attempts.filter(({ challenge }) => hasAttemptRules(rules.get(challenge.id) ?? challenge))
        const keys = limited.map(countedOf)
        const counts = await repository.countAttempts(
          keys,
          limited.map(({ id }) => id),
        )
        const { judged, refused } = judgeAttemptsInOrder(attempts, {
          rules,
          solves: await repository.readSolves(challengeIds, participationIds),
          attempts: new Map(keys.map((key, index) => [keyOfAssignment(key), counts[index] ?? noAttempts])),
        })
        const rows = await repository.settle(judged.map(({ record }) => record))
        const stored = new Map(judged.map((one, index) => [one.attempt, { ...one, ...(rows[index] as StoredSubmission) }]))
        settled = attempts.map((attempt) => {
          const refusal = refused.get(attempt)
          return refusal
            ? problemOf(refusal, { ...attempt.challenge, ...rules.get(attempt.challenge.id) })
            : (stored.get(attempt) as Stored)
        })
        return settled
      })
    // If the connection failed before the confirmation, the transaction has stored either all submissions or none, so a search for
    // one of them is enough.
    const find = async () => {
      const [first] = settled.filter(isStored)
      const [found] = first ? await findStored([first]) : []
      return found && found.id === first?.id ? settled : undefined
    }
    return retryUntilOutcomeKnown(work, { find, isDone: isStoredAlready })
  }, db)

  /**
   * Judges and stores an attempt. Resolves after the commit.
   * @throws Problem `submission.limit`, `submission.cooldown`, or `challenge.unknown` for a right answer to a deleted challenge
   */
  return async (attempt: Attempt): Promise<Stored> => {
    const judged = judgeAttempt(attempt)
    if (judged.verdict.status !== 'Accepted' && !hasAttemptRules(attempt.challenge)) return storeTogether(judged)
    const settled = await settleTogether(attempt)
    if (!isStored(settled)) throw settled
    return settled
  }
}
