import { drizzle } from 'drizzle-orm/postgres-js'
import { type ConnectionOptions, createConnection } from './connection.ts'
import { createReader } from './reader.ts'
import { createSafeDatabase } from './safe-session.ts'

export type { StatementCounter } from './connection.ts'
export type DatabaseOptions = ConnectionOptions

/**
 * Connects lazily to PostgreSQL. A short pause of the database is waited out, a long one is a `DatabaseUnavailable`; whatever
 * fails does so with a `DatabaseError`, which holds no value of a statement.
 *
 * The work of a transaction is done again when the connection breaks before its commit, or when PostgreSQL ends it so that another
 * goes on: it does nothing but statements, or what may be done twice.
 * @param url `postgres://user:password@host:port/database`
 */
export const createDatabase = (url: string, options: DatabaseOptions = {}) => {
  // Called for what it does to the client: instants stay texts, which our columns read.
  const { client, ping, whenBack, close } = createConnection(url, options, (sql) => drizzle({ client: sql }))
  const db = Object.assign(createSafeDatabase(client), { ping, whenBack, reader: createReader(client) })
  return { db, close }
}

export type DatabaseConnection = ReturnType<typeof createDatabase>
export type Database = DatabaseConnection['db']
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** What repository functions take: the database itself or a running transaction. */
export type Executor = Database | Transaction
