import type { Executor } from '@capstan/db/client'
import { powChallenges } from '@capstan/db/schema/platform'
import { and, eq, gt, lte } from 'drizzle-orm'

type PowRow = typeof powChallenges.$inferSelect

export function createCaptchaRepository(db: Executor) {
  return {
    async deleteCreatedUntil(time: Date): Promise<void> {
      await db.delete(powChallenges).where(lte(powChallenges.createdAt, time))
    },
    async insert(row: PowRow): Promise<void> {
      await db.insert(powChallenges).values(row)
    },
    /**
     * Deletes a proof-of-work puzzle and returns the deleted row, so that the api checks only one solution of each puzzle.
     * @returns undefined if the puzzle is unknown or was created before `time`
     */
    async take(id: string, time: Date): Promise<PowRow | undefined> {
      const [taken] = await db
        .delete(powChallenges)
        .where(and(eq(powChallenges.id, id), gt(powChallenges.createdAt, time)))
        .returning()
      return taken
    },
  }
}
