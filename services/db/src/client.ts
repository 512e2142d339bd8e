import { drizzle } from 'drizzle-orm/postgres-js'
import { type ConnectionOptions, createConnection } from './connection.ts'
import { createReader } from './reader.ts'
import { createSafeDatabase } from './safe-session.ts'

export type { StatementCounter } from './connection.ts'
export type DatabaseOptions = ConnectionOptions

/**
 * Connects lazily to PostgreSQL. Statements wait during a short outage, and fail with `DatabaseUnavailable` in a long one. Other
 * failures are a `DatabaseError`, which contains no values of statements. A transaction runs again after a deadlock, or if the
 * connection breaks before its commit. So its work must be safe to repeat: only statements, and no other side effects.
 * @param url `postgres://user:password@host:port/database`
 */
export function createDatabase(url: string, options: DatabaseOptions = {}) {
  // The call changes the client: instants remain texts, which our columns parse.
  const { client, ping, whenBack, close } = createConnection(url, options, (sql) => drizzle({ client: sql }))
  const db = Object.assign(createSafeDatabase(client), { ping, whenBack, reader: createReader(client) })
  return { db, close }
}

export type DatabaseConnection = ReturnType<typeof createDatabase>
export type Database = DatabaseConnection['db']
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** Argument of repository functions: the database or a running transaction. */
export type Executor = Database | Transaction
