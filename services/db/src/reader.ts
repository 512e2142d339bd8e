import type { Sql, TransactionSql } from 'postgres'
import { toDatabaseError } from './database-error.ts'

type Value = string | number | boolean | null

/**
 * Interface for handwritten statements. Worker threads use it, because the query builder needs 20 MB in each thread. In the
 * returned rows, integers of more than 32 bits are texts, and instants must be converted with `readInstant`.
 */
export interface Rows {
  rows<Row extends object>(statement: string, values?: readonly Value[]): Promise<Row[]>
}

export interface Reader extends Rows {
  /** Runs `read` in a transaction, so that all its statements see the same snapshot of the database. */
  snapshot<Result>(read: (at: Rows) => Promise<Result>): Promise<Result>
}

function createRows(client: Pick<Sql | TransactionSql, 'unsafe'>): Rows {
  return {
    async rows<Row extends object>(statement: string, values: readonly Value[] = []) {
      try {
        return [...(await client.unsafe<Row[]>(statement, [...values]))]
      } catch (error) {
        throw toDatabaseError(error, statement)
      }
    },
  }
}

/** Creates a reader of the database. @param client driver. Other code may use it at the same time */
export function createDatabaseReader(client: Sql): Reader {
  return {
    ...createRows(client),
    snapshot: <Result>(read: (at: Rows) => Promise<Result>) =>
      client.begin(async (inner) => {
        const at = createRows(inner)
        await at.rows('set transaction isolation level repeatable read, read only')
        return read(at)
      }) as Promise<Result>,
  }
}

export function parseDatabaseInstant(given: Date | string): Date {
  return typeof given === 'string' ? new Date(given) : given
}
