import { createHash } from 'node:crypto'
import type { Executor } from '@capstan/db/client'
import { loginFailures } from '@capstan/db/schema/accounts'
import { eq, inArray, lt, sql } from 'drizzle-orm'
import { failuresForgottenAfterMs, type LoginFailures } from './login-delay.ts'

/** Names that people type may be passwords put into the wrong field: only hashes are stored. */
const keyOf = (kind: 'account' | 'address', text: string): string =>
  createHash('sha256').update(`${kind}:${text.toLowerCase()}`).digest('hex')

export interface LoginAttempt {
  /** User name or address as typed; counted whether there is such an account or not. */
  readonly login: string
  readonly address: string
}

/** Failed attempts to log in, shared by all replicas. */
export const loginFailureRepository = (db: Executor) => ({
  async count({ login, address }: LoginAttempt, now: Date): Promise<LoginFailures> {
    const [account, origin] = [keyOf('account', login), keyOf('address', address)]
    const rows = await db
      .select()
      .from(loginFailures)
      .where(inArray(loginFailures.key, [account, origin]))
    const recent = (key: string): number => {
      const row = rows.find((one) => one.key === key)
      return row && now.getTime() - row.lastFailureAt.getTime() < failuresForgottenAfterMs ? row.failures : 0
    }
    return { account: recent(account), address: recent(origin) }
  },
  async add({ login, address }: LoginAttempt, now: Date): Promise<void> {
    // In a fixed order: two attempts must not wait for each other.
    const keys = [keyOf('account', login), keyOf('address', address)].sort()
    const isOld = sql`${loginFailures.lastFailureAt} <= ${new Date(now.getTime() - failuresForgottenAfterMs).toISOString()}`
    await db
      .insert(loginFailures)
      .values(keys.map((key) => ({ key, failures: 1, lastFailureAt: now })))
      .onConflictDoUpdate({
        target: loginFailures.key,
        set: { failures: sql`case when ${isOld} then 1 else ${loginFailures.failures} + 1 end`, lastFailureAt: now },
      })
  },
  /** The account's only: what one address tried on others still counts. */
  async forgetAccount(login: string): Promise<void> {
    await db.delete(loginFailures).where(eq(loginFailures.key, keyOf('account', login)))
  },
  async deleteOld(now: Date): Promise<void> {
    await db.delete(loginFailures).where(lt(loginFailures.lastFailureAt, new Date(now.getTime() - failuresForgottenAfterMs)))
  },
})
