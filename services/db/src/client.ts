import { drizzle } from 'drizzle-orm/postgres-js'
import { type ConnectionOptions, createDatabaseConnection } from './connection.ts'
import { createDatabaseReader } from './reader.ts'
import { createSafeDatabase } from './safe-session.ts'

export type { StatementCounter } from './connection.ts'
export type DatabaseOptions = ConnectionOptions

/**
 * Connects lazily to PostgreSQL. Statements wait during a short outage, and reject with `DatabaseUnavailable` in a long outage.
 * For other failures they reject with `DatabaseError`, which contains no values of statements. A transaction runs again after a
 * deadlock, or if the connection breaks before its commit. So the work of a transaction must consist only of statements and have
 * no other side effects.
 * @param url `postgres://user:password@host:port/database`
 */
export function createDatabase(url: string, options: DatabaseOptions = {}) {
  // Call `drizzle` for its side effect: after the call, the client's driver returns instants as texts. Our column types parse
  // these texts.
  const { client, ping, whenBack, close } = createDatabaseConnection(url, options, (sql) => drizzle({ client: sql }))
  const db = Object.assign(createSafeDatabase(client), { ping, whenBack, reader: createDatabaseReader(client) })
  return { db, close }
}

export type DatabaseConnection = ReturnType<typeof createDatabase>
export type Database = DatabaseConnection['db']
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** Database or running transaction, on which a repository function executes its statements. */
export type Executor = Database | Transaction
