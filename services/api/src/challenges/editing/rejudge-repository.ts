import type { RejudgeEffect } from '@capstan/contract/rejudging'
import type { AnswerResult } from '@capstan/contract/submissions'
import type { Executor } from '@capstan/db/client'
import {
  assignments,
  challenges,
  flags,
  rejudgedSolves,
  rejudgedSubmissions,
  rejudgings,
  solveCorrections,
  solves,
  submissions,
} from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { and, asc, count, eq, exists, gt, gte, inArray, isNotNull, ne, or, sql } from 'drizzle-orm'
import { sqlOfSolvingSubmissions } from '../../games/solves/service.ts'
import type { StoredFlagRule } from '../../rules/flags/parts.ts'
import type { JudgedSubmission, RecalculatedSolve, SolveChange, StatusChange } from './recalculation.ts'
import { splitIntoChunks } from './repository.ts'

/** Maximum number of submissions in a page. */
const submissionsAtOnce = 2_000

export type RejudgingRow = typeof rejudgings.$inferSelect

const solveColumns = {
  participationId: solves.participationId,
  submissionId: solves.submissionId,
  userId: solves.userId,
  solvedAt: solves.solvedAt,
}

/** SQL statements for a rejudge of one challenge. Before a call that writes, the caller must lock the challenge. */
export function createRejudgeRepository(db: Executor, challengeId: number) {
  return {
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
            isGranted: submissions.isGranted,
            isVoid: submissions.isVoid,
            flagId: submissions.flagId,
          })
          .from(submissions)
          .where(and(eq(submissions.challengeId, challengeId), gt(submissions.id, lastId)))
          .orderBy(asc(submissions.id))
          .limit(submissionsAtOnce)
        lastId = page.at(-1)?.id
        if (page.length > 0) yield page
      }
    },
    listFlags: (): Promise<StoredFlagRule[]> =>
      db
        .select({ id: flags.id, flag: flags.flag, kind: flags.kind, points: flags.points })
        .from(flags)
        .where(eq(flags.challengeId, challengeId)),
    async listAssigned(): Promise<Map<number, string | null>> {
      const rows = await db
        .select({ participationId: assignments.participationId, flag: assignments.flag })
        .from(assignments)
        .where(eq(assignments.challengeId, challengeId))
      return new Map(rows.map(({ participationId, flag }) => [participationId, flag]))
    },
    listSolves: (): Promise<RecalculatedSolve[]> =>
      db.select(solveColumns).from(solves).where(eq(solves.challengeId, challengeId)),
    async listAccepted(gameId: number): Promise<Set<number>> {
      const rows = await db
        .select({ id: participations.id })
        .from(participations)
        .where(and(eq(participations.gameId, gameId), eq(participations.status, 'Accepted')))
      return new Set(rows.map(({ id }) => id))
    },
    async setStatuses(statuses: Iterable<readonly [id: number, status: AnswerResult]>): Promise<void> {
      const byStatus = Map.groupBy(statuses, ([, status]) => status)
      for (const [status, entries] of byStatus)
        for (const chunk of splitIntoChunks(entries.map(([id]) => id)))
          await db.update(submissions).set({ status }).where(inArray(submissions.id, chunk))
    },
    async setFlagIds(flagIds: Iterable<readonly [id: number, flagId: number]>): Promise<void> {
      const byFlag = Map.groupBy(flagIds, ([, flagId]) => flagId)
      for (const [flagId, entries] of byFlag)
        for (const chunk of splitIntoChunks(entries.map(([id]) => id)))
          await db.update(submissions).set({ flagId }).where(inArray(submissions.id, chunk))
    },
    async replaceSolves(gameId: number, participationIds: readonly number[], list: readonly RecalculatedSolve[]): Promise<void> {
      for (const chunk of splitIntoChunks(participationIds))
        await db.delete(solves).where(and(eq(solves.challengeId, challengeId), inArray(solves.participationId, chunk)))
      for (const chunk of splitIntoChunks(list))
        await db
          .insert(solves)
          .values(chunk.map((solve) => ({ gameId, challengeId, ...solve, countedAt: sql`clock_timestamp()` })))
    },
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

    async findRejudging(): Promise<RejudgingRow | undefined> {
      const [row] = await db.select().from(rejudgings).where(eq(rejudgings.challengeId, challengeId))
      return row
    },
    /** Replaces the record of the previous rejudge with a new record. */
    async openRejudging(values: Readonly<{ rejudgedAt: Date; gameEndsAt: Date }>): Promise<void> {
      await db.delete(rejudgings).where(eq(rejudgings.challengeId, challengeId))
      await db.insert(rejudgings).values({ challengeId, ...values })
    },
    async recordStatuses(changes: ReadonlyMap<number, StatusChange>): Promise<void> {
      const rows = [...changes].map(([submissionId, change]) => ({ submissionId, challengeId, ...change }))
      for (const chunk of splitIntoChunks(rows)) await db.insert(rejudgedSubmissions).values(chunk)
    },
    async recordSolves(changes: readonly SolveChange[]): Promise<void> {
      const rows = changes.map(({ participationId, before }) => ({ challengeId, ...before, participationId }))
      for (const chunk of splitIntoChunks(rows)) await db.insert(rejudgedSolves).values(chunk)
    },
    async closeRejudging(effect: RejudgeEffect): Promise<void> {
      await db.update(rejudgings).set(effect).where(eq(rejudgings.challengeId, challengeId))
    },
    async deleteRejudging(): Promise<void> {
      await db.delete(rejudgings).where(eq(rejudgings.challengeId, challengeId))
    },
    /** True if the status of a rejudged submission has changed since the rejudge. */
    async hasOtherStatus(): Promise<boolean> {
      const [row] = await db
        .select({ id: submissions.id })
        .from(rejudgedSubmissions)
        .innerJoin(submissions, eq(submissions.id, rejudgedSubmissions.submissionId))
        .where(and(eq(rejudgedSubmissions.challengeId, challengeId), ne(submissions.status, rejudgedSubmissions.after)))
        .limit(1)
      return row !== undefined
    },
    /** True if an organizer corrected a solve, or revoked a correction, at or after `time`. */
    async isCorrectedSince(time: Date): Promise<boolean> {
      const [row] = await db
        .select({ id: solveCorrections.id })
        .from(solveCorrections)
        .where(
          and(
            eq(solveCorrections.challengeId, challengeId),
            or(gte(solveCorrections.correctedAt, time), gte(solveCorrections.revokedAt, time)),
          ),
        )
        .limit(1)
      return row !== undefined
    },
    async restoreStatuses(): Promise<number> {
      const restored = await db
        .update(submissions)
        .set({ status: sql`${rejudgedSubmissions.before}` })
        .from(rejudgedSubmissions)
        .where(and(eq(rejudgedSubmissions.challengeId, challengeId), eq(submissions.id, rejudgedSubmissions.submissionId)))
      return restored.count
    },
    /**
     * Restores the solves of teams whose solve the rejudge changed. If such a team had no solve before the rejudge, its first
     * solving submission becomes its solve. That submission may be newer than the rejudge.
     * @param end end of the game
     */
    async restoreSolves(gameId: number, end: Date): Promise<void> {
      const recorded = and(
        eq(rejudgedSolves.challengeId, challengeId),
        eq(rejudgedSolves.participationId, solves.participationId),
      )
      await db
        .delete(solves)
        .where(
          and(
            eq(solves.challengeId, challengeId),
            exists(db.select({ id: rejudgedSolves.participationId }).from(rejudgedSolves).where(recorded)),
          ),
        )
      await db.execute(sql`
      insert into ${solves} (game_id, challenge_id, participation_id, submission_id, user_id, solved_at, counted_at)
      select ${gameId}, challenge_id, participation_id, submission_id, user_id, solved_at, clock_timestamp()
      from ${rejudgedSolves} where challenge_id = ${challengeId} and ${isNotNull(rejudgedSolves.submissionId)}`)
      await db.execute(sql`
      insert into ${solves} (game_id, challenge_id, participation_id, submission_id, user_id, solved_at, counted_at)
      select distinct on (solving.participation_id) solving.game_id, solving.challenge_id,
        solving.participation_id, solving.id, solving.user_id, solving.submitted_at, clock_timestamp()
      from ${rejudgedSolves}
      join (${sqlOfSolvingSubmissions({ challengeId }, end)}) as solving on solving.participation_id = rejudged_solves.participation_id
      where rejudged_solves.challenge_id = ${challengeId} and rejudged_solves.submission_id is null
      order by solving.participation_id, solving.submitted_at, solving.id`)
    },
  }
}
