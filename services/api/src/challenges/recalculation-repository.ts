import type { FlagRule } from '@capstan/contract/challenges'
import type { AnswerResult } from '@capstan/contract/submissions'
import type { Executor } from '@capstan/db/client'
import { assignments, challenges, flags, solves, submissions } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { and, asc, count, eq, gt, inArray } from 'drizzle-orm'
import type { JudgedSubmission, RecalculatedSolve } from './recalculation.ts'
import { chunksOf } from './repository.ts'

/** Attempts of a page. */
const submissionsAtOnce = 2_000

/** What judging all attempts at one challenge again reads and writes; whoever writes has locked the challenge. */
export const recalculationRepository = (db: Executor, challengeId: number) => ({
  /** All attempts by id, a page at a time: one player alone may make a million of them. */
  async *listSubmissions(): AsyncGenerator<readonly JudgedSubmission[], void> {
    for (let lastId: number | undefined = 0; lastId !== undefined; ) {
      const page: JudgedSubmission[] = await db
        .select({
          id: submissions.id,
          participationId: submissions.participationId,
          userId: submissions.userId,
          answer: submissions.answer,
          status: submissions.status,
          submittedAt: submissions.submittedAt,
        })
        .from(submissions)
        .where(and(eq(submissions.challengeId, challengeId), gt(submissions.id, lastId)))
        .orderBy(asc(submissions.id))
        .limit(submissionsAtOnce)
      lastId = page.at(-1)?.id
      if (page.length > 0) yield page
    }
  },
  listFlags: (): Promise<FlagRule[]> =>
    db.select({ flag: flags.flag, kind: flags.kind }).from(flags).where(eq(flags.challengeId, challengeId)),
  async listAssigned(): Promise<Map<number, string | null>> {
    const rows = await db
      .select({ participationId: assignments.participationId, flag: assignments.flag })
      .from(assignments)
      .where(eq(assignments.challengeId, challengeId))
    return new Map(rows.map(({ participationId, flag }) => [participationId, flag]))
  },
  async setStatuses(changes: ReadonlyMap<number, AnswerResult>): Promise<void> {
    const byStatus = Map.groupBy(changes, ([, status]) => status)
    for (const [status, entries] of byStatus)
      for (const chunk of chunksOf(entries.map(([id]) => id)))
        await db.update(submissions).set({ status }).where(inArray(submissions.id, chunk))
  },
  async replaceSolves(gameId: number, list: readonly RecalculatedSolve[]): Promise<void> {
    await db.delete(solves).where(eq(solves.challengeId, challengeId))
    for (const chunk of chunksOf(list)) await db.insert(solves).values(chunk.map((solve) => ({ gameId, challengeId, ...solve })))
  },
  /** Solves of Accepted participations. */
  async countSolvers(): Promise<number> {
    const [row] = await db
      .select({ solvers: count() })
      .from(solves)
      .innerJoin(participations, eq(participations.id, solves.participationId))
      .where(and(eq(solves.challengeId, challengeId), eq(participations.status, 'Accepted')))
    return row?.solvers ?? 0
  },
  async setAcceptedCount(acceptedCount: number): Promise<void> {
    await db.update(challenges).set({ acceptedCount }).where(eq(challenges.id, challengeId))
  },
})
