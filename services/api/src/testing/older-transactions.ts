import { expect } from 'vitest'
import type { TestApp } from './app.ts'

/**
 * Waits until all present transactions on the PostgreSQL server have ended, including transactions of other tests. The position
 * of the next board is then higher than the numbers of these transactions.
 */
export async function waitForOlderTransactions({ sql }: Pick<TestApp, 'sql'>): Promise<void> {
  const [{ last } = {}] = await sql`select pg_current_xact_id()::text as last`
  const haveEnded = async () => {
    const [{ ended } = {}] = await sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${last}::text::xid8 as ended`
    return ended
  }
  await expect.poll(haveEnded).toBe(true)
}
