import type { Executor } from '@capstan/db/client'
import { participationMembers, participations } from '@capstan/db/schema/games'
import { files } from '@capstan/db/schema/platform'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, desc, eq, isNotNull } from 'drizzle-orm'

export type WriteupRow = Readonly<{
  participationId: number
  hash: string
  name: string
  uploadedAt: Date
  sizeBytes: number
  team: typeof teams.$inferSelect
}>

export function createWriteupRepository(db: Executor) {
  return {
    async findSize(hash: string): Promise<number> {
      const [row] = await db.select({ sizeBytes: files.sizeBytes }).from(files).where(eq(files.hash, hash))
      return row?.sizeBytes ?? 0
    },
    /** @returns undefined if the participation does not exist, or if the user is not a member of it */
    async lockParticipation(id: number, userId: string) {
      const [row] = await db
        .select({ status: participations.status, writeupHash: participations.writeupHash })
        .from(participations)
        .innerJoin(participationMembers, eq(participationMembers.participationId, participations.id))
        .where(and(eq(participations.id, id), eq(participationMembers.userId, userId)))
        .for('no key update', { of: participations })
      return row
    },
    async set(id: number, writeup: { hash: string; name: string; uploadedAt: Date }): Promise<void> {
      await db
        .update(participations)
        .set({ writeupHash: writeup.hash, writeupName: writeup.name, writeupUploadedAt: writeup.uploadedAt })
        .where(eq(participations.id, id))
    },
    async list(gameId: number): Promise<WriteupRow[]> {
      const rows = await db
        .select({
          participationId: participations.id,
          hash: participations.writeupHash,
          name: participations.writeupName,
          uploadedAt: participations.writeupUploadedAt,
          sizeBytes: files.sizeBytes,
          team: teams,
        })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .innerJoin(files, eq(files.hash, participations.writeupHash))
        .where(eq(participations.gameId, gameId))
        .orderBy(desc(participations.writeupUploadedAt), desc(participations.id))
      return rows.flatMap(({ hash, name, uploadedAt, ...row }) =>
        hash === null || name === null || uploadedAt === null ? [] : [{ ...row, hash, name, uploadedAt }],
      )
    },
    async clear(gameId: number): Promise<(string | null)[]> {
      const replaced = await db
        .select({ id: participations.id, hash: participations.writeupHash })
        .from(participations)
        .where(and(eq(participations.gameId, gameId), isNotNull(participations.writeupHash)))
        .orderBy(asc(participations.id))
        .for('no key update')
      await db
        .update(participations)
        .set({ writeupHash: null, writeupName: null, writeupUploadedAt: null })
        .where(eq(participations.gameId, gameId))
      return replaced.map(({ hash }) => hash)
    },
  }
}
