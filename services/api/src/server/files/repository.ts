import type { Executor } from '@capstan/db/client'
import { participations } from '@capstan/db/schema/games'
import { files } from '@capstan/db/schema/platform'
import { registrationAnswers, registrationFiles } from '@capstan/db/schema/questions'
import { and, asc, count, eq, gt, inArray, type SQL, sql } from 'drizzle-orm'

export type FileRow = typeof files.$inferSelect

/** Owner of answers to registration questions. */
export type AnswerFileOwner =
  | Readonly<{ gameId: number }>
  | Readonly<{ teamId: number }>
  | Readonly<{ participationIds: readonly number[] }>
  | Readonly<{ userId: string }>

function isOf(owner: AnswerFileOwner): SQL {
  if ('gameId' in owner) return eq(registrationFiles.gameId, owner.gameId)
  if ('teamId' in owner) return eq(participations.teamId, owner.teamId)
  if ('userId' in owner) return eq(registrationAnswers.userId, owner.userId)
  return inArray(registrationAnswers.participationId, [...owner.participationIds])
}

export function createFileRepository(db: Executor) {
  return {
    /**
     * Inserts a row with 0 references if there is no row for the content. The caller then stores the content. If the caller
     * crashes, `deleteUnreferencedFiles` finds the row.
     */
    async announce(row: { hash: string; name: string; sizeBytes: number }): Promise<void> {
      await db
        .insert(files)
        .values({ ...row, referenceCount: 0 })
        .onConflictDoNothing()
    },
    async lock(hash: string): Promise<boolean> {
      const rows = await db.select({ hash: files.hash }).from(files).where(eq(files.hash, hash)).for('update')
      return rows.length > 0
    },
    /** Adds a reference, sets the name, and locks the row until the transaction ends. */
    async addReference(row: { hash: string; name: string; sizeBytes: number; uploadedAt: Date }): Promise<FileRow> {
      const [stored] = await db
        .insert(files)
        .values(row)
        .onConflictDoUpdate({
          target: files.hash,
          set: { name: row.name, referenceCount: sql`${files.referenceCount} + 1`, uploadedAt: row.uploadedAt },
        })
        .returning()
      if (!stored) throw new Error('Adding a reference returned no row')
      return stored
    },
    /** Removes references, but not below 0. @returns false if there is no such file */
    async dropReferences(hash: string, references: number): Promise<boolean> {
      const dropped = await db
        .update(files)
        .set({ referenceCount: sql`greatest(${files.referenceCount} - ${references}::integer, 0)` })
        .where(and(eq(files.hash, hash), gt(files.referenceCount, 0)))
        .returning({ hash: files.hash })
      return dropped.length > 0
    },
    async raiseReferences(hash: string, references: number): Promise<void> {
      await db
        .update(files)
        .set({ referenceCount: sql`greatest(${files.referenceCount}, ${references}::integer)` })
        .where(eq(files.hash, hash))
    },
    /** Locks the rows of used files in a fixed order to prevent deadlocks. */
    lockUsed: (hashes: readonly string[]): Promise<FileRow[]> =>
      db
        .select()
        .from(files)
        .where(and(inArray(files.hash, [...hashes]), gt(files.referenceCount, 0)))
        .orderBy(asc(files.hash))
        .for('update'),
    /** Counts the references of database rows to each file. @returns a map from hash to number of references */
    async countUses(hashes: readonly string[]): Promise<Map<string, number>> {
      // The list is one JSON parameter, because a statement has at most 65,535 parameters.
      const list = sql`(select json_array_elements_text(${JSON.stringify(hashes)}::json))`
      const rows = await db.execute<{ hash: string; uses: number }>(sql`
      select hash, count(*)::integer as uses from (
        select file_hash as hash from attachments where file_hash in ${list}
        union all select avatar_hash from users where avatar_hash in ${list}
        union all select avatar_hash from teams where avatar_hash in ${list}
        union all select poster_hash from games where poster_hash in ${list}
        union all select writeup_hash from participations where writeup_hash in ${list}
        union all select file_hash from registration_files where file_hash in ${list}
        union all select picture from certificate_templates, unnest(array[background_hash, logo_hash, signature_hash]) as picture
          where picture in ${list}
        union all select value ->> picture from platform_settings, unnest(array['logoHash', 'faviconHash']) as picture
          where section = 'globalConfig' and value ->> picture in ${list}
      ) as uses group by hash`)
      return new Map(rows.map(({ hash, uses }) => [hash, uses]))
    },
    async find(hash: string): Promise<FileRow | undefined> {
      const [row] = await db
        .select()
        .from(files)
        .where(and(eq(files.hash, hash), gt(files.referenceCount, 0)))
      return row
    },
    /** Locks an unreferenced row. @returns undefined if the row is referenced, deleted or locked by another transaction */
    async lockUnused(hash: string): Promise<FileRow | undefined> {
      const [row] = await db
        .select()
        .from(files)
        .where(and(eq(files.hash, hash), eq(files.referenceCount, 0)))
        .for('update', { skipLocked: true })
      return row
    },
    /** Lists the hashes of unreferenced content, in order. @param after hash after which the list begins */
    async listUnused(after: string, limit: number): Promise<string[]> {
      const rows = await db
        .select({ hash: files.hash })
        .from(files)
        .where(and(eq(files.referenceCount, 0), gt(files.hash, after)))
        .orderBy(asc(files.hash))
        .limit(limit)
      return rows.map(({ hash }) => hash)
    },
    /**
     * Lists the hashes of the files in the owner's registration answers. If the owner is a game, the list includes uploaded files
     * that no answer uses.
     */
    async listAnswerHashes(owner: AnswerFileOwner): Promise<string[]> {
      const rows = await db
        .selectDistinct({ hash: registrationFiles.fileHash })
        .from(registrationFiles)
        .leftJoin(registrationAnswers, eq(registrationAnswers.id, registrationFiles.answerId))
        .leftJoin(participations, eq(participations.id, registrationAnswers.participationId))
        .where(isOf(owner))
      return rows.map(({ hash }) => hash)
    },
    async delete(hash: string): Promise<void> {
      await db.delete(files).where(eq(files.hash, hash))
    },
    list: (page: { count: number; skip: number }): Promise<FileRow[]> =>
      db
        .select()
        .from(files)
        .where(gt(files.referenceCount, 0))
        .orderBy(asc(files.name), asc(files.hash))
        .limit(page.count)
        .offset(page.skip),
    async countAll(): Promise<number> {
      const [row] = await db.select({ total: count() }).from(files).where(gt(files.referenceCount, 0))
      return row?.total ?? 0
    },
  }
}
