import type { Executor } from '@capstan/db/client'
import { recoveryCodes, totpFactors } from '@capstan/db/schema/second-factor'
import { and, count, eq, lt } from 'drizzle-orm'

export type TotpRow = typeof totpFactors.$inferSelect

export function secondFactorRepository(db: Executor) {
  return {
    async find(userId: string): Promise<TotpRow | undefined> {
      const [row] = await db.select().from(totpFactors).where(eq(totpFactors.userId, userId))
      return row
    },
    /** @returns false if the user has an authenticator already */
    async insert(row: TotpRow): Promise<boolean> {
      const inserted = await db.insert(totpFactors).values(row).onConflictDoNothing().returning({ userId: totpFactors.userId })
      return inserted.length > 0
    },
    /** Uses up a time step and all earlier ones. @returns false if a concurrent or earlier log-in has used it */
    async takeStep(userId: string, step: number): Promise<boolean> {
      const taken = await db
        .update(totpFactors)
        .set({ lastStep: step })
        .where(and(eq(totpFactors.userId, userId), lt(totpFactors.lastStep, step)))
        .returning({ userId: totpFactors.userId })
      return taken.length > 0
    },
    /** Deletes a recovery code. @returns false if the user has no such code */
    async takeRecoveryCode(userId: string, codeHash: string): Promise<boolean> {
      const taken = await db
        .delete(recoveryCodes)
        .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, codeHash)))
        .returning({ userId: recoveryCodes.userId })
      return taken.length > 0
    },
    async countRecoveryCodes(userId: string): Promise<number> {
      const [row] = await db.select({ total: count() }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId))
      return row?.total ?? 0
    },
    async replaceRecoveryCodes(userId: string, codeHashes: readonly string[]): Promise<void> {
      await db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
      if (codeHashes.length > 0) await db.insert(recoveryCodes).values(codeHashes.map((codeHash) => ({ userId, codeHash })))
    },
    async delete(userId: string): Promise<boolean> {
      await db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
      const deleted = await db.delete(totpFactors).where(eq(totpFactors.userId, userId)).returning({ userId: totpFactors.userId })
      return deleted.length > 0
    },
  }
}
