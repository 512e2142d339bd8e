import type { FlagKind } from '@capstan/contract/challenges'
import type { Executor } from '@capstan/db/client'
import { assignments, attachments, challenges, flags, solves } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { captures, instances } from '@capstan/db/schema/instances'
import { files } from '@capstan/db/schema/platform'
import { and, asc, count, eq, exists, inArray, isNull, not, sql } from 'drizzle-orm'

export type ChallengeRow = typeof challenges.$inferSelect
export type ChallengeValues = Partial<typeof challenges.$inferInsert>
export type ReadinessRow = Pick<ChallengeRow, 'id' | 'gameId' | 'title' | 'isEnabled' | 'type'> &
  Readonly<{
    hasFlag: boolean
    /** True if every container has an image. */
    hasImage: boolean
  }>
type TestInstanceRow = typeof instances.$inferSelect

/** Attachment of a challenge or flag, with the size of a local file. */
export type AttachmentRow = Readonly<{
  id: number
  type: 'Local' | 'Remote'
  fileHash: string | null
  fileName: string | null
  remoteUrl: string | null
  sizeBytes: number | null
}>

export type FlagRow = Readonly<{
  id: number
  flag: string
  kind: FlagKind
  points: number | null
  attachment: AttachmentRow | null
}>

type NewAttachment = typeof attachments.$inferInsert

const attachmentColumns = {
  id: attachments.id,
  type: attachments.type,
  fileHash: attachments.fileHash,
  fileName: attachments.fileName,
  remoteUrl: attachments.remoteUrl,
  sizeBytes: files.sizeBytes,
}

/** PostgreSQL accepts at most 65,535 parameters in a statement. */
const maxRowsPerStatement = 5_000

export function splitIntoChunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / maxRowsPerStatement) }, (_, index) =>
    items.slice(index * maxRowsPerStatement, (index + 1) * maxRowsPerStatement),
  )
}

