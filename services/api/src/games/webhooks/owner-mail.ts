import type { Transaction } from '@capstan/db/client'
import type { ServerDeps } from '../../server/deps.ts'
import { queueMail } from '../../server/mail/service.ts'
import { renderWebhookMail } from '../../server/mail/templates.ts'
import { readSettings } from '../../server/settings/service.ts'
import { createWebhookRepository, type WebhookRow } from './repository.ts'

/** Queues a mail to the creator of a webhook that is switched off, if the platform can send mails. */
export async function mailOwnerOfDisabledWebhook(
  deps: Pick<ServerDeps, 'db' | 'clock' | 'config' | 'mailer'>,
  transaction: Transaction,
  webhook: WebhookRow,
  reason: string,
): Promise<void> {
  const recipient = await createWebhookRepository(transaction).findCreatorEmail(webhook)
  if (recipient === null) return
  const { title: platformName } = (await readSettings(deps, transaction)).globalConfig
  const mail = renderWebhookMail({ recipient, language: webhook.language, platformName }, { name: webhook.name, reason })
  await queueMail(deps, transaction, mail)
}
