import type { Executor } from '@capstan/db/client'
import { passkeys, recoveryCodes, totpFactors } from '@capstan/db/schema/second-factor'
import { and, asc, count, eq, isNull, lt, notExists, or } from 'drizzle-orm'
import { hasSecondFactor } from '../../server/sessions/proof.ts'

export type TotpRow = typeof totpFactors.$inferSelect
export type PasskeyRow = typeof passkeys.$inferSelect

export function createSecondFactorRepository(db: Executor) {
  return {
    hasFactor: (userId: string): Promise<boolean> => hasSecondFactor(db, userId),
    async findTotp(userId: string): Promise<TotpRow | undefined> {
      const [row] = await db.select().from(totpFactors).where(eq(totpFactors.userId, userId))
      return row
    },
    /** @returns false if the user has an authenticator already */
    async insertTotp(row: TotpRow): Promise<boolean> {
      const inserted = await db.insert(totpFactors).values(row).onConflictDoNothing().returning({ userId: totpFactors.userId })
      return inserted.length > 0
    },
    /**
     * Marks a time step and all earlier time steps as used.
     * @returns false if this time step or a later time step was already used
     */
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
    /** @returns false if the user has no authenticator */
    async deleteTotp(userId: string): Promise<boolean> {
      const deleted = await db.delete(totpFactors).where(eq(totpFactors.userId, userId)).returning({ userId: totpFactors.userId })
      return deleted.length > 0
    },
    /** Lists the passkeys of a user, oldest first. */
    listPasskeys: (userId: string): Promise<PasskeyRow[]> =>
      db.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.createdAt), asc(passkeys.id)),
    /** @returns false if the credential is registered already */
    async insertPasskey(row: typeof passkeys.$inferInsert): Promise<boolean> {
      const inserted = await db.insert(passkeys).values(row).onConflictDoNothing().returning({ id: passkeys.id })
      return inserted.length > 0
    },
    /**
     * Stores the time and the signature count of the use of a passkey.
     * @returns false if the passkey was already used at or after the creation of the WebAuthn challenge
     */
    async takeChallenge(id: string, use: Readonly<{ challengedAt: Date; usedAt: Date; signCount: number }>): Promise<boolean> {
      const taken = await db
        .update(passkeys)
        .set({ lastUsedAt: use.usedAt, signCount: use.signCount })
        .where(and(eq(passkeys.id, id), or(isNull(passkeys.lastUsedAt), lt(passkeys.lastUsedAt, use.challengedAt))))
        .returning({ id: passkeys.id })
      return taken.length > 0
    },
    /** @returns false if the user has no such passkey */
    async deletePasskey(userId: string, id: string): Promise<boolean> {
      const deleted = await db
        .delete(passkeys)
        .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
        .returning({ id: passkeys.id })
      return deleted.length > 0
    },
    async deletePasskeys(userId: string): Promise<void> {
      await db.delete(passkeys).where(eq(passkeys.userId, userId))
    },
    /** Deletes the recovery codes of a user if the user has no second factor left. */
    async deleteUnneededCodes(userId: string): Promise<void> {
      await db
        .delete(recoveryCodes)
        .where(
          and(
            eq(recoveryCodes.userId, userId),
            notExists(db.select({ id: totpFactors.userId }).from(totpFactors).where(eq(totpFactors.userId, userId))),
            notExists(db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, userId))),
          ),
        )
    },
  }
}
