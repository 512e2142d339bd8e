import { expect } from 'vitest'
import type { TestApp } from './app.ts'

/** Waits until every open transaction of the PostgreSQL server has ended, including the transactions of other tests. */
export async function waitForOlderTransactions({ sql }: Pick<TestApp, 'sql'>): Promise<void> {
  const [{ last } = {}] = await sql`select pg_current_xact_id()::text as last`
  const haveEnded = async () => {
    const [{ ended } = {}] = await sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${last}::text::xid8 as ended`
    return ended
  }
  await expect.poll(haveEnded).toBe(true)
}
