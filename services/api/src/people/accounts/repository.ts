import type { Executor } from '@capstan/db/client'
import { isImported, mailTokens, users } from '@capstan/db/schema/accounts'
import { and, asc, eq, gt, lt, or, sql } from 'drizzle-orm'

export type UserRow = typeof users.$inferSelect
export type MailPurpose = (typeof mailTokens.$inferSelect)['purpose']

function sameText(column: typeof users.userName | typeof users.email | typeof mailTokens.email, text: string) {
  return sql`lower(${column}) = lower(${text})`
}

/** A token of a mailed link, as it comes back. */
export type MailTokenKey = Readonly<{
  tokenHash: string
  userId: string
  purpose: MailPurpose
  email: string
}>

function isGood({ tokenHash, userId, purpose, email }: MailTokenKey, now: Date) {
  return and(
    eq(mailTokens.tokenHash, tokenHash),
    eq(mailTokens.userId, userId),
    eq(mailTokens.purpose, purpose),
    sameText(mailTokens.email, email),
    gt(mailTokens.expiresAt, now),
  )
}

export function accountRepository(db: Executor) {
  return {
    async find(id: string): Promise<UserRow | undefined> {
      const [user] = await db.select().from(users).where(eq(users.id, id))
      return user
    },
    async findByEmail(email: string): Promise<UserRow | undefined> {
      const [user] = await db.select().from(users).where(sameText(users.email, email))
      return user
    },
    /**
     * By address, else by user name: a name that is somebody's address leads to whoever has the address.
     * Rules: docs/contract/sessions-and-accounts.md#logging-in.
     */
    async findByLogin(login: string): Promise<UserRow | undefined> {
      const [user] = await db
        .select()
        .from(users)
        .where(or(sameText(users.userName, login), sameText(users.email, login)))
        .orderBy(asc(sql`lower(${users.email}) <> lower(${login})`))
        .limit(1)
      return user
    },
    async lock(id: string): Promise<UserRow | undefined> {
      const [user] = await db.select().from(users).where(eq(users.id, id)).for('update')
      return user
    },
    /** @returns undefined when name or address are taken */
    async insertUnlessTaken(values: typeof users.$inferInsert): Promise<UserRow | undefined> {
      const [user] = await db.insert(users).values(values).onConflictDoNothing().returning()
      return user
    },
    async update(id: string, values: Partial<typeof users.$inferInsert>): Promise<void> {
      if (Object.keys(values).length > 0) await db.update(users).set(values).where(eq(users.id, id))
    },
    /** Puts a hash of ours in the place of another platform's, unless somebody has changed the password since it was read. */
    async renewHash(id: string, foreign: string, passwordHash: string): Promise<void> {
      await db
        .update(users)
        .set({ passwordHash })
        .where(and(eq(users.id, id), eq(users.passwordHash, foreign)))
    },
    /** Whether any account still has a hash of another platform. */
    async hasForeignHashes(): Promise<boolean> {
      const rows = await db.select({ id: users.id }).from(users).where(isImported).limit(1)
      return rows.length > 0
    },
    async insertMailToken(row: typeof mailTokens.$inferInsert): Promise<void> {
      await db.insert(mailTokens).values(row)
    },
    /** Whether a token is good, without using it up. */
    async hasMailToken(token: MailTokenKey, now: Date): Promise<boolean> {
      return (await db.select({ userId: mailTokens.userId }).from(mailTokens).where(isGood(token, now))).length > 0
    },
    /** Uses a token up. @returns whether it was good */
    async takeMailToken(token: MailTokenKey, now: Date): Promise<boolean> {
      return (await db.delete(mailTokens).where(isGood(token, now)).returning({ userId: mailTokens.userId })).length > 0
    },
    /** Makes all mailed links of a user void. */
    async deleteMailTokens(userId: string): Promise<void> {
      await db.delete(mailTokens).where(eq(mailTokens.userId, userId))
    },
    async deleteExpiredMailTokens(now: Date): Promise<void> {
      await db.delete(mailTokens).where(lt(mailTokens.expiresAt, now))
    },
  }
}
