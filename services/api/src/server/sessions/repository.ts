import { Limits } from '@capstan/contract/limits'
import { requiresSecondFactor } from '@capstan/contract/roles'
import type { SecondFactorPolicy } from '@capstan/contract/vocabulary'
import { batchQueries } from '@capstan/db/batched'
import type { Executor } from '@capstan/db/client'
import { noPassword, sessions, users } from '@capstan/db/schema/accounts'
import { platformSettings } from '@capstan/db/schema/platform'
import { passkeys, totpFactors } from '@capstan/db/schema/second-factor'
import { signInIdentities, signInProviders } from '@capstan/db/schema/sign-in'
import { and, asc, desc, eq, gt, inArray, lt, ne, sql } from 'drizzle-orm'
import type { SignedInUser } from './session-user.ts'

/** Creates the lookup that every call runs. The statement is prepared once and shared by concurrent calls. */
function createFinder(db: Executor) {
  const prepare = () =>
    db
      .select({
        tokenHash: sessions.tokenHash,
        id: users.id,
        userName: users.userName,
        role: users.role,
        lastVisitedAt: sessions.lastUsedAt,
        expiresAt: sessions.expiresAt,
        hasNoFactor: sql<boolean>`${users.passwordHash} <> ${sql.raw(`'${noPassword}'`)}
          and not exists (select from ${totpFactors} where ${totpFactors.userId} = ${users.id})
          and not exists (select from ${passkeys} where ${passkeys.userId} = ${users.id})`,
        policy: sql<SecondFactorPolicy | null>`(
          select ${platformSettings.value} ->> 'secondFactor' from ${platformSettings} where ${platformSettings.section} = 'signIn')`,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(sql`${sessions.tokenHash} in (select json_array_elements_text(${sql.placeholder('tokenHashes')}::json))`)
      .prepare('find_session_users')
  let prepared: ReturnType<typeof prepare> | undefined
  return batchQueries(async (tokenHashes: readonly string[]) => {
    prepared ??= prepare()
    const rows = await prepared.execute({ tokenHashes: JSON.stringify(tokenHashes) })
    const byHash = new Map(rows.map((row) => [row.tokenHash, row]))
    return tokenHashes.map((tokenHash) => byHash.get(tokenHash))
  }, db)
}

export type SessionRow = typeof sessions.$inferSelect

export type Visit = Readonly<{
  userId: string
  tokenHash: string
  at: Date
  address: string
}>

/** Prepares the update of a session's last use. It skips locked rows, because a concurrent call already stores the same values. */
function prepareTouch(db: Executor) {
  const visits = db
    .$with('visit', {
      userId: sql<string>`"userId"`.as('userId'),
      tokenHash: sql<string>`"tokenHash"`.as('tokenHash'),
      at: sql<Date>`at`.as('at'),
      address: sql<string>`address`.as('address'),
    })
    .as(
      sql`select * from json_to_recordset(${sql.placeholder('visits')}::json) as visit ("userId" uuid, "tokenHash" text, "at" timestamptz, "address" text)`,
    )
  const visitors = db
    .$with('visitor')
    .as(
      db
        .select({ id: users.id })
        .from(users)
        .where(sql`${users.id} in (select ${visits.userId} from ${visits})`)
        .for('no key update', { skipLocked: true }),
    )
  const used = db
    .$with('used')
    .as(
      db
        .select({ tokenHash: sessions.tokenHash })
        .from(sessions)
        .where(sql`${sessions.tokenHash} in (select ${visits.tokenHash} from ${visits})`)
        .for('no key update', { skipLocked: true }),
    )
  const stored = db.$with('stored').as(
    db
      .update(sessions)
      .set({ lastUsedAt: sql`${visits.at}`, lastAddress: sql`${visits.address}` })
      .from(visits)
      .innerJoin(used, eq(used.tokenHash, visits.tokenHash))
      .where(and(eq(sessions.tokenHash, visits.tokenHash), lt(sessions.lastUsedAt, sql`${visits.at} - interval '5 seconds'`)))
      .returning({ tokenHash: sessions.tokenHash }),
  )
  return db
    .with(visits, visitors, used, stored)
    .update(users)
    .set({ lastVisitedAt: sql`${visits.at}`, lastAddress: sql`${visits.address}` })
    .from(visits)
    .innerJoin(visitors, eq(visitors.id, visits.userId))
    .where(and(eq(users.id, visits.userId), lt(users.lastVisitedAt, sql`${visits.at} - interval '5 seconds'`)))
    .prepare('touch_users')
}

export function createSessionRepository(db: Executor) {
  let preparedTouch: ReturnType<typeof prepareTouch> | undefined
  const find = createFinder(db)
  return {
    /** Inserts a session. If the user then has too many sessions, deletes the user's oldest sessions. */
    async insert(row: typeof sessions.$inferInsert): Promise<void> {
      await db.insert(sessions).values(row).onConflictDoNothing()
      const surplus = db
        .select({ tokenHash: sessions.tokenHash })
        .from(sessions)
        .where(eq(sessions.userId, row.userId))
        .orderBy(desc(sessions.expiresAt), desc(sessions.createdAt))
        .offset(Limits.sessionsPerUser)
      await db.delete(sessions).where(inArray(sessions.tokenHash, surplus))
    },
    exists: async (tokenHash: string): Promise<boolean> => (await db.$count(sessions, eq(sessions.tokenHash, tokenHash))) > 0,
    /** Locks an account against changes. Concurrent logins can hold the lock at the same time. */
    async lockUser(userId: string): Promise<{ passwordHash: string; isActive: boolean } | undefined> {
      const [user] = await db
        .select({ passwordHash: users.passwordHash, isActive: users.emailConfirmed })
        .from(users)
        .where(eq(users.id, userId))
        .for('share')
      return user
    },
    async hasSecondFactor(userId: string): Promise<boolean> {
      const [found] = await db
        .select({ id: totpFactors.userId })
        .from(totpFactors)
        .where(eq(totpFactors.userId, userId))
        .unionAll(db.select({ id: passkeys.userId }).from(passkeys).where(eq(passkeys.userId, userId)))
        .limit(1)
      return found !== undefined
    },
    /** Locks an identity provider against changes. @returns false if the provider is disabled or unknown */
    async lockEnabledProvider(providerId: string): Promise<boolean> {
      const [provider] = await db
        .select({ isEnabled: signInProviders.isEnabled })
        .from(signInProviders)
        .where(eq(signInProviders.id, providerId))
        .for('share')
      return provider?.isEnabled ?? false
    },
    /** Returns true if a user is linked to an account at an identity provider. */
    async isLinked(identity: { providerId: string; subject: string; userId: string }): Promise<boolean> {
      const { providerId, subject, userId } = signInIdentities
      const found = and(eq(providerId, identity.providerId), eq(subject, identity.subject), eq(userId, identity.userId))
      return (await db.$count(signInIdentities, found)) > 0
    },
    async findUser(tokenHash: string): Promise<SignedInUser | undefined> {
      const row = await find(tokenHash)
      if (!row) return undefined
      const { tokenHash: _, expiresAt, hasNoFactor, policy, ...user } = row
      const isFactorMissing = hasNoFactor && requiresSecondFactor(policy ?? 'Optional', user.role)
      return { ...user, ...(isFactorMissing && { role: 'User', isFactorMissing }), session: { tokenHash, expiresAt } }
    },
    async renew(tokenHash: string, expiresAt: Date): Promise<void> {
      await db.update(sessions).set({ expiresAt }).where(eq(sessions.tokenHash, tokenHash))
    },
    async findProvider(tokenHash: string): Promise<string | undefined> {
      const [row] = await db.select({ id: sessions.providerId }).from(sessions).where(eq(sessions.tokenHash, tokenHash))
      return row?.id ?? undefined
    },
    async delete(tokenHash: string): Promise<void> {
      await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash))
    },
    /** Lists the valid sessions of a user, last used first. */
    list: (userId: string, now: Date): Promise<SessionRow[]> =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
        .orderBy(desc(sessions.lastUsedAt), asc(sessions.id)),
    /** Deletes a session of a user. @returns the hash of its token, or undefined if the user has no such session */
    async deleteById(userId: string, id: string): Promise<string | undefined> {
      const [row] = await db
        .delete(sessions)
        .where(and(eq(sessions.userId, userId), eq(sessions.id, id)))
        .returning({ tokenHash: sessions.tokenHash })
      return row?.tokenHash
    },
    async deleteOfUser(userId: string, exceptTokenHash?: string): Promise<void> {
      await db
        .delete(sessions)
        .where(
          and(eq(sessions.userId, userId), exceptTokenHash === undefined ? undefined : ne(sessions.tokenHash, exceptTokenHash)),
        )
    },
    /**
     * Deletes the sessions that began with an identity provider. @param userId user, or undefined for all users
     * @returns the ids of the users whose sessions ended
     */
    async deleteOfProvider(providerId: string, userId?: string, exceptTokenHash?: string): Promise<string[]> {
      const rows = await db
        .delete(sessions)
        .where(
          and(
            eq(sessions.providerId, providerId),
            userId === undefined ? undefined : eq(sessions.userId, userId),
            exceptTokenHash === undefined ? undefined : ne(sessions.tokenHash, exceptTokenHash),
          ),
        )
        .returning({ userId: sessions.userId })
      return [...new Set(rows.map((row) => row.userId))]
    },
    async deleteExpired(now: Date): Promise<void> {
      await db.delete(sessions).where(lt(sessions.expiresAt, now))
    },
    /** Stores the time and client address of a user's call as the last visit, even if the stored visit is only seconds old. */
    async recordVisit({ userId, at, address }: Omit<Visit, 'tokenHash'>): Promise<void> {
      await db.update(users).set({ lastVisitedAt: at, lastAddress: address }).where(eq(users.id, userId))
    },
    /** Stores time and client address of the last use of a session, at most every 5 s. */
    touch: batchQueries(async (visits: readonly Visit[]): Promise<undefined[]> => {
      preparedTouch ??= prepareTouch(db)
      await preparedTouch.execute({ visits: JSON.stringify(visits) })
      return visits.map(() => undefined)
    }),
  }
}
