import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { teams } from '@capstan/db/schema/teams'
import { asc, inArray, sql } from 'drizzle-orm'
import type { NameKeys } from './keys.ts'

/** Key of the advisory lock for the update of name keys. Only one replica at a time can take the lock. Any fixed value works. */
const fillLockKey = 7_243_002

const named = {
  users: { table: users, name: users.userName, since: users.registeredAt, idType: sql.raw('uuid') },
  teams: { table: teams, name: teams.name, since: teams.createdAt, idType: sql.raw('integer') },
} as const

export type NameOwners = keyof typeof named
export const nameOwners = Object.keys(named) as NameOwners[]

export type NameRow = Record<keyof NameKeys, string | null> &
  Readonly<{
    id: string
    name: string
    since: string
  }>

export function createNameRepository(db: Executor, owners: NameOwners) {
  const { table, name, since, idType } = named[owners]
  return {
    /** Takes a lock until the transaction ends. The lock blocks key updates by other replicas. */
    async lock(): Promise<void> {
      await db.execute(sql`select pg_advisory_xact_lock(${fillLockKey})`)
    },
    /** Lists names after the row `after`, oldest first. */
    list: (after: NameRow | undefined, limit: number): Promise<NameRow[]> =>
      db
        .select({
          id: sql<string>`${table.id}::text`,
          name: sql<string>`${name}`,
          since: sql<string>`${since}::text`,
          nameSkeleton: table.nameSkeleton,
          nameShape: table.nameShape,
          nameReading: table.nameReading,
        })
        .from(table)
        .where(after && sql`(${since}, ${table.id}) > (${after.since}::timestamptz, ${after.id}::${idType})`)
        .orderBy(asc(since), asc(table.id))
        .limit(limit),
    async listExisting(kind: keyof NameKeys, keys: readonly string[]): Promise<(string | null)[]> {
      if (keys.length === 0) return []
      const rows = await db
        .select({ key: table[kind] })
        .from(table)
        .where(inArray(table[kind], [...keys]))
      return rows.map(({ key }) => key)
    },
    /** Stores keys. A row that was renamed concurrently already has new keys and is skipped. */
    async write(
      rows: readonly Readonly<{
        id: string
        name: string
        skeleton: string | null
        shape: string | null
        reading: string | null
      }>[],
    ): Promise<void> {
      await db.execute(sql`
        update ${table} set name_skeleton = wanted.skeleton, name_shape = wanted.shape, name_reading = wanted.reading
        from json_to_recordset(${JSON.stringify(rows)}::json) as wanted (id ${idType}, name text, skeleton text, shape text, reading text)
        where ${table.id} = wanted.id and ${name} = wanted.name`)
    },
  }
}
