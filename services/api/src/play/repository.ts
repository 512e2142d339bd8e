import type { Executor } from '@capstan/db/client'
import { assignments, attachments, challenges, flags, submissions } from '@capstan/db/schema/challenges'
import { instances } from '@capstan/db/schema/instances'
import { files } from '@capstan/db/schema/platform'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'

/** What became of an answer, and whose it was. */
export type OwnSubmission = Pick<
  typeof submissions.$inferSelect,
  'id' | 'gameId' | 'challengeId' | 'participationId' | 'userId' | 'status'
>

export type ChallengeRow = typeof challenges.$inferSelect
export type InstanceRow = typeof instances.$inferSelect

const findView = async (db: Executor, gameId: number, challengeId: number, participationId: number) => {
  const [row] = await db
    .select({
      challenge: challenges,
      assignment: assignments,
      attachment: { ...attachmentColumns, sizeBytes: files.sizeBytes },
      instance: instances,
    })
    .from(challenges)
    .leftJoin(assignments, and(eq(assignments.challengeId, challenges.id), eq(assignments.participationId, participationId)))
    .leftJoin(flags, eq(flags.id, assignments.flagId))
    .leftJoin(
      attachments,
      sql`${attachments.id} = case ${challenges.type} when 'DynamicAttachment' then ${flags.attachmentId} else ${challenges.attachmentId} end`,
    )
    .leftJoin(files, eq(files.hash, attachments.fileHash))
    .leftJoin(
      instances,
      and(eq(instances.challengeId, challenges.id), eq(instances.participationId, participationId), isNull(instances.endedAt)),
    )
    .where(and(eq(challenges.gameId, gameId), eq(challenges.id, challengeId), eq(challenges.isEnabled, true)))
  return row
}

const attachmentColumns = {
  id: attachments.id,
  type: attachments.type,
  fileHash: attachments.fileHash,
  fileName: attachments.fileName,
  remoteUrl: attachments.remoteUrl,
}

/** An enabled challenge as one team has it. */
export type ChallengeViewRow = NonNullable<Awaited<ReturnType<typeof findView>>>

export const playRepository = (db: Executor) => ({
  /** Undefined: no such challenge, or it is disabled. */
  findView: (gameId: number, challengeId: number, participationId: number) => findView(db, gameId, challengeId, participationId),
  /** In the order of the ids; undefined where there is none. */
  async findOwnSubmissions(ids: readonly number[]): Promise<(OwnSubmission | undefined)[]> {
    const rows = await db
      .select({
        id: submissions.id,
        gameId: submissions.gameId,
        challengeId: submissions.challengeId,
        participationId: submissions.participationId,
        userId: submissions.userId,
        status: submissions.status,
      })
      .from(submissions)
      .where(inArray(submissions.id, [...ids]))
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => byId.get(id))
  },
})
