import type { LanguageCode } from '@capstan/contract/languages'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { FastifyBaseLogger } from 'fastify'
import type { ServerDeps } from '../deps.ts'
import { createSettingsService } from '../settings/service.ts'
import { type LinkPurpose, mailLink } from './links.ts'
import { mailRepository } from './repository.ts'
import { renderLinkMail } from './templates.ts'

/** Where links lead and what language they speak: taken from the request that asks for the mail. */
export type MailContext = Readonly<{
  /** Scheme and host. */
  origin: string
  language: LanguageCode
}>

export type MailServiceDeps = Pick<ServerDeps, 'db' | 'blobs' | 'images' | 'clock' | 'config' | 'mailer'> & {
  readonly log: Pick<FastifyBaseLogger, 'info'>
}

/** Mails with links. Rules: docs/contract/sessions-and-accounts.md#mailed-links. */
export function createMailService(deps: MailServiceDeps) {
  const { clock, config, mailer, log } = deps
  const settings = createSettingsService(deps)
  return {
    /** @throws Problem `email.not-sent` where no mail server is configured; in development the link is logged instead */
    refuseWithoutServer(): void {
      if (!mailer.isConfigured && config.production) throw new Problem('email.not-sent')
    },
    /** Queues a mail with a link, in the caller's transaction. @throws Problem `email.not-sent` */
    async sendLink(
      executor: Executor,
      { origin, language }: MailContext,
      to: { purpose: LinkPurpose; userName: string; email: string; token: string },
    ): Promise<void> {
      const link = mailLink(origin, to.purpose, to.token, to.email)
      if (!mailer.isConfigured) {
        if (config.production) throw new Problem('email.not-sent')
        log.info({ link, email: to.email }, 'No mail server is configured, this link would have been mailed')
        return
      }
      const { title: platformName } = (await settings.read(executor)).globalConfig
      const now = clock.now()
      await mailRepository(executor).enqueue(renderLinkMail({ ...to, language, platformName, link, now }), now)
    },
  }
}

export type MailService = ReturnType<typeof createMailService>
