import type { Database, Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { teams } from '@capstan/db/schema/teams'
import { asc, inArray, type SQL, sql } from 'drizzle-orm'
import { type NameKeys, nameKeys } from './keys.ts'

/** Any fixed number; one replica at a time looks through names. */
const fillLockKey = 7_243_002
const rowsAtOnce = 500
/** Somebody may take a name at the moment it is given: then the rows are looked at again. */
const attemptsMax = 5

/** Tables with names, and from when on somebody has one: the older of two keeps it. */
const named = [
  { table: users, name: users.userName, since: users.registeredAt, idType: sql.raw('uuid') },
  { table: teams, name: teams.name, since: teams.createdAt, idType: sql.raw('integer') },
] as const
type Named = (typeof named)[number]

interface Row extends Record<keyof NameKeys, string | null> {
  readonly id: string
  readonly name: string
  readonly since: string
}
type Kind = keyof NameKeys

const listRows = (db: Executor, { table, name, since, idType }: Named, after: Row | undefined): Promise<Row[]> =>
  db
    .select({
      id: sql<string>`${table.id}::text`,
      name: sql<string>`${name}`,
      since: sql<string>`${since}::text`,
      nameSkeleton: table.nameSkeleton,
      nameShape: table.nameShape,
    })
    .from(table)
    .where(after && sql`(${since}, ${table.id}) > (${after.since}::timestamptz, ${after.id}::${idType})`)
    .orderBy(asc(since), asc(table.id))
    .limit(rowsAtOnce)

/** What the keys of one kind become, by row. A key that another row has is followed by the row's id, until it is free. */
const settle = async (db: Executor, { table }: Named, rows: readonly Row[], kind: Kind): Promise<Map<string, string>> => {
  const wanted = new Map(rows.map((row) => [row.id, nameKeys(row.name)[kind]]))
  const unsettled = rows.filter((row) => row[kind] !== wanted.get(row.id))
  const keys = unsettled.map((row) => wanted.get(row.id) ?? '')
  const held = keys.length > 0 ? await db.select({ key: table[kind] }).from(table).where(inArray(table[kind], keys)) : []
  const taken = new Set(held.map(({ key }) => key))
  const settled = new Map<string, string>()
  for (const { id, [kind]: present } of unsettled) {
    const key = wanted.get(id) ?? ''
    const given = taken.has(key) ? `${key} ${id}` : key
    taken.add(given)
    if (given !== present) settled.set(id, given)
  }
  return settled
}

const write = (
  rows: readonly Row[],
  skeletons: Map<string, string>,
  shapes: Map<string, string>,
  { table, name, idType }: Named,
): SQL => {
  const changed = rows.filter(({ id }) => skeletons.has(id) || shapes.has(id))
  const values = changed.map((row) => ({
    ...{ id: row.id, name: row.name },
    ...{ skeleton: skeletons.get(row.id) ?? row.nameSkeleton, shape: shapes.get(row.id) ?? row.nameShape },
  }))
  // Whoever was renamed meanwhile has keys of the new name.
  return sql`
    update ${table} set name_skeleton = wanted.skeleton, name_shape = wanted.shape
    from json_to_recordset(${JSON.stringify(values)}::json) as wanted (id ${idType}, name text, skeleton text, shape text)
    where ${table.id} = wanted.id and ${name} = wanted.name`
}

/** @returns the last row looked at, undefined at the end */
const fillSome = (db: Database, one: Named, after: Row | undefined): Promise<Row | undefined> =>
  db.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${fillLockKey})`)
    const rows = await listRows(transaction, one, after)
    const skeletons = await settle(transaction, one, rows, 'nameSkeleton')
    const shapes = await settle(transaction, one, rows, 'nameShape')
    if (skeletons.size + shapes.size > 0) await transaction.execute(write(rows, skeletons, shapes, one))
    return rows.length < rowsAtOnce ? undefined : rows.at(-1)
  })

/** SQLSTATEs of a unique index and of two who wait for each other. */
const passing = new Set<unknown>(['23505', '40P01'])

const isPassing = (error: unknown): boolean => {
  for (let current = error; current instanceof Error; current = current.cause)
    if ('code' in current && passing.has(current.code)) return true
  return false
}

/**
 * Brings the keys of all names to what they should be: of rows that have none yet, that a version without them has renamed, or
 * whose keys a newer table of look-alikes makes others. Nobody's name changes. Of several that look alike the oldest has the key,
 * which keeps others from joining them. To be called at the start and every hour, by every replica.
 */
export const fillNameKeys = async ({ db }: { readonly db: Database }): Promise<void> => {
  for (const one of named) {
    let after: Row | undefined
    for (let attempt = 1; ; ) {
      try {
        after = await fillSome(db, one, after)
        attempt = 1
        if (!after) break
      } catch (error) {
        if (!isPassing(error) || attempt >= attemptsMax) throw error
        attempt += 1
      }
    }
  }
}
