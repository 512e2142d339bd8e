import type { Executor } from '@capstan/db/client'
import { challenges, cheats, submissions } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { instances, proxyConnections } from '@capstan/db/schema/instances'
import { and, count, eq, gte, isNotNull, isNull, max, min, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

function minuteOf(column: PgColumn, since: Date) {
  return sql<number>`floor(extract(epoch from ${column} - ${since.toISOString()}::timestamptz) / 60)::integer`
}

/** Reads figures of a game for monitors, with one statement for each figure. Events before `since` are ignored. */
export function createDeskRepository(db: Executor) {
  return {
    countSubmissions: (gameId: number, since: Date) =>
      db
        .select({
          minute: minuteOf(submissions.submittedAt, since).as('minute'),
          submissions: count(),
          accepted: sql<number>`count(*) filter (where ${submissions.status} = 'Accepted')`.mapWith(Number),
        })
        .from(submissions)
        .where(and(eq(submissions.gameId, gameId), gte(submissions.submittedAt, since)))
        .groupBy(sql`minute`),
    countStarts: (gameId: number, since: Date) =>
      db
        .select({ minute: minuteOf(instances.startedAt, since).as('minute'), starts: count() })
        .from(instances)
        .where(and(eq(instances.gameId, gameId), isNotNull(instances.participationId), gte(instances.startedAt, since)))
        .groupBy(sql`minute`),
    listLive: (gameId: number) =>
      db
        .select({
          id: instances.id,
          participationId: instances.participationId,
          status: instances.status,
          challengeId: instances.challengeId,
          challenge: challenges.title,
          image: instances.image,
        })
        .from(instances)
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .where(and(eq(instances.gameId, gameId), isNull(instances.endedAt))),
    /** Counts, for each challenge and image, the instances that never became ready. */
    listFailed: (gameId: number, since: Date) =>
      db
        .select({
          challengeId: instances.challengeId,
          challenge: challenges.title,
          image: instances.image,
          count: count(),
          lastAt: sql<Date>`max(${instances.endedAt})`.mapWith(instances.endedAt),
          reason: sql<string>`(array_agg(${instances.reason} order by ${instances.endedAt} desc))[1]`,
          reasonCode: sql<string | null>`(array_agg(${instances.reasonCode} order by ${instances.endedAt} desc))[1]`,
        })
        .from(instances)
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .where(and(eq(instances.gameId, gameId), isNotNull(instances.reason), gte(instances.endedAt, since)))
        .groupBy(instances.challengeId, challenges.title, instances.image),
    /**
     * Finds for each challenge the start of the newest team instance that became ready. Only instances that became ready have a
     * host.
     */
    listLastReady: (gameId: number) =>
      db
        .select({ challengeId: instances.challengeId, at: max(instances.startedAt) })
        .from(instances)
        .where(and(eq(instances.gameId, gameId), isNotNull(instances.participationId), isNotNull(instances.host)))
        .groupBy(instances.challengeId),
    async countWaiting(gameId: number): Promise<{ waiting: number; since: Date | null }> {
      const [row] = await db
        .select({ waiting: count(), since: min(participations.createdAt) })
        .from(participations)
        .where(and(eq(participations.gameId, gameId), eq(participations.status, 'Pending'), eq(participations.isWaiting, false)))
      return row ?? { waiting: 0, since: null }
    },
    async countCheats(gameId: number, since: Date): Promise<{ lastHour: number; total: number }> {
      const [row] = await db
        .select({
          total: count(),
          lastHour:
            sql<number>`count(*) filter (where ${submissions.submittedAt} >= ${since.toISOString()}::timestamptz)`.mapWith(
              Number,
            ),
        })
        .from(cheats)
        .innerJoin(submissions, eq(submissions.id, cheats.submissionId))
        .where(eq(cheats.gameId, gameId))
      return row ?? { lastHour: 0, total: 0 }
    },
    async countProxied(gameId: number): Promise<number> {
      const [row] = await db
        .select({ open: count() })
        .from(proxyConnections)
        .innerJoin(instances, eq(instances.id, proxyConnections.instanceId))
        .where(and(eq(instances.gameId, gameId), isNull(instances.endedAt), isNull(proxyConnections.closedAt)))
      return row?.open ?? 0
    },
  }
}

export type LiveRow = Awaited<ReturnType<ReturnType<typeof createDeskRepository>['listLive']>>[number]
export type FailedRow = Awaited<ReturnType<ReturnType<typeof createDeskRepository>['listFailed']>>[number]
export type LastReadyRow = Awaited<ReturnType<ReturnType<typeof createDeskRepository>['listLastReady']>>[number]
