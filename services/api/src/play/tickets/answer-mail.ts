import type { Executor } from '@capstan/db/client'
import type { ServerDeps } from '../../server/deps.ts'
import { queueMail } from '../../server/mail/service.ts'
import { renderTicketMail } from '../../server/mail/templates.ts'
import { readSettings } from '../../server/settings/service.ts'
import { createTicketRepository, type TicketRow } from './repository.ts'

export type AnswerMailDeps = Pick<ServerDeps, 'db' | 'clock' | 'config' | 'mailer'>

/**
 * Queues a mail that notifies the author of a ticket about an answer. Queues no mail if the previous answer is still unread. Call
 * this in the transaction of the answer, before the answer is stored.
 */
export async function queueMailToTicketAuthor(
  deps: AnswerMailDeps,
  executor: Executor,
  game: Readonly<{ id: number; title: string }>,
  ticket: TicketRow['ticket'],
): Promise<void> {
  const { config } = deps
  const author = await createTicketRepository(executor).findAuthor(ticket)
  if (!author?.email || !author.isConfirmed || author.isUnread) return
  const { title: platformName } = (await readSettings(deps, executor)).globalConfig
  const link = config.publicOrigin && `${new URL(config.publicOrigin).origin}/games/${game.id}/tickets/${ticket.id}`
  const mail = { recipient: author.email, language: ticket.language, platformName }
  await queueMail(deps, executor, renderTicketMail(mail, { game: game.title, subject: ticket.subject }, link))
}
