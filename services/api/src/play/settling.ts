import { Problem } from '@capstan/contract/problems'
import { batched } from '@capstan/db/batched'
import type { Database } from '@capstan/db/client'
import { DatabaseError, DatabaseUnavailable } from '@capstan/db/database-error'
import { retryUntilKnown } from '@capstan/db/retry-until-known'
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from '../changes/feed.ts'
import { type Attempt, type Judged, judge, judgeInTurn, solvesAfter } from './judging.ts'
import { type KnownSolves, type StoredSubmission, submissionRepository } from './submission-repository.ts'

/** What has become of an attempt. */
export interface Stored extends Judged, StoredSubmission {}

/** Challenges whose solves are kept in mind. */
const mostChallenges = 2_000
/** Of a challenge, the last ones. Who is not among them is noticed by the database. */
const mostSolvers = 100

/** An earlier try of the same call has stored it after all. */
const isStoredAlready = (error: unknown): boolean =>
  error instanceof DatabaseError && error.constraint === 'submissions_attempt_key'

/** True if a submission with the same id of the client is stored. */
export const isRepetition = (error: unknown): boolean =>
  error instanceof DatabaseError && error.constraint === 'submissions_client_key_participation_id_key'

/** Changes of sessions and accounts say nothing about solves. */
const isAboutPeople = (change: string): boolean => /^(?:user|session) /.test(change)

/**
 * Judges attempts and stores them with all that follows. Right answers are settled together: each sees the solves before it.
 * What the solves before it mean is kept in mind with the version of the challenge's row, and the statement that stores a solve
 * stores nothing of a challenge whose row has another version by then. Then, and while somebody has the challenge locked, it is
 * settled under a lock of its own.
 */
