import { Problem } from '@capstan/contract/problems'
import { batchQueries } from '@capstan/db/batched'
import type { Database, Transaction } from '@capstan/db/client'
import { DatabaseError } from '@capstan/db/database-error'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import { keyOfAssignment } from '../../instances/team-flags/service.ts'
import { type AttemptRefusal, hasAttemptRules, noAttempts } from '../../rules/flags/attempts.ts'
import { type Attempt, type Judged, judgeAttempt, judgeAttemptsInOrder } from './judging.ts'
import { createSubmissionRepository, type StoredSubmission, type SubmissionRepository } from './submission-repository.ts'

/** Attempt with its verdict and the id of its stored submission. */
export interface StoredAttempt extends Judged, StoredSubmission {}

/** Outcome of an attempt: the stored attempt, or the problem with which the attempt was refused. */
type Outcome = StoredAttempt | Problem

function isStored(outcome: Outcome): outcome is StoredAttempt {
  return !(outcome instanceof Problem)
}

/** Creates the queries that store attempts. Concurrent attempts share a statement or a transaction. */
export function createAttemptQueries(db: Database, repository: SubmissionRepository) {
  return {
    storeWithoutLock: batchQueries((judged: readonly Judged[]) => storeWithoutLock(repository, judged), db),
    judgeUnderLock: batchQueries((attempts: readonly Attempt[]) => judgeUnderLock(db, repository, attempts), db),
  }
}

/**
 * Judges and stores an attempt. Resolves after the commit. Wrong answers to challenges without attempt rules are stored without a
 * lock. All other attempts are judged under a lock on their challenges. The judgment therefore takes all earlier solves and attempts
 * into account.
 * @throws Problem `submission.limit`, `submission.cooldown`, or `challenge.unknown` for a right answer to a deleted challenge
 */
export async function judgeAndStore(
  { storeWithoutLock, judgeUnderLock }: ReturnType<typeof createAttemptQueries>,
  attempt: Attempt,
): Promise<StoredAttempt> {
  const judged = judgeAttempt(attempt)
  if (judged.verdict.status !== 'Accepted' && !hasAttemptRules(attempt.challenge)) return storeWithoutLock(judged)
  const outcome = await judgeUnderLock(attempt)
  if (!isStored(outcome)) throw outcome
  return outcome
}

function storeWithoutLock(repository: SubmissionRepository, judged: readonly Judged[]): Promise<StoredAttempt[]> {
  const work = async () => withIds(judged, await repository.insert(judged.map(({ row }) => row)))
  // If the connection failed before the confirmation, the statement has stored either all submissions or none.
  const find = async () => {
    const found = await findStored(repository, judged)
    return found.length === judged.length ? found : undefined
  }
  return retryUntilOutcomeKnown(work, { find, isDone: isStoredAlready })
}

/** @returns the outcomes in the order of the attempts */
function judgeUnderLock(
  db: Database,
  repository: SubmissionRepository,
  attempts: readonly Attempt[],
): Promise<readonly Outcome[]> {
  let outcomes: readonly Outcome[] = []
  const work = () =>
    db.transaction(async (transaction) => {
      outcomes = await judgeInTransaction(transaction, attempts)
      return outcomes
    })
  // If the connection failed before the confirmation, the transaction has stored either all submissions or none, so a search for
  // one of the submissions is enough.
  const find = async () => {
    const first = outcomes.find(isStored)
    const [found] = first ? await findStored(repository, [first]) : []
    return found && found.id === first?.id ? outcomes : undefined
  }
  return retryUntilOutcomeKnown(work, { find, isDone: isStoredAlready })
}

async function judgeInTransaction(transaction: Transaction, attempts: readonly Attempt[]): Promise<readonly Outcome[]> {
  const repository = createSubmissionRepository(transaction)
  const challengeIds = [...new Set(attempts.map(({ challenge }) => challenge.id))]
  const participationIds = attempts.map(({ player }) => player.participation.id)
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
  const rows = await repository.insertWithSolves(judged.map(({ row }) => row))
  const stored = new Map(withIds(judged, rows).map((one) => [one.attempt, one]))
  return attempts.map((attempt) => {
    const refusal = refused.get(attempt)
    return refusal
      ? problemOf(refusal, { ...attempt.challenge, ...rules.get(attempt.challenge.id) })
      : (stored.get(attempt) as StoredAttempt)
  })
}

function withIds(judged: readonly Judged[], rows: readonly StoredSubmission[]): StoredAttempt[] {
  return rows.map((row, index) => ({ ...(judged[index] as Judged), ...row }))
}

async function findStored(repository: SubmissionRepository, judged: readonly Judged[]): Promise<StoredAttempt[]> {
  const found = await repository.findStored(judged.map(({ row }) => row))
  return found.flatMap((row, index) => (row ? [{ ...(judged[index] as Judged), ...row }] : []))
}

function countedOf({ challenge, player }: Attempt) {
  return { challengeId: challenge.id, participationId: player.participation.id, endsAt: player.game.endsAt }
}

function problemOf(refusal: AttemptRefusal, { submissionLimit, cooldownSeconds }: Attempt['challenge']): Problem {
  return refusal.code === 'submission.limit'
    ? new Problem(refusal.code, { detail: `The team has used all of its ${submissionLimit} attempts at this challenge.` })
    : new Problem(refusal.code, {
        detail: `After a wrong answer the team waits ${cooldownSeconds} s.`,
        retryAfterSeconds: refusal.retryAfterSeconds,
      })
}

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
