import type { Executor } from '@capstan/db/client'
import { mailQueue, users } from '@capstan/db/schema/accounts'
import { and, eq, isNotNull, lte, max, sql } from 'drizzle-orm'
import type { Mail } from './mailer.ts'

export type QueuedMail = typeof mailQueue.$inferSelect

/** First key of the PostgreSQL advisory locks on mails. The value is arbitrary. */
const mailLock = 7_305_065

function isAt(recipient: string) {
  return eq(sql`lower(${users.email})`, sql`lower(${recipient})`)
}

export function createMailRepository(db: Executor) {
  return {
    /** Queues a mail in the transaction that causes it, so that both succeed or both fail. */
    async enqueue(mail: Mail, now: Date): Promise<void> {
      await db.insert(mailQueue).values({ ...mail, nextAttemptAt: now, createdAt: now })
    },
    count: (): Promise<number> => db.$count(mailQueue),
    /** Queues mails that become due at different times. The maximum age of a mail counts from the time when it becomes due. */
    async enqueueAll(mails: readonly (Mail & { readonly dueAt: Date })[]): Promise<void> {
      await db.insert(mailQueue).values(mails.map(({ dueAt, ...mail }) => ({ ...mail, nextAttemptAt: dueAt, createdAt: dueAt })))
    },
    /** Returns the latest time at which a queued bulk mail becomes due. @returns undefined if no bulk mail is queued */
    async findLastBulkTime(): Promise<Date | undefined> {
      const [row] = await db
        .select({ lastAt: max(mailQueue.nextAttemptAt) })
        .from(mailQueue)
        .where(isNotNull(mailQueue.unsubscribeUrl))
      return row?.lastAt ?? undefined
    },
    /**
     * Reserves the mail that has been due the longest and that no other replica is sending. The reservation lasts until the end of
     * the transaction. Reserves a bulk mail only if no other mail is due. Uses an advisory lock, because a row lock would give the
     * transaction a number. Boards would then remain at this number until the mail server responds (ADR 24).
     */
    async reserveDue(now: Date): Promise<QueuedMail | undefined> {
      for (;;) {
        // With an offset, PostgreSQL sorts the mails before it locks the first of them.
        const [reserved] = await db.execute<{ id: number }>(sql`
        select id from (
          select id from ${mailQueue} where next_attempt_at <= ${now.toISOString()}::timestamptz
          order by unsubscribe_url is not null, next_attempt_at, id offset 0) as due
        where pg_try_advisory_xact_lock(${mailLock}::integer, id) limit 1`)
        if (!reserved) return undefined
        // Read the mail after the reservation, because another replica may have sent the mail since the first query.
        const isDue = and(eq(mailQueue.id, reserved.id), lte(mailQueue.nextAttemptAt, now))
        const [row] = await db.select().from(mailQueue).where(isDue)
        if (row) return row
      }
    },
    async postpone(id: number, change: Readonly<{ attempts: number; nextAttemptAt: Date }>): Promise<void> {
      await db.update(mailQueue).set(change).where(eq(mailQueue.id, id))
    },
    /** Stores that the mail server refuses mails to the address of a user. */
    async storeRefusal(recipient: string): Promise<void> {
      await db.update(users).set({ refusedEmail: users.email }).where(isAt(recipient))
    },
    async removeRefusal(recipient: string): Promise<void> {
      await db
        .update(users)
        .set({ refusedEmail: null })
        .where(and(isAt(recipient), isNotNull(users.refusedEmail)))
    },
    /** True if the mail server refused the last mail to the current address of a user. */
    async isRefused(userId: string): Promise<boolean> {
      const [row] = await db
        .select({ isRefused: sql<boolean>`coalesce(${users.refusedEmail} = ${users.email}, false)` })
        .from(users)
        .where(eq(users.id, userId))
      return row?.isRefused ?? false
    },
    async delete(id: number): Promise<void> {
      await db.delete(mailQueue).where(eq(mailQueue.id, id))
    },
  }
}
