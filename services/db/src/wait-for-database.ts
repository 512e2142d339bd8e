import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'

const pauseMs = 500

/** Codes of a server that may come: not resolvable, not listening, shutting down or starting (PostgreSQL, appendix A). */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  '57P01',
  '57P03',
])

/**
 * Waits until the database at `url` takes connections: where everything starts at once, it may be the last.
 * @throws the last failure when `timeoutMs` are over, or at once one that waiting does not heal (wrong password)
 */
export const waitForDatabase = async (url: string, timeoutMs: number): Promise<void> => {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {} })
    try {
      await sql`select 1`
      return
    } catch (error) {
      if (!passing.has((error as { code?: string }).code ?? '') || Date.now() > deadline) throw error
      await delay(pauseMs)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}
