import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { teams } from '@capstan/db/schema/teams'
import { asc, count, eq, ilike, or, sql } from 'drizzle-orm'
import { anywhere } from '../http/search-pattern.ts'

export type UserRow = typeof users.$inferSelect

/** Any fixed number; adding many users at once is done by one request at a time. */
const bulkLockKey = 7_243_001

export const userRepository = (db: Executor) => ({
  async find(id: string): Promise<UserRow | undefined> {
    const [user] = await db.select().from(users).where(eq(users.id, id))
    return user
  },
  async lock(id: string): Promise<UserRow | undefined> {
    const [user] = await db.select().from(users).where(eq(users.id, id)).for('update')
    return user
  },
  listPage: (page: { count: number; skip: number }): Promise<UserRow[]> =>
    db.select().from(users).orderBy(asc(users.id)).limit(page.count).offset(page.skip),
  async countAll(): Promise<number> {
    const [row] = await db.select({ total: count() }).from(users)
    return row?.total ?? 0
  },
  /** Looks in user name, student number, e-mail, phone, id and real name. */
  search: (hint: string, limit: number): Promise<UserRow[]> =>
    db
      .select()
      .from(users)
      .where(
        or(
          ilike(users.userName, anywhere(hint)),
          ilike(users.stdNumber, anywhere(hint)),
          ilike(users.email, anywhere(hint)),
          ilike(users.phone, anywhere(hint)),
          ilike(sql`${users.id}::text`, anywhere(hint)),
          ilike(users.realName, anywhere(hint)),
        ),
      )
      .orderBy(asc(users.id))
      .limit(limit),
  async update(id: string, values: Partial<typeof users.$inferInsert>): Promise<void> {
    if (Object.keys(values).length > 0) await db.update(users).set(values).where(eq(users.id, id))
  },
  async delete(id: string): Promise<void> {
    await db.delete(users).where(eq(users.id, id))
  },
  async isCaptain(id: string): Promise<boolean> {
    return (await db.select({ id: teams.id }).from(teams).where(eq(teams.captainId, id)).limit(1)).length > 0
  },
  async lockBulk(): Promise<void> {
    await db.execute(sql`select pg_advisory_xact_lock(${bulkLockKey})`)
  },
  /** Users who have the name or the address: two when they belong to different people. */
  lockByNameOrEmail: (userName: string, email: string): Promise<UserRow[]> =>
    db
      .select()
      .from(users)
      .where(or(sql`lower(${users.userName}) = lower(${userName})`, sql`lower(${users.email}) = lower(${email})`))
      .orderBy(asc(users.id))
      .for('update'),
  async insert(values: typeof users.$inferInsert): Promise<string> {
    const [user] = await db.insert(users).values(values).returning({ id: users.id })
    if (!user) throw new Error('Inserting a user returned no row')
    return user.id
  },
})
