import type { PendingQuery, Row, Sql, TransactionSql } from 'postgres'
import { DatabaseUnavailable, isConnectionFailure, isDeadlock, toDatabaseError } from './database-error.ts'
import { createOutage, type OutageLog, type Patience } from './outage.ts'

type Values = Parameters<Sql['unsafe']>[1]
type Options = Parameters<Sql['unsafe']>[2]
/** Query of the database driver. The driver sets the property `state` when it sends the query. */
type Query = PendingQuery<Row[]> & { readonly state: object | null }
type Work = (inner: TransactionSql) => Promise<unknown>

/**
 * Maximum number of retries after deadlocks. The number is low, because each deadlock costs at least the `deadlock_timeout` of
 * PostgreSQL.
 */
const maxDeadlocks = 3

/** Maximum time that the running statements of a replaced pool have to end, in seconds. */
const drainSeconds = 15

/** Statement or transaction that was passed to the driver. The driver may not have sent it yet. */
type Pending = Readonly<{
  sinceMs: number
  isSent(): boolean
  takeBack(cause: unknown): void
}>

type Pool = Readonly<{
  sql: Sql
  pending: Set<Pending>
}>

class ConnectionLost {
  readonly cause: unknown
  /** True if the statement or transaction had no effect, or if running it again is harmless. */
  readonly mayRepeat: boolean
  constructor(cause: unknown, mayRepeat: boolean) {
    this.cause = cause
    this.mayRepeat = mayRepeat
  }
}

/** True if a statement certainly changes no data. */
export function isReadStatement(text: string): boolean {
  return (
    /^\s*(select|with)\b/i.test(text) &&
    !/\b(insert|update|delete|merge|nextval|setval|set_config|pg_notify)\b|\bpg_(?:try_)?advisory_/i.test(text)
  )
}

/** Sends an SQL statement. The returned promise has the method `values`, because Drizzle calls this method. */
function asQuery(send: (asRows: boolean) => Promise<unknown>) {
  let asRows = false
  const promise = Promise.resolve().then(() => send(asRows))
  const values = () => {
    asRows = true
    return promise
  }
  return Object.assign(promise, { values })
}

async function sendStatement(pool: Pool, asRows: boolean, text: string, values: Values, options: Options): Promise<unknown> {
  const query = pool.sql.unsafe(text, values, options) as Query
  let takenBack: { readonly cause: unknown } | undefined
  const pending: Pending = {
    sinceMs: performance.now(),
    isSent: () => query.state !== null,
    takeBack(cause) {
      takenBack = { cause }
      query.cancel()
    },
  }
  pool.pending.add(pending)
  try {
    return await (asRows ? query.values() : query)
  } catch (error) {
    if (!takenBack && !isConnectionFailure(error)) throw error
    throw new ConnectionLost(takenBack ? takenBack.cause : error, query.state === null || isReadStatement(text))
  } finally {
    pool.pending.delete(pending)
  }
}

/**
 * Runs a transaction of the driver so that the loss of its connection does no harm. After a loss, the driver would still write to
 * the connection. This write would crash the process, or leave half a message for the next user of the connection. So after a
 * loss, this function gives the driver no more statements, not even a rollback. The server rolls back the transaction by itself.
 */
async function runTransaction(pool: Pool, work: Work): Promise<unknown> {
  const state: {
    isBegun: boolean
    isCommitting: boolean
    lost?: { readonly cause: unknown }
    refusal?: { readonly error: unknown }
    /**
     * Result of the work. The result is stored here and not returned to the driver. Otherwise a connection of the driver would
     * retain it in memory until the next transaction.
     */
    result?: unknown
  } = { isBegun: false, isCommitting: false }
  const loss = Promise.withResolvers<never>()
  loss.promise.catch(() => undefined)
  const lose = (cause: unknown): void => {
    state.lost ??= { cause }
    loss.reject(cause)
  }
  let settled: Promise<unknown> = Promise.resolve()

  const guarded = (inner: TransactionSql): TransactionSql =>
    ({
      unsafe(text: string, values: Values, options: Options) {
        if (state.lost) return asQuery(() => loss.promise)
        const query = inner.unsafe(text, values, options)
        // Do not call `query.then`, because this method of the driver sends the SQL statement.
        void Promise.prototype.then.call(query, undefined, (error) => isConnectionFailure(error) && lose(error))
        return query
      },
      savepoint: (deeper: Work) => Promise.race([inner.savepoint((client) => enter(client, deeper)), loss.promise]),
    }) as unknown as TransactionSql

  /**
   * Runs the work. After a loss of the connection, the returned promise never settles. If it settled, the driver would send a
   * commit or a rollback.
   */
  const enter = async (inner: TransactionSql, begun: Work): Promise<unknown> => {
    try {
      const result = await begun(guarded(inner))
      if (!state.lost) return result
    } catch (error) {
      if (!state.lost) throw error
    }
    return new Promise(() => {})
  }

  const workOnce: Work = async (inner) => {
    state.isBegun = true
    const working = work(inner)
    settled = working.then(
      () => undefined,
      () => undefined,
    )
    try {
      state.result = await working
      state.isCommitting = true
      return undefined
    } catch (error) {
      state.refusal = { error }
      throw error
    }
  }

  const pending: Pending = {
    sinceMs: performance.now(),
    isSent: () => state.isBegun,
    takeBack: lose,
  }
  pool.pending.add(pending)
  const done = pool.sql.begin((inner) => {
    // The transaction was cancelled before the driver began it. Its connection works, so let the driver roll back.
    if (state.lost) throw state.lost.cause
    return enter(inner, workOnce)
  })
  done.catch(() => undefined)
  try {
    await Promise.race([done, loss.promise])
    return state.result
  } catch (error) {
    if (!state.lost && state.refusal?.error === error) throw error
    if (!state.lost && !isConnectionFailure(error)) throw toDatabaseError(error)
    const mayRepeat = !state.isCommitting
    lose(error)
    // Wait until the work of this attempt has ended, so that it does not overlap with the next attempt.
    await settled
    throw new ConnectionLost(error, mayRepeat)
  } finally {
    pool.pending.delete(pending)
    state.result = undefined
  }
}