export function createChallengeRepository(db: Executor) {
  return {
    async find(gameId: number, id: number): Promise<ChallengeRow | undefined> {
      const [challenge] = await db
        .select()
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
      return challenge
    },
    /** Row-locks the challenge, so that edits, flag changes and solves run one after another. */
    async lock(gameId: number, id: number): Promise<ChallengeRow | undefined> {
      const [challenge] = await db
        .select()
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
        .for('no key update')
      return challenge
    },
    async insert(values: typeof challenges.$inferInsert): Promise<ChallengeRow> {
      const [challenge] = await db.insert(challenges).values(values).returning()
      if (!challenge) throw new Error('Inserting a challenge returned no row')
      return challenge
    },
    async update(id: number, values: ChallengeValues): Promise<ChallengeRow> {
      const [challenge] = await db.update(challenges).set(values).where(eq(challenges.id, id)).returning()
      if (!challenge) throw new Error('Updating a locked challenge returned no row')
      return challenge
    },
    async delete(id: number): Promise<void> {
      await db.delete(challenges).where(eq(challenges.id, id))
    },
    /** Lists challenges that are not released yet, in the order of their planned releases. */
    listUnreleased: (limit: number): Promise<{ id: number; gameId: number; releaseAt: Date | null }[]> =>
      db
        .select({ id: challenges.id, gameId: challenges.gameId, releaseAt: challenges.releaseAt })
        .from(challenges)
        .where(not(challenges.isReleased))
        .orderBy(asc(challenges.releaseAt), asc(challenges.id))
        .limit(limit),
    list: (gameId: number): Promise<ChallengeRow[]> =>
      db.select().from(challenges).where(eq(challenges.gameId, gameId)).orderBy(asc(challenges.id)),
    async listReadiness(gameIds: readonly number[]): Promise<ReadinessRow[]> {
      if (gameIds.length === 0) return []
      const ownFlags = db.select({ id: flags.id }).from(flags).where(eq(flags.challengeId, challenges.id))
      return db
        .select({
          id: challenges.id,
          gameId: challenges.gameId,
          title: challenges.title,
          isEnabled: challenges.isEnabled,
          type: challenges.type,
          hasFlag: sql<boolean>`${exists(ownFlags)}`,
          hasImage: sql<boolean>`${challenges.containerImage} <> ''
            and not jsonb_path_exists(${challenges.furtherContainers}, '$[*].image ? (@ == "")')`,
        })
        .from(challenges)
        .where(inArray(challenges.gameId, [...gameIds]))
        .orderBy(asc(challenges.id))
    },
    async countSolvers(gameId: number): Promise<Map<number, number>> {
      const rows = await db
        .select({ challengeId: solves.challengeId, solvers: count() })
        .from(solves)
        .innerJoin(participations, eq(participations.id, solves.participationId))
        .where(and(eq(solves.gameId, gameId), eq(participations.status, 'Accepted')))
        .groupBy(solves.challengeId)
      return new Map(rows.map(({ challengeId, solvers }) => [challengeId, solvers]))
    },
    /** Creates the missing assignments of the challenge for all participations of the game. */
    async createAssignments(gameId: number, challengeId: number): Promise<void> {
      await db.execute(sql`
      insert into ${assignments} (participation_id, challenge_id)
      select ${participations.id}, ${challengeId}::integer from ${participations} where ${participations.gameId} = ${gameId}
      on conflict do nothing`)
    },
    async listFlags(challengeIds: readonly number[]): Promise<(FlagRow & { readonly challengeId: number })[]> {
      if (challengeIds.length === 0) return []
      const rows = await db
        .select({
          id: flags.id,
          challengeId: flags.challengeId,
          flag: flags.flag,
          kind: flags.kind,
          points: flags.points,
          attachment: attachmentColumns,
        })
        .from(flags)
        .leftJoin(attachments, eq(attachments.id, flags.attachmentId))
        .leftJoin(files, eq(files.hash, attachments.fileHash))
        .where(inArray(flags.challengeId, [...challengeIds]))
        .orderBy(asc(flags.id))
      return rows.map(({ attachment, ...flag }) => ({
        ...flag,
        attachment: attachment?.id == null ? null : (attachment as AttachmentRow),
      }))
    },
    async insertFlags(rows: (typeof flags.$inferInsert)[]): Promise<void> {
      for (const chunk of splitIntoChunks(rows)) await db.insert(flags).values(chunk)
    },
    async setFlagPoints(id: number, points: number | null): Promise<void> {
      await db.update(flags).set({ points }).where(eq(flags.id, id))
    },
    async deleteFlags(challengeId: number, flagIds: readonly number[]): Promise<void> {
      for (const chunk of splitIntoChunks(flagIds))
        await db.delete(flags).where(and(eq(flags.challengeId, challengeId), inArray(flags.id, chunk)))
    },
    /** Stores attachments. @returns their ids in the same order */
    async insertAttachments(rows: readonly NewAttachment[]): Promise<number[]> {
      const ids: number[] = []
      for (const chunk of splitIntoChunks(rows)) {
        const inserted = await db.insert(attachments).values(chunk).returning({ id: attachments.id })
        ids.push(...inserted.map(({ id }) => id))
      }
      return ids
    },
    async findFileNames(hashes: readonly string[]): Promise<Map<string, string>> {
      const names = new Map<string, string>()
      for (const chunk of splitIntoChunks(hashes)) {
        const rows = await db.select({ hash: files.hash, name: files.name }).from(files).where(inArray(files.hash, chunk))
        for (const { hash, name } of rows) names.set(hash, name)
      }
      return names
    },
    async listAttachments(ids: readonly number[]): Promise<Map<number, AttachmentRow>> {
      if (ids.length === 0) return new Map()
      const rows = await db
        .select(attachmentColumns)
        .from(attachments)
        .leftJoin(files, eq(files.hash, attachments.fileHash))
        .where(inArray(attachments.id, [...ids]))
      return new Map(rows.map((row) => [row.id, row]))
    },
    /** Deletes attachments. @returns the hashes of their local files */
    async deleteAttachments(ids: readonly number[]): Promise<(string | null)[]> {
      const hashes: (string | null)[] = []
      for (const chunk of splitIntoChunks(ids)) {
        const deleted = await db
          .delete(attachments)
          .where(inArray(attachments.id, chunk))
          .returning({ hash: attachments.fileHash })
        hashes.push(...deleted.map(({ hash }) => hash))
      }
      return hashes
    },
    async findTestInstances(challengeIds: readonly number[]): Promise<Map<number, TestInstanceRow>> {
      const rows = await db
        .select()
        .from(instances)
        .where(and(inArray(instances.challengeId, challengeIds), isNull(instances.participationId), isNull(instances.endedAt)))
      return new Map(rows.map((row) => [row.challengeId, row]))
    },
    listCaptures: (challengeId: number): Promise<{ participationId: number; fileName: string }[]> =>
      db
        .select({ participationId: captures.participationId, fileName: captures.fileName })
        .from(captures)
        .where(eq(captures.challengeId, challengeId)),
  }
}
