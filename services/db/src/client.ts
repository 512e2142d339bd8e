import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { observed, type StatementObserver } from './observed.ts'
import * as schema from './schema/index.ts'

/** Number of statements sent, for the bench and for tests that bound statements per request. */
export interface StatementCounter {
  statements: number
}

/**
 * Connects lazily to PostgreSQL.
 * @param url `postgres://user:password@host:port/database`
 * @param options.maxConnections size of the pool
 * @param options.counter counts every statement when given
 * @param options.observe told about every statement when given
 */
export const createDatabase = (
  url: string,
  options: { maxConnections?: number; counter?: StatementCounter; observe?: StatementObserver | undefined } = {},
) => {
  const { counter, observe } = options
  const sql = postgres(url, {
    max: options.maxConnections ?? 20,
    connect_timeout: 10,
    idle_timeout: 60,
    onnotice: () => {},
    connection: { application_name: 'capstan' },
    ...(counter && {
      debug: () => {
        counter.statements += 1
      },
    }),
  })
  const db = drizzle({ client: observe ? observed(sql, observe) : sql, schema })
  return { db, sql, close: () => sql.end({ timeout: 5 }) }
}

export type DatabaseConnection = ReturnType<typeof createDatabase>
export type Database = DatabaseConnection['db']
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** What repository functions take: the database itself or a running transaction. */
export type Executor = Database | Transaction
