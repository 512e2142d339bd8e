import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { FastifyBaseLogger } from 'fastify'
import type { ServerDeps } from '../deps.ts'
import { readSettings } from '../settings/service.ts'
import { createMailLink, type LinkPurpose } from './links.ts'
import type { Mail } from './mailer.ts'
import { createMailRepository } from './repository.ts'
import { renderLinkMail } from './templates.ts'

/** Origin and language of the links in a mail, taken from the request that causes the mail. */
export type MailContext = Readonly<{
  origin: string
  language: LanguageCode
}>

export type MailServiceDeps = Pick<ServerDeps, 'db' | 'blobs' | 'images' | 'clock' | 'config' | 'mailer'> & {
  readonly log: Pick<FastifyBaseLogger, 'info'>
}

/** Queues a mail in the caller's transaction. Without a mail server, nothing is queued. */
export async function queueMail(
  { clock, mailer }: Pick<ServerDeps, 'clock' | 'mailer'>,
  executor: Executor,
  mail: Mail,
): Promise<void> {
  if (mailer.isConfigured) await createMailRepository(executor).enqueue(mail, clock.now())
}

export function countWaitingMails({ db }: Pick<ServerDeps, 'db'>): Promise<number> {
  return createMailRepository(db).count()
}

/** True if the mail server refused the last mail to the address of a user. */
export function isMailAddressRefused({ db }: Pick<ServerDeps, 'db'>, userId: string): Promise<boolean> {
  return createMailRepository(db).isRefused(userId)
}

/** Number of bulk mails that one statement inserts. More mails are never in memory at the same time. */
const bulkSize = 500

/**
 * Queues a mail for each recipient, in the caller's transaction. Bulk mails of all calls share one schedule with a limited rate:
 * each mail becomes due some time after the previous mail. Other mails therefore do not wait until all bulk mails are sent.
 */
export async function queueBulkMail<Recipient>(
  { clock }: Pick<ServerDeps, 'clock'>,
  executor: Executor,
  recipients: readonly Recipient[],
  render: (recipient: Recipient) => Mail,
): Promise<void> {
  const repository = createMailRepository(executor)
  const stepMs = 1000 / Limits.gameMailsPerSecond
  const lastAt = (await repository.findLastBulkTime())?.getTime() ?? 0
  const startMs = Math.max(clock.now().getTime(), lastAt + stepMs)
  for (let first = 0; first < recipients.length; first += bulkSize) {
    const mails = recipients.slice(first, first + bulkSize).map((recipient, index) => ({
      ...render(recipient),
      dueAt: new Date(startMs + (first + index) * stepMs),
    }))
    await repository.enqueueAll(mails)
  }
}

/**
 * True if the platform can send links to users. Without a mail server, the result is false in production. In development, it is
 * true, and links are logged instead.
 */
export function canMailLinks({ config, mailer }: Pick<ServerDeps, 'config' | 'mailer'>): boolean {
  return mailer.isConfigured || !config.production
}

/** Sends mails with links, for example to reset a password. Rules: docs/contract/sessions-and-accounts.md#mailed-links. */
export function createMailService(deps: MailServiceDeps) {
  const { clock, config, mailer, log } = deps
  return {
    /** @throws Problem `email.not-sent` if links cannot be mailed */
    refuseWithoutServer(): void {
      if (!canMailLinks(deps)) throw new Problem('email.not-sent')
    },
    /** Queues a mail with a link, in the caller's transaction. @throws Problem `email.not-sent` */
    async sendLink(
      executor: Executor,
      { origin, language }: MailContext,
      to: { purpose: LinkPurpose; userName: string; email: string; token: string },
    ): Promise<void> {
      const link = createMailLink(origin, to.purpose, to.token, to.email)
      if (!mailer.isConfigured) {
        if (config.production) throw new Problem('email.not-sent')
        log.info({ link, email: to.email }, 'No mail server is configured; logging the link instead')
        return
      }
      const { title: platformName } = (await readSettings(deps, executor)).globalConfig
      const now = clock.now()
      await createMailRepository(executor).enqueue(renderLinkMail({ ...to, language, platformName, link, now }), now)
    },
  }
}

export type MailService = ReturnType<typeof createMailService>
