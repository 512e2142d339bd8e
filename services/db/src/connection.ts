import postgres from 'postgres'
import { observed, type StatementObserver } from './observed.ts'
import { defaultPatience, type OutageLog, type Patience } from './outage.ts'
import { createPatientClient } from './patient-client.ts'
import { tryDatabase } from './wait-for-database.ts'

/** Number of statements sent, for the bench and for tests that bound statements per request. */
export interface StatementCounter {
  statements: number
}

export interface ConnectionOptions {
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

type Prepare = (sql: postgres.Sql) => void

const openPool = (url: string, { maxConnections = 20, counter, observe }: ConnectionOptions, prepare: Prepare) => {
  const sql = postgres(url, {
    max: maxConnections,
    connect_timeout: 5,
    idle_timeout: 60,
    // Nobody reads or writes arrays by the driver, and nobody would hear of it when its question about them breaks off.
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
  return observe ? observed(sql, observe) : sql
}

/** The driver, with patience, and without a query builder. @param prepare is given each pool before it is used */
export const createConnection = (url: string, options: ConnectionOptions = {}, prepare: Prepare = () => {}) =>
  createPatientClient({
    open: () => openPool(url, options, prepare),
    probe: () => tryDatabase(url),
    patience: { ...defaultPatience, ...options.patience },
    log: options.log,
  })