export const createSettler = ({ db, changes }: { readonly db: Database; readonly changes: ChangeFeed }) => {
  const submissions = submissionRepository(db)
  const known = new LRUCache<number, KnownSolves>({ max: mostChallenges })
  // Whether a participation is accepted decides whether its solve counts.
  changes.listen((keys) => {
    if (!keys?.every(isAboutPeople)) known.clear()
  })

  const findStored = async (judged: readonly Judged[]): Promise<(Stored | undefined)[]> =>
    (await submissions.findStored(judged.map(({ record }) => record))).map(
      (row, index) => row && { ...(judged[index] as Judged), id: row.id, noticeId: row.noticeId },
    )

  const storeTogether = batched((judged: readonly Judged[]) => {
    const work = async (): Promise<Stored[]> => {
      const rows = await submissions.insert(judged.map(({ record }) => record))
      return rows.map((row, index) => ({ ...(judged[index] as Judged), ...row }))
    }
    // What was stored by a statement whose answer got lost: all of it or nothing.
    const find = async () => {
      const found = (await findStored(judged)).filter((one) => one !== undefined)
      return found.length === judged.length ? found : undefined
    }
    return retryUntilKnown(work, { find, isDone: isStoredAlready })
  }, db)

  /** What is known of the challenges of these attempts, as far as it is not out of date. */
  const recall = async (attempts: readonly Attempt[]): Promise<Map<number, KnownSolves>> => {
    const ids = [...new Set(attempts.map(({ challenge }) => challenge.id))]
    const unknown = ids.filter((id) => !known.has(id))
    const participationIds = attempts.map(({ player }) => player.participation.id)
    const read = unknown.length > 0 ? await submissions.readSolves(unknown, participationIds) : undefined
    return new Map(
      ids.flatMap((id) => {
        const solves = known.get(id) ?? read?.(id)
        return solves ? [[id, solves] as const] : []
      }),
    )
  }

  /** Keeps in mind what the solves of the challenges are after what was just stored. */
  const remember = (before: ReadonlyMap<number, KnownSolves>, stored: readonly (Stored & { version: string | null })[]): void => {
    for (const [id, ofChallenge] of Map.groupBy(stored, ({ record }) => record.challengeId)) {
      const solves = before.get(id)
      const version = ofChallenge[0]?.version ?? solves?.version
      if (!solves || !version) continue
      const { counted, lastAt, solvers } = solvesAfter(solves, ofChallenge)
      known.set(id, { counted, lastAt, solvers: solvers.slice(-mostSolvers), version })
    }
  }

  /** May have been stored by a statement whose answer got lost, as they were judged then. */
  const perhapsStored = new WeakMap<Attempt, Judged>()

  /** Stores what still follows from what is known. */
  const settleKnown = async (attempts: readonly Attempt[]): Promise<Map<Attempt, Stored>> => {
    const { generation } = changes
    const before = await recall(attempts)
    const judged = judgeInTurn(attempts, (id) => before.get(id) as KnownSolves)
    // Unless it is known what became of this.
    for (const id of before.keys()) known.delete(id)
    try {
      const rows = await submissions.settle(
        judged.map(({ record }) => record),
        before,
      )
      const stored = rows.flatMap((row, index) => (row ? [{ ...(judged[index] as Judged), ...row }] : []))
      if (changes.generation === generation) remember(before, stored)
      return new Map(stored.map((one) => [one.attempt, one]))
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable && error.isOutcomeUnknown) && !isStoredAlready(error)) throw error
      for (const one of judged) perhapsStored.set(one.attempt, one)
      return new Map((await findStored(judged)).flatMap((one) => (one ? [[one.attempt, one] as const] : [])))
    }
  }

  /** One after the other, as each follows from the last. Undefined: nothing of it is stored. */
  const settleByVersion = batched(
    async (attempts: readonly Attempt[]): Promise<(Stored | undefined)[]> => {
      const first = await settleKnown(attempts)
      // By what is read now: another process has settled solves, or the team had its own already.
      const rest = attempts.filter((attempt) => !first.has(attempt) && !perhapsStored.has(attempt))
      const second = rest.length > 0 ? await settleKnown(rest) : first
      return attempts.map((attempt) => first.get(attempt) ?? second.get(attempt))
    },
    db,
    { maxConcurrent: 1 },
  )

  const settleLocked = (attempts: readonly Attempt[]): Promise<readonly Stored[]> => {
    const challengeIds = [...new Set(attempts.map(({ challenge }) => challenge.id))]
    const participationIds = attempts.map(({ player }) => player.participation.id)
    let settled: readonly Stored[] = []
    const work = () =>
      db.transaction(async (transaction) => {
        const repository = submissionRepository(transaction)
        await repository.lockChallenges(challengeIds)
        const solvesOf = await repository.readSolves(challengeIds, participationIds)
        const judged = judgeInTurn(attempts, solvesOf)
        const rows = await repository.settle(
          judged.map(({ record }) => record),
          new Map(challengeIds.map((id) => [id, solvesOf(id)])),
        )
        const stored = new Map(judged.map((one, index) => [one.attempt, { ...one, ...rows[index] }]))
        settled = attempts.map((attempt) => {
          const one = stored.get(attempt)
          if (one?.id === undefined || one.noticeId === undefined) throw new Problem('challenge.unknown')
          return { ...one, id: one.id, noticeId: one.noticeId }
        })
        return settled
      })
    // Where the answer to the commit got lost: all of it is there, or nothing.
    const find = async () => {
      const [first, earlier] = [settled[0], attempts[0] && perhapsStored.get(attempts[0])]
      const [stored] = first || earlier ? await findStored([first ?? (earlier as Judged)]) : []
      if (!stored) return undefined
      if (stored.id === first?.id) return settled
      return earlier && (await findStored([earlier])).filter((one) => one !== undefined)
    }
    return retryUntilKnown(work, { find, isDone: isStoredAlready })
  }
  const settleUnderLock = batched(settleLocked, db)

  /** @returns once it is committed */
  return async (attempt: Attempt): Promise<Stored> => {
    const judged = judge(attempt)
    if (judged.verdict.status !== 'Accepted') return storeTogether(judged)
    const settled = await settleByVersion(attempt)
    if (settled) return settled
    if (!perhapsStored.has(attempt)) return settleUnderLock(attempt)
    // By itself: whether an earlier statement has stored it after all says nothing of others.
    return (await settleLocked([attempt]))[0] as Stored
  }
}
