import { asc, count, desc, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Executor } from './client.ts'

export interface PageSearch<Table extends PgTable> {
  readonly table: Table
  /** Condition of the rows; undefined selects all. */
  readonly condition: SQL | undefined
  readonly order: SQL
  /** Column that decides between rows of equal order. */
  readonly key: AnyPgColumn
  readonly descending: boolean
  readonly count: number
  readonly skip: number
}

/** Returns one page of the ordered rows, and their total on all pages. */
export const findPage = async <Table extends PgTable>(
  db: Executor,
  { table, condition, order, key, descending, count: limit, skip }: PageSearch<Table>,
): Promise<{ rows: Table['$inferSelect'][]; total: number }> => {
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
