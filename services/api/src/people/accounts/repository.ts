import type { Executor } from '@capstan/db/client'
import { isImported, mailTokens, users } from '@capstan/db/schema/accounts'
import { and, asc, eq, gt, inArray, lt, or, sql } from 'drizzle-orm'

export { noPassword } from '@capstan/db/schema/accounts'

export type UserRow = typeof users.$inferSelect
export type MailPurpose = (typeof mailTokens.$inferSelect)['purpose']

function sameText(column: typeof users.userName | typeof users.email | typeof mailTokens.email, text: string) {
  return sql`lower(${column}) = lower(${text})`
}

/** Token of a mailed link. The token is valid only for this user, purpose and address. */
export type MailTokenKey = Readonly<{
  tokenHash: string
  userId: string
  purpose: MailPurpose
  email: string
}>

function isValid({ tokenHash, userId, purpose, email }: MailTokenKey, now: Date) {
  return and(
    eq(mailTokens.tokenHash, tokenHash),
    eq(mailTokens.userId, userId),
    eq(mailTokens.purpose, purpose),
    sameText(mailTokens.email, email),
    gt(mailTokens.expiresAt, now),
  )
}

export function createAccountRepository(db: Executor) {
  return {
    /** Lists the ids of all users who are monitors or admins. */
    async listOrganizers(): Promise<string[]> {
      const rows = await db
        .select({ id: users.id })
        .from(users)
        .where(inArray(users.role, ['Monitor', 'Admin']))
      return rows.map(({ id }) => id)
    },
    async find(id: string): Promise<UserRow | undefined> {
      const [user] = await db.select().from(users).where(eq(users.id, id))
      return user
    },
    async findByEmail(email: string): Promise<UserRow | undefined> {
      const [user] = await db.select().from(users).where(sameText(users.email, email))
      return user
    },
    /**
     * Finds an account by address or user name. If the text is the address of one account and the name of another, finds the
     * account with the address. Rules: docs/contract/sessions-and-accounts.md#logging-in.
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
    async insertUnlessTaken(values: typeof users.$inferInsert): Promise<UserRow | undefined> {
      const [user] = await db.insert(users).values(values).onConflictDoNothing().returning()
      return user
    },
    async update(id: string, values: Partial<typeof users.$inferInsert>): Promise<void> {
      if (Object.keys(values).length > 0) await db.update(users).set(values).where(eq(users.id, id))
    },
    /** Replaces an imported hash by a native hash. @returns false if another call has changed the hash */
    async renewHash(id: string, foreign: string, passwordHash: string): Promise<boolean> {
      const renewed = await db
        .update(users)
        .set({ passwordHash })
        .where(and(eq(users.id, id), eq(users.passwordHash, foreign)))
        .returning({ id: users.id })
      return renewed.length > 0
    },
    /** Returns true if at least one account still has an imported hash. */
    async hasForeignHashes(): Promise<boolean> {
      const rows = await db.select({ id: users.id }).from(users).where(isImported).limit(1)
      return rows.length > 0
    },
    async insertMailToken(row: typeof mailTokens.$inferInsert): Promise<void> {
      await db.insert(mailTokens).values(row)
    },
    /** Returns true if a token is valid, without consuming it. */
    async hasMailToken(token: MailTokenKey, now: Date): Promise<boolean> {
      return (await db.select({ userId: mailTokens.userId }).from(mailTokens).where(isValid(token, now))).length > 0
    },
    /** Consumes a token. @returns undefined if the token is invalid */
    async takeMailToken(
      token: MailTokenKey,
      now: Date,
    ): Promise<Pick<typeof mailTokens.$inferSelect, 'passwordHash'> | undefined> {
      const [taken] = await db.delete(mailTokens).where(isValid(token, now)).returning({ passwordHash: mailTokens.passwordHash })
      return taken
    },
    /**
     * Lists the passwords of all stored activation links of an account. Links of sign-ins contain no password. Expired links are
     * included.
     */
    async listActivationPasswords(userId: string): Promise<(string | null)[]> {
      const rows = await db
        .select({ passwordHash: mailTokens.passwordHash })
        .from(mailTokens)
        .where(and(eq(mailTokens.userId, userId), eq(mailTokens.purpose, 'activation')))
      return rows.map(({ passwordHash }) => passwordHash)
    },
    async deleteMailTokens(userId: string): Promise<void> {
      await db.delete(mailTokens).where(eq(mailTokens.userId, userId))
    },
    /** Deletes the tokens that expired before an instant. */
    async deleteMailTokensExpiredBefore(instant: Date): Promise<void> {
      await db.delete(mailTokens).where(lt(mailTokens.expiresAt, instant))
    },
  }
}
