import { asc, count, desc, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Executor } from './client.ts'

export type PageSearch<Table extends PgTable> = Readonly<{
  table: Table
  /** Condition that selects the rows. If it is undefined, all rows are listed. */
  condition: SQL | undefined
  order: SQL
  /** Unique column that determines the order of rows with equal values of `order`. */
  key: AnyPgColumn
  descending: boolean
  count: number
  skip: number
}>

/** Returns one page of the ordered rows, and the number of rows on all pages. */
export async function findPageOfRows<Table extends PgTable>(
  db: Executor,
  { table, condition, order, key, descending, count: limit, skip }: PageSearch<Table>,
): Promise<{ rows: Table['$inferSelect'][]; total: number }> {
  const direction = descending ? desc : asc
  const rows = await db
    .select()
    .from(table as PgTable)
    .where(condition)
    .orderBy(direction(order), direction(key))
    .limit(limit)
    .offset(skip)
  const [found] = await db
    .select({ total: count() })
    .from(table as PgTable)
    .where(condition)
  return { rows: rows as Table['$inferSelect'][], total: found?.total ?? 0 }
}
