import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import { isConnectionFailure, withoutValues } from './database-error.ts'

const pauseMs = 500
const tryMs = 3_000
const quietMs = 50

/**
 * Somebody in between may take connections and close them at once. The driver would begin anew without a pause, for ever; the
 * server itself says nothing before it is asked.
 */
const refuseHangingUp = ({ path, host, port }: postgres.Sql['options']): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = path ? connect(String(path)) : connect(port[0] ?? 0, host[0])
    socket.setTimeout(quietMs, () => {
      resolve()
      socket.destroy()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('Hung up'), { code: 'ECONNRESET' })))
    socket.resume()
  })

/** Asks the database at `url` something on a connection of its own. @throws DatabaseError when it does not answer within 3 s */
export const tryDatabase = async (url: string): Promise<void> => {
  const given = new AbortController()
  let sql: postgres.Sql | undefined
  try {
    sql = postgres(url, { max: 1, connect_timeout: tryMs / 1_000, fetch_types: false, onnotice: () => {} })
    await refuseHangingUp(sql.options)
    const tooLong = delay(tryMs, undefined, { signal: given.signal }).then(() => {
      throw Object.assign(new Error('No answer'), { code: 'CONNECT_TIMEOUT' })
    })
    tooLong.catch(() => undefined)
    await Promise.race([sql`select 1`, tooLong])
  } catch (error) {
    throw withoutValues(error)
  } finally {
    given.abort()
    await sql?.end({ timeout: 0 })
  }
}

/**
 * Waits until the database at `url` takes connections: where everything starts at once, it may be the last.
 * @throws the last failure when `timeoutMs` are over, or at once one that waiting does not heal (wrong password)
 */
export const waitForDatabase = async (url: string, timeoutMs: number): Promise<void> => {
  const untilMs = performance.now() + timeoutMs
  for (;;) {
    try {
      return await tryDatabase(url)
    } catch (error) {
      if (!isConnectionFailure(error) || performance.now() > untilMs) throw error
      await delay(pauseMs)
    }
  }
}
