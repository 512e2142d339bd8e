import type { PendingQuery, Row, Sql, TransactionSql } from 'postgres'
import { DatabaseUnavailable, isConnectionFailure, isDeadlock, withoutValues } from './database-error.ts'
import { createOutage, type OutageLog, type Patience } from './outage.ts'

type Values = Parameters<Sql['unsafe']>[1]
type Options = Parameters<Sql['unsafe']>[2]
/** As the driver has it: with the connection that it was given to. */
type Query = PendingQuery<Row[]> & { readonly state: object | null }
type Work = (inner: TransactionSql) => Promise<unknown>

/** How often somebody whom PostgreSQL has given up so that others go on begins anew; each time costs its `deadlock_timeout`. */
const mostDeadlocks = 3

/** What is under way in a pool that is given up gets this long. */
const lastOrdersSeconds = 15

/** Given to the driver, and perhaps not sent yet. */
interface Pending {
  readonly sinceMs: number
  isSent(): boolean
  takeBack(cause: unknown): void
}

interface Pool {
  readonly sql: Sql
  readonly pending: Set<Pending>
}

/** The connection is gone. */
class Lost {
  readonly cause: unknown
  /** Nothing was done, or doing it again is harmless. */
  readonly mayRepeat: boolean
  constructor(cause: unknown, mayRepeat: boolean) {
    this.cause = cause
    this.mayRepeat = mayRepeat
  }
}

/** Whether a statement certainly changes nothing. */
export const isRead = (text: string): boolean =>
  /^\s*(select|with)\b/i.test(text) &&
  !/\b(insert|update|delete|merge|nextval|setval|set_config|pg_notify)\b|\bpg_(?:try_)?advisory_/i.test(text)

/** Looks like a query of the driver as far as drizzle goes. */
const asQuery = (send: (asRows: boolean) => Promise<unknown>) => {
  let asRows = false
  const promise = Promise.resolve().then(() => send(asRows))
  const values = () => {
    asRows = true
    return promise
  }
  return Object.assign(promise, { values })
}

const sendStatement = async (pool: Pool, asRows: boolean, text: string, values: Values, options: Options): Promise<unknown> => {
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
    throw new Lost(takenBack ? takenBack.cause : error, query.state === null || isRead(text))
  } finally {
    pool.pending.delete(pending)
  }
}

/**
 * A transaction of the driver that survives the loss of its connection. The driver itself goes on writing to a connection that is
 * gone: that ends the process, or leaves half a message for whoever gets the connection next. So after the loss nothing reaches
 * it any more, not even the rollback; the server has rolled back by itself.
 */
const runTransaction = async (pool: Pool, work: Work): Promise<unknown> => {
  const state: {
    isBegun: boolean
    isCommitting: boolean
    lost?: { readonly cause: unknown }
    refusal?: { readonly error: unknown }
    /** Does not go through the driver: its connections hold what their last transaction gave until the next one. */
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
        // The driver sends a statement at its first own `then`: this one only listens.
        void Promise.prototype.then.call(query, undefined, (error) => isConnectionFailure(error) && lose(error))
        return query
      },
      savepoint: (deeper: Work) => Promise.race([inner.savepoint((client) => enter(client, deeper)), loss.promise]),
    }) as unknown as TransactionSql

  /** Gives the driver no result after the loss: it would commit or roll back. */
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
    // Taken back, and somebody has begun it after all: this connection is fine, and rolls back.
    if (state.lost) throw state.lost.cause
    return enter(inner, workOnce)
  })
  done.catch(() => undefined)
  try {
    await Promise.race([done, loss.promise])
    return state.result
  } catch (error) {
    if (!state.lost && state.refusal?.error === error) throw error
    if (!state.lost && !isConnectionFailure(error)) throw withoutValues(error)
    const mayRepeat = !state.isCommitting
    lose(error)
    // Whatever else the work does has ended before anybody begins anew.
    await settled
    throw new Lost(error, mayRepeat)
  } finally {
    pool.pending.delete(pending)
    state.result = undefined
  }
}

export interface PatientClientOptions {
  /** A pool of the driver, which connects lazily. */
  readonly open: () => Sql
  /** Fulfils when the database takes statements. */
  readonly probe: () => Promise<void>
  readonly patience: Patience
  readonly log?: OutageLog | undefined
}

/**
 * The driver, but a pause of the database is waited out. A statement is sent again where it was not sent yet or only reads, a
 * transaction where its commit was not sent, and either where PostgreSQL gave it up as two waited for each other; its work may
 * therefore be done more than once, and does everything but statements after it. What may have been done fails with
 * `isOutcomeUnknown`, and is the caller's to find out.
 *
 * A pool that has lost a connection is given up, as what the driver had not written yet stays in the way of its reconnecting,
 * and each of its failures would make the next attempt wait longer.
 */
export const createPatientClient = ({ open, probe, patience, log }: PatientClientOptions) => {
  const outage = createOutage(probe, patience, log)
  const openPool = (): Pool => ({ sql: open(), pending: new Set() })
  let current = openPool()
  let isClosed = false

  const giveUp = (pool: Pool, cause: unknown): void => {
    if (pool !== current || isClosed) return
    current = openPool()
    outage.begin(withoutValues(cause))
    for (const pending of [...pool.pending]) if (!pending.isSent()) pending.takeBack(cause)
    void pool.sql.end({ timeout: lastOrdersSeconds })
  }

  const persist = async (attempt: (pool: Pool) => Promise<unknown>): Promise<unknown> => {
    let untilMs: number | undefined
    let deadlocks = 0
    for (;;) {
      await outage.wait(untilMs)
      const pool = current
      try {
        return await attempt(pool)
      } catch (error) {
        if (isDeadlock(error) && deadlocks++ < mostDeadlocks) continue
        if (!(error instanceof Lost)) throw error
        giveUp(pool, error.cause)
        untilMs ??= performance.now() + patience.waitMs
        if (!error.mayRepeat || isClosed || performance.now() >= untilMs)
          throw new DatabaseUnavailable(error.cause, { isOutcomeUnknown: !error.mayRepeat })
      }
    }
  }

  /** Connections that break without a word are noticed by what waits for one. */
  let isLooking = false
  const look = async (): Promise<void> => {
    const pool = current
    const oldest = pool.pending.values().find((pending) => !pending.isSent())
    if (isLooking || !oldest || performance.now() - oldest.sinceMs < patience.unsentMs) return
    isLooking = true
    await probe().catch((error: unknown) => giveUp(pool, error))
    isLooking = false
  }
  const looking = setInterval(() => void look(), patience.unsentMs / 3)
  looking.unref()

  const client = {
    unsafe: (text: string, values: Values, options: Options) =>
      asQuery((asRows) => persist((pool) => sendStatement(pool, asRows, text, values, options))),
    begin: (work: Work) => persist((pool) => runTransaction(pool, work)),
  }
  return {
    /** What drizzle needs of the driver. */
    client: client as unknown as Sql,
    /** Asks without patience. @throws DatabaseError */
    async ping(): Promise<void> {
      await outage.wait(0)
      const pool = current
      try {
        await sendStatement(pool, false, 'select 1', [], undefined)
      } catch (error) {
        if (!(error instanceof Lost)) throw withoutValues(error)
        giveUp(pool, error.cause)
        throw new DatabaseUnavailable(error.cause)
      }
    },
    /** Undefined while the database is there, else waits for it. @throws DatabaseUnavailable */
    whenBack: () => outage.wait(),
    async close(): Promise<void> {
      isClosed = true
      clearInterval(looking)
      outage.close()
      await current.sql.end({ timeout: 5 })
    },
  }
}
