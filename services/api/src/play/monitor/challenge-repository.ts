import type { Executor } from '@capstan/db/client'
import { attachments, challenges, flags } from '@capstan/db/schema/challenges'
import { files } from '@capstan/db/schema/platform'
import { and, asc, eq, sql } from 'drizzle-orm'

/**
 * Columns that a monitor may read. Flags (except their points), flag templates and environment variables of containers are
 * excluded.
 */
const headColumns = {
  id: challenges.id,
  title: challenges.title,
  category: challenges.category,
  type: challenges.type,
  isEnabled: challenges.isEnabled,
  releaseAt: challenges.releaseAt,
  isReleased: challenges.isReleased,
  deadlineAt: challenges.deadlineAt,
  acceptedCount: challenges.acceptedCount,
  points: challenges.points,
  minimumShare: challenges.minimumShare,
  curve: challenges.curve,
  decay: challenges.decay,
}

export function createChallengeRepository(db: Executor) {
  return {
    list: (gameId: number) =>
      db
        .select(headColumns)
        .from(challenges)
        .where(eq(challenges.gameId, gameId))
        .orderBy(asc(challenges.title), asc(challenges.id)),
    async find(gameId: number, id: number) {
      const [row] = await db
        .select({
          ...headColumns,
          content: challenges.content,
          hints: challenges.hints,
          pricedHints: challenges.pricedHints,
          flags: sql<{ points: number | null }[]>`(
            select coalesce(json_agg(json_build_object('points', points) order by flags.id), '[]')
            from ${flags} where challenge_id = ${challenges.id} and ${challenges.type} like 'Static%')`,
          attachment: {
            fileHash: attachments.fileHash,
            fileName: attachments.fileName,
            remoteUrl: attachments.remoteUrl,
            sizeBytes: files.sizeBytes,
          },
        })
        .from(challenges)
        .leftJoin(attachments, eq(attachments.id, challenges.attachmentId))
        .leftJoin(files, eq(files.hash, attachments.fileHash))
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
      return row
    },
  }
}

type ChallengeRepository = ReturnType<typeof createChallengeRepository>
export type MonitoredRow = Awaited<ReturnType<ChallengeRepository['list']>>[number]
export type MonitoredViewRow = NonNullable<Awaited<ReturnType<ChallengeRepository['find']>>>
