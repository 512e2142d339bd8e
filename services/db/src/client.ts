import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { observed, type StatementObserver } from './observed.ts'
import { defaultPatience, type OutageLog, type Patience } from './outage.ts'
import { createPatientClient } from './patient-client.ts'
import { createSafeDatabase } from './safe-session.ts'
import { tryDatabase } from './wait-for-database.ts'

/** Number of statements sent, for the bench and for tests that bound statements per request. */
export interface StatementCounter {
  statements: number
}

export interface DatabaseOptions {
  /** Size of the pool. */
  readonly maxConnections?: number
  /** Counts every statement when given. */
  readonly counter?: StatementCounter | undefined
  /** Told about every statement when given. */
  readonly observe?: StatementObserver | undefined
  readonly patience?: Partial<Patience>
  /** Told when the database goes and comes back. */
  readonly log?: OutageLog | undefined
}

const openPool = (url: string, { maxConnections = 20, counter, observe }: DatabaseOptions) => {
  const sql = postgres(url, {
    max: maxConnections,
    connect_timeout: 5,
    idle_timeout: 60,
    // Drizzle reads and writes arrays by itself, and nobody would hear of it when the driver's question about them breaks off.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'capstan' },
    ...(counter && {
      debug: () => {
        counter.statements += 1
      },
    }),
  })
  // Called for what it does to the client: instants stay texts, which our columns read.
  drizzle({ client: sql })
  return observe ? observed(sql, observe) : sql
}

/**
 * Connects lazily to PostgreSQL. A short pause of the database is waited out, a long one is a `DatabaseUnavailable`; whatever
 * fails does so with a `DatabaseError`, which holds no value of a statement.
 *
 * The work of a transaction is done again when the connection breaks before its commit: it does nothing but statements, or what
 * may be done twice.
 * @param url `postgres://user:password@host:port/database`
 */
export const createDatabase = (url: string, options: DatabaseOptions = {}) => {
  const { client, ping, whenBack, close } = createPatientClient({
    open: () => openPool(url, options),
    probe: () => tryDatabase(url),
    patience: { ...defaultPatience, ...options.patience },
    log: options.log,
  })
  const db = Object.assign(createSafeDatabase(client), { ping, whenBack })
  return { db, close }
}

export type DatabaseConnection = ReturnType<typeof createDatabase>
export type Database = DatabaseConnection['db']
export type Transaction = Parameters<Parameters<Database['transaction']>[0]>[0]

/** What repository functions take: the database itself or a running transaction. */
export type Executor = Database | Transaction
