import type { CaptureFigures } from '@capstan/contract/captures'
import type { Executor } from '@capstan/db/client'
import { challenges } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { captureCollections, captureRuns, captures, instances } from '@capstan/db/schema/instances'
import { teams } from '@capstan/db/schema/teams'
import { type AnyColumn, and, count, desc, eq, type SQL, sql } from 'drizzle-orm'

/** Returns an SQL expression that sums `value` over the rows of `table` for each instance. */
function sumOf(value: SQL, table: SQL): SQL<number> {
  return sql`(select coalesce(sum(${value}), 0) from ${table} where instance_id = ${instances.id})`.mapWith(Number)
}

function total(value: SQL | AnyColumn): SQL<number> {
  return sql`coalesce(sum(${value}), 0)`.mapWith(Number)
}

function plus(one: SQL<number>, other: SQL<number>): SQL<number> {
  return sql`${one} + ${other}`.mapWith(Number)
}

const figures = {
  files: sumOf(sql`1`, sql`${captures}`),
  bytes: sumOf(sql`size_bytes`, sql`${captures}`),
  packets: sumOf(sql`packets`, sql`${captureRuns}`),
  droppedPackets: sumOf(sql`dropped_packets`, sql`${captureRuns}`),
  lostFiles: plus(sumOf(sql`lost_files`, sql`${captureRuns}`), sumOf(sql`refused_files`, sql`${captureCollections}`)),
  lostBytes: plus(sumOf(sql`lost_bytes`, sql`${captureRuns}`), sumOf(sql`refused_bytes`, sql`${captureCollections}`)),
  gaps: sumOf(sql`case when lost_at is null then 0 else 1 end`, sql`${captureRuns}`),
}

export function createCaptureHealthRepository(db: Executor) {
  return {
    async sumFigures(gameId?: number): Promise<CaptureFigures> {
      const ofGame = gameId === undefined ? undefined : eq(instances.gameId, gameId)
      const [runs] = await db
        .select({
          packets: total(captureRuns.packets),
          droppedPackets: total(captureRuns.droppedPackets),
          lostFiles: total(captureRuns.lostFiles),
          lostBytes: total(captureRuns.lostBytes),
          gaps: count(captureRuns.lostAt),
        })
        .from(captureRuns)
        .innerJoin(instances, eq(instances.id, captureRuns.instanceId))
        .where(ofGame)
      const [refused] = await db
        .select({ files: total(captureCollections.refusedFiles), bytes: total(captureCollections.refusedBytes) })
        .from(captureCollections)
        .innerJoin(instances, eq(instances.id, captureCollections.instanceId))
        .where(ofGame)
      const [stored] = await db
        .select({ files: count(), bytes: total(captures.sizeBytes) })
        .from(captures)
        .innerJoin(challenges, eq(challenges.id, captures.challengeId))
        .where(gameId === undefined ? undefined : eq(challenges.gameId, gameId))
      const { packets = 0, droppedPackets = 0, lostFiles = 0, lostBytes = 0, gaps = 0 } = runs ?? {}
      return {
        files: stored?.files ?? 0,
        bytes: stored?.bytes ?? 0,
        packets,
        droppedPackets,
        lostFiles: lostFiles + (refused?.files ?? 0),
        lostBytes: lostBytes + (refused?.bytes ?? 0),
        gaps,
      }
    },
    /** Returns the recorded instances of a game: first running instances, then ended instances, both sorted newest first. */
    listInstances: (gameId: number, limit: number) =>
      db
        .select({
          instanceId: instances.id,
          challengeId: challenges.id,
          challengeTitle: challenges.title,
          participationId: participations.id,
          teamId: teams.id,
          teamName: teams.name,
          startedAt: instances.startedAt,
          endedAt: instances.endedAt,
          collectedAt: captureCollections.collectedAt,
          failingSince: captureCollections.failingSince,
          ...figures,
        })
        .from(instances)
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .innerJoin(participations, eq(participations.id, instances.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .leftJoin(captureCollections, eq(captureCollections.instanceId, instances.id))
        .where(and(eq(instances.gameId, gameId), eq(instances.capture, true)))
        .orderBy(sql`${instances.endedAt} is not null`, desc(instances.startedAt), desc(instances.id))
        .limit(limit),
  }
}

export type CaptureHealthRow = Awaited<ReturnType<ReturnType<typeof createCaptureHealthRepository>['listInstances']>>[number]
