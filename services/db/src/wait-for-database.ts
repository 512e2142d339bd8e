import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import { isConnectionFailure, toDatabaseError } from './database-error.ts'

const pauseMs = 500
const tryMs = 3_000
const quietMs = 50

/**
 * Rejects if the peer closes a new connection at once, as a proxy without a server does. Without this check, the driver would
 * reconnect forever without a pause. A PostgreSQL server does not close the connection, because it waits for the client's first
 * message.
 */
function rejectImmediateClose({ path, host, port }: postgres.Sql['options']): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = path ? connect(String(path)) : connect(port[0] ?? 0, host[0])
    socket.setTimeout(quietMs, () => {
      resolve()
      socket.destroy()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('The connection was closed at once'), { code: 'ECONNRESET' })))
    socket.resume()
  })
}

/**
 * Queries the database at `url` on a separate connection.
 * @throws DatabaseError if the database does not respond within 3 s
 */
export async function assertDatabaseResponds(url: string): Promise<void> {
  const given = new AbortController()
  let sql: postgres.Sql | undefined
  try {
    sql = postgres(url, { max: 1, connect_timeout: tryMs / 1_000, fetch_types: false, onnotice: () => {} })
    await rejectImmediateClose(sql.options)
    const tooLong = delay(tryMs, undefined, { signal: given.signal }).then(() => {
      throw Object.assign(new Error('No answer'), { code: 'CONNECT_TIMEOUT' })
    })
    tooLong.catch(() => undefined)
    await Promise.race([sql`select 1`, tooLong])
  } catch (error) {
    throw toDatabaseError(error)
  } finally {
    given.abort()
    await sql?.end({ timeout: 0 })
  }
}

/**
 * Waits until the database at `url` accepts connections, because the database may start after this process.
 * @throws the last failure after `timeoutMs`. A permanent failure, such as a wrong password, is thrown at once
 */
export async function waitForDatabase(url: string, timeoutMs: number): Promise<void> {
  const untilMs = performance.now() + timeoutMs
  for (;;) {
    try {
      return await assertDatabaseResponds(url)
    } catch (error) {
      if (!isConnectionFailure(error) || performance.now() > untilMs) throw error
      await delay(pauseMs)
    }
  }
}
