import type { Database } from '@capstan/db/client'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../http/clock.ts'
import type { PlatformLog } from '../logs/platform-log.ts'
import { recordSystemAction } from '../logs/record.ts'
import type { Mailer } from './mailer.ts'
import { createMailRepository, type QueuedMail } from './repository.ts'

const firstRetryMs = 5_000
const maxRetryMs = 10 * 60_000
/** Maximum age of a mail. Links in mails expire after three hours, so older mails are useless. */
const maxAgeMs = 3 * 3600_000
const pollMs = 1_000

/** Returns the delay after the given number of failures: 5 s, doubled each time up to 10 minutes. */
export function getMailRetryDelayMs(attempts: number): number {
  return Math.min(maxRetryMs, firstRetryMs * 2 ** (attempts - 1))
}

/** Returns an error without the mail server's message, because the message may quote the mail and its link. */
function withoutContent(error: unknown): unknown {
  const { command, code, responseCode } = error as { command?: string; code?: string; responseCode?: number }
  return command === 'DATA' ? Object.assign(new Error('The mail server refused the mail'), { code, responseCode }) : error
}

/**
 * True if the mail server refuses the mail or its recipient permanently (RFC 5321, section 4.2.1). A refused login or sender does
 * not count: it concerns all mails, and an operator can correct it, so the mails are retried.
 */
function isPermanent(error: unknown): boolean {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number }
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
}

export interface MailQueue {
  deliver(): Promise<number>
  /** Starts the queue, which then looks for due mails every second. */
  start(): void
  stop(): Promise<void>
}

type MailQueueDeps = Readonly<{
  db: Database
  mailer: Mailer
  clock: Clock
  platformLog: PlatformLog
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}>

/**
 * Sends queued mails at least once. Each mail is sent exactly once unless a process crashes. Every replica may run a queue: it
 * reserves a mail while it sends, and the other replicas skip reserved mails.
 */
export function createMailQueue({ db, mailer, clock, platformLog, log }: MailQueueDeps): MailQueue {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  let isStarted = false
  let isStopping = false

  const reschedule = async (queue: ReturnType<typeof createMailRepository>, row: QueuedMail, error: unknown): Promise<void> => {
    const now = clock.now()
    const attempts = row.attempts + 1
    log.warn({ err: withoutContent(error), mailId: row.id, attempts }, 'Could not send a mail')
    if (isPermanent(error)) {
      await queue.delete(row.id)
      await queue.storeRefusal(row.recipient)
      recordSystemAction(platformLog, {
        level: 'Error',
        message: `The mail server refused a mail to ${row.recipient}`,
        status: 'Failed',
      })
      return
    }
    if (now.getTime() - row.createdAt.getTime() >= maxAgeMs) {
      await queue.delete(row.id)
      recordSystemAction(platformLog, { level: 'Error', message: `Gave up sending mail ${row.id}`, status: 'Failed' })
      return
    }
    const nextAttemptAt = new Date(now.getTime() + getMailRetryDelayMs(attempts))
    await queue.postpone(row.id, { attempts, nextAttemptAt })
  }

  /** Sends the next due mail. @returns true if the mail was sent, false if the attempt failed, or undefined if no mail is due */
  const sendOne = (): Promise<boolean | undefined> =>
    db.transaction(async (transaction) => {
      const queue = createMailRepository(transaction)
      const row = await queue.reserveDue(clock.now())
      if (!row) return undefined
      try {
        const { recipient, subject, html, text, unsubscribeUrl } = row
        await mailer.send({ recipient, subject, html, text, ...(unsubscribeUrl !== null && { unsubscribeUrl }) })
      } catch (error) {
        await reschedule(queue, row, error)
        return false
      }
      await queue.delete(row.id)
      await queue.removeRefusal(row.recipient)
      return true
    })

  const deliver = async (): Promise<number> => {
    if (!mailer.isConfigured) return 0
    let sent = 0
    // A failed mail becomes due later, so it does not delay the mails that are due now.
    while (!isStopping) {
      const isSent = await sendOne()
      if (isSent === undefined) break
      if (isSent) sent += 1
    }
    return sent
  }

  const tick = (): void => {
    running = deliver()
      .catch((error: unknown) => log.error({ err: error }, 'Could not read the mail queue'))
      .then(() => {
        if (!isStopping) timer = setTimeout(tick, pollMs)
      })
  }

  return {
    deliver,
    start() {
      if (isStarted) return
      isStarted = true
      tick()
    },
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await running
    },
  }
}
