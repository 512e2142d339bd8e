import { createHash } from 'node:crypto'
import { limitKeyOfIpAddress } from '@capstan/contract/addresses'
import type { Executor } from '@capstan/db/client'
import { loginFailures } from '@capstan/db/schema/accounts'
import { and, eq, gt, not, sql } from 'drizzle-orm'
import { failuresForgottenAfterMs, type LoginFailures } from './login-delay.ts'

/** Returns the key of a row. The key is a hash, because users sometimes type a password into the field for the name. */
function keyOf(kind: 'account' | 'address' | 'limited', text: string): string {
  return createHash('sha256').update(`${kind}:${text.toLowerCase()}`).digest('hex')
}

export type LoginAttempt = Readonly<{
  /** User name or address that was entered at login. Failed logins are counted even if no account has this name or address. */
  login: string
  address: string
}>

function accountKey({ login }: LoginAttempt): string {
  return keyOf('account', login)
}
function addressKey({ address }: LoginAttempt): string {
  return keyOf('address', limitKeyOfIpAddress(address))
}

/** Creates the store of failed login attempts. All replicas share this store. */
export function createLoginFailureRepository(db: Executor) {
  const isOld = (now: Date) =>
    sql`${loginFailures.lastFailureAt} <= ${new Date(now.getTime() - failuresForgottenAfterMs).toISOString()}`
  /** Counts a failed attempt. @returns the number of failures with this key, including this failure */
  const add = async (key: string, now: Date): Promise<number> => {
    const [row] = await db
      .insert(loginFailures)
      .values({ key, failures: 1, lastFailureAt: now })
      .onConflictDoUpdate({
        target: loginFailures.key,
        set: { failures: sql`case when ${isOld(now)} then 1 else ${loginFailures.failures} + 1 end`, lastFailureAt: now },
      })
      .returning({ failures: loginFailures.failures })
    return row?.failures ?? 1
  }
  return {
    async begin(attempt: LoginAttempt, now: Date): Promise<LoginFailures> {
      const account = (await add(accountKey(attempt), now)) - 1
      const [row] = await db
        .select({ failures: loginFailures.failures })
        .from(loginFailures)
        .where(and(eq(loginFailures.key, addressKey(attempt)), not(isOld(now))))
      return { account, address: row?.failures ?? 0 }
    },
    async fail(attempt: LoginAttempt, now: Date): Promise<void> {
      await add(addressKey(attempt), now)
    },
    /** Deletes the failures of an account. Failures of the client address remain, because they may belong to other accounts. */
    async forgetAccount(attempt: LoginAttempt): Promise<void> {
      await db.delete(loginFailures).where(eq(loginFailures.key, accountKey(attempt)))
    },
    /**
     * Counts an attempt toward a limit. A refused attempt is not counted, so that it does not prolong the wait. The wait is at most
     * 15 minutes.
     * @returns false if the maximum is reached
     */
    async beginLimited(key: string, max: number, now: Date): Promise<boolean> {
      const counted = await db
        .insert(loginFailures)
        .values({ key: keyOf('limited', key), failures: 1, lastFailureAt: now })
        .onConflictDoUpdate({
          target: loginFailures.key,
          set: { failures: sql`case when ${isOld(now)} then 1 else ${loginFailures.failures} + 1 end`, lastFailureAt: now },
          setWhere: sql`${loginFailures.failures} < ${max} or ${isOld(now)}`,
        })
        .returning({ failures: loginFailures.failures })
      return counted.length > 0
    },
    /** Removes one attempt that `beginLimited` counted. */
    async undoLimited(key: string): Promise<void> {
      await db
        .update(loginFailures)
        .set({ failures: sql`${loginFailures.failures} - 1` })
        .where(and(eq(loginFailures.key, keyOf('limited', key)), gt(loginFailures.failures, 0)))
    },
    async forgetLimited(key: string): Promise<void> {
      await db.delete(loginFailures).where(eq(loginFailures.key, keyOf('limited', key)))
    },
    async deleteOld(now: Date): Promise<void> {
      await db.delete(loginFailures).where(isOld(now))
    },
  }
}
