import type { UserFilter, UserOrder } from '@capstan/contract/admin'
import { roles } from '@capstan/contract/roles'
import type { Executor } from '@capstan/db/client'
import { findPageOfRows } from '@capstan/db/find-page'
import { users } from '@capstan/db/schema/accounts'
import { participationMembers } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, count, eq, ilike, inArray, or, type SQL, sql } from 'drizzle-orm'
import { toSqlContainsPattern } from '../../server/http/search-pattern.ts'

export type UserRow = typeof users.$inferSelect

export type UserSearch = UserFilter & Required<Pick<UserFilter, 'sort' | 'descending' | 'count' | 'skip'>>

function matches(hint: string) {
  return or(
    ilike(users.userName, toSqlContainsPattern(hint)),
    ilike(users.stdNumber, toSqlContainsPattern(hint)),
    ilike(users.email, toSqlContainsPattern(hint)),
    ilike(users.phone, toSqlContainsPattern(hint)),
    ilike(sql`${users.id}::text`, toSqlContainsPattern(hint)),
    ilike(users.realName, toSqlContainsPattern(hint)),
  )
}

/** Sort keys of the list. Names are sorted without regard to case, roles by rank. */
const orders: Readonly<Record<UserOrder, SQL>> = {
  registered: sql`${users.registeredAt}`,
  name: sql`lower(${users.userName})`,
  email: sql`lower(${users.email})`,
  role: sql`array_position(${sql.raw(`array[${roles.map((role) => `'${role}'`).join()}]`)}, ${users.role})`,
  number: sql`lower(${users.stdNumber})`,
  visited: sql`${users.lastVisitedAt}`,
}

/**
 * Key of the advisory lock for bulk requests that add users. Only one such request at a time can take the lock. Any fixed value
 * works.
 */
const bulkLockKey = 7_243_001

export function createUserRepository(db: Executor) {
  return {
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
    findBy(filter: UserSearch): Promise<{ rows: UserRow[]; total: number }> {
      const { hint, role, active, game, sort, ...page } = filter
      const joined = db.select({ id: participationMembers.userId }).from(participationMembers)
      const condition = and(
        hint === undefined ? undefined : matches(hint),
        role === undefined ? undefined : eq(users.role, role),
        active === undefined ? undefined : eq(users.emailConfirmed, active),
        game === undefined ? undefined : inArray(users.id, joined.where(eq(participationMembers.gameId, game))),
      )
      return findPageOfRows(db, { table: users, condition, order: orders[sort], key: users.id, ...page })
    },
    async countAll(): Promise<number> {
      const [row] = await db.select({ total: count() }).from(users)
      return row?.total ?? 0
    },
    search: (hint: string, limit: number): Promise<UserRow[]> =>
      db.select().from(users).where(matches(hint)).orderBy(asc(users.id)).limit(limit),
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
    /** Locks the users with this name or address: two rows if name and address belong to two users. */
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
  }
}
