import { expect } from 'vitest'
import type { TestApp } from './app.ts'

/**
 * Runs calls in a fixed order up to their first lock of an account. Each call starts once the previous call waits for a lock or
 * has ended. The account is then released, and PostgreSQL lets the waiting calls continue in their order.
 * @returns the answers of the calls
 */
export async function callWhileLocked<Answer>(
  { sql }: Pick<TestApp, 'sql'>,
  userId: string,
  calls: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const started: Promise<Answer>[] = []
  let ended = 0
  const countWaiting = async () =>
    (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
  await sql.begin(async (transaction) => {
    await transaction`select from users where id = ${userId} for update`
    for (const call of calls) {
      started.push(call().finally(() => (ended += 1)))
      await expect.poll(async () => (await countWaiting()) + ended, { timeout: 60_000 }).toBe(started.length)
    }
  })
  return Promise.all(started)
}
