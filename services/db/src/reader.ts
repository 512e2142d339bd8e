import type { Sql, TransactionSql } from 'postgres'
import { withoutValues } from './database-error.ts'

type Value = string | number | boolean | null

/**
 * Asks by statements that are written out. The query builder with all that it needs takes 20 MB in each thread that loads it: what a
 * thread asks, it asks by this. Whole numbers beyond 32 bits come as texts; instants come as `readInstant` reads them.
 */
export interface Rows {
  rows<Row extends object>(statement: string, values?: readonly Value[]): Promise<Row[]>
}

export interface Reader extends Rows {
  /** What is read by it is read as it was at one moment. */
  snapshot<Result>(read: (at: Rows) => Promise<Result>): Promise<Result>
}

const createRows = (client: Pick<Sql | TransactionSql, 'unsafe'>): Rows => ({
  async rows<Row extends object>(statement: string, values: readonly Value[] = []) {
    try {
      return [...(await client.unsafe<Row[]>(statement, [...values]))]
    } catch (error) {
      throw withoutValues(error, statement)
    }
  },
})

/** @param client of a connection, whoever else uses it */
export const createReader = (client: Sql): Reader => ({
  ...createRows(client),
  snapshot: <Result>(read: (at: Rows) => Promise<Result>) =>
    client.begin(async (inner) => {
      const at = createRows(inner)
      await at.rows('set transaction isolation level repeatable read, read only')
      return read(at)
    }) as Promise<Result>,
})

/** What the driver gives for an instant: a text where the query builder has prepared it. */
export const readInstant = (given: Date | string): Date => (typeof given === 'string' ? new Date(given) : given)
