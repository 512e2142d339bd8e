import postgres from 'postgres'
import { observeStatements, type StatementObserver } from './observed.ts'
import { defaultPatience, type OutageLog, type Patience } from './outage.ts'
import { createRetryingClient } from './retrying-client.ts'
import { assertDatabaseResponds } from './wait-for-database.ts'

/** Counter of sent statements, for tests that limit the number of statements of a request. */
export interface StatementCounter {
  statements: number
}

export type ConnectionOptions = Readonly<{
  maxConnections?: number
  counter?: StatementCounter | undefined
  observe?: StatementObserver | undefined
  patience?: Partial<Patience>
  /** Log for the start and the end of an outage. */
  log?: OutageLog | undefined
}>

type Prepare = (sql: postgres.Sql) => void

function openPool(url: string, { maxConnections = 20, counter, observe }: ConnectionOptions, prepare: Prepare) {
  const sql = postgres(url, {
    max: maxConnections,
    connect_timeout: 5,
    idle_timeout: 60,
    // Disable the query with which the driver reads the types of arrays. We do not use these types, and a failure of the query
    // would be an unhandled rejection.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'capstan' },
    ...(counter && {
      debug: () => {
        counter.statements += 1
      },
    }),
  })
  prepare(sql)
  return observe ? observeStatements(sql, observe) : sql
}

/**
 * Creates a driver that waits during outages. Worker threads use the driver without the query builder, which needs much memory.
 * @param prepare function that is called with each connection pool before its first use
 */
export function createDatabaseConnection(url: string, options: ConnectionOptions = {}, prepare: Prepare = () => {}) {
  return createRetryingClient({
    open: () => openPool(url, options, prepare),
    probe: () => assertDatabaseResponds(url),
    patience: { ...defaultPatience, ...options.patience },
    log: options.log,
  })
}