export type RetryingClientOptions = Readonly<{
  /** Opens a connection pool of the driver. The pool opens each connection when it is first needed. */
  open: () => Sql
  /** Fulfills if the database accepts statements, and otherwise rejects. */
  probe: () => Promise<void>
  patience: Patience
  log?: OutageLog | undefined
}>

/**
 * Creates a driver that waits during short outages. After an outage, it retries reads, statements that were not sent, and
 * transactions whose commit was not sent. After a deadlock, it retries the statement or transaction. So the work of a transaction
 * may run more than once. If a write may have been committed, it is not retried, and its error has `isOutcomeUnknown`. A pool
 * that lost a connection is replaced, because unsent data in the pool would block its reconnect.
 */
export function createRetryingClient({ open, probe, patience, log }: RetryingClientOptions) {
  const outage = createOutage(probe, patience, log)
  const openPool = (): Pool => ({ sql: open(), pending: new Set() })
  let current = openPool()
  let isClosed = false

  const replacePool = (pool: Pool, cause: unknown): void => {
    if (pool !== current || isClosed) return
    current = openPool()
    outage.begin(toDatabaseError(cause))
    for (const pending of [...pool.pending]) if (!pending.isSent()) pending.takeBack(cause)
    void pool.sql.end({ timeout: drainSeconds })
  }

  const withPatience = async (attempt: (pool: Pool) => Promise<unknown>): Promise<unknown> => {
    let untilMs: number | undefined
    let deadlocks = 0
    for (;;) {
      await outage.wait(untilMs)
      const pool = current
      try {
        return await attempt(pool)
      } catch (error) {
        if (isDeadlock(error) && deadlocks++ < maxDeadlocks) continue
        if (!(error instanceof ConnectionLost)) throw error
        replacePool(pool, error.cause)
        untilMs ??= performance.now() + patience.waitMs
        if (!error.mayRepeat || isClosed || performance.now() >= untilMs)
          throw new DatabaseUnavailable(error.cause, { isOutcomeUnknown: !error.mayRepeat })
      }
    }
  }

  /**
   * True while a probe is running. A probe is started if a statement waits too long for a connection, to find out whether the
   * database still responds.
   */
  let isProbing = false
  const probeIfStuck = async (): Promise<void> => {
    const pool = current
    const oldest = pool.pending.values().find((pending) => !pending.isSent())
    if (isProbing || !oldest || performance.now() - oldest.sinceMs < patience.unsentMs) return
    isProbing = true
    await probe().catch((error: unknown) => replacePool(pool, error))
    isProbing = false
  }
  const watchdog = setInterval(() => void probeIfStuck(), patience.unsentMs / 3)
  watchdog.unref()

  const client = {
    unsafe: (text: string, values: Values, options: Options) =>
      asQuery((asRows) => withPatience((pool) => sendStatement(pool, asRows, text, values, options))),
    begin: (work: Work) => withPatience((pool) => runTransaction(pool, work)),
  }
  return {
    /** Driver client, with only the methods that drizzle needs. */
    client: client as unknown as Sql,
    /**
     * Checks whether the database responds. Fails at once during an outage.
     * @throws DatabaseError
     */
    async ping(): Promise<void> {
      await outage.wait(0)
      const pool = current
      try {
        await sendStatement(pool, false, 'select 1', [], undefined)
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw toDatabaseError(error)
        replacePool(pool, error.cause)
        throw new DatabaseUnavailable(error.cause)
      }
    },
    /**
     * Returns a promise that fulfills at the end of the outage.
     * @returns undefined if there is no outage
     * @throws DatabaseUnavailable
     */
    whenBack: () => outage.wait(),
    async close(): Promise<void> {
      isClosed = true
      clearInterval(watchdog)
      outage.close()
      await current.sql.end({ timeout: 5 })
    },
  }
}
