import type { Executor } from '@capstan/db/client'
import type { ServerDeps } from '../../server/deps.ts'
import { queueMail } from '../../server/mail/service.ts'
import { renderTicketMail } from '../../server/mail/templates.ts'
import { readSettings } from '../../server/settings/service.ts'
import { type TicketRow, ticketRepository } from './repository.ts'

export type AnswerMailDeps = Pick<ServerDeps, 'db' | 'clock' | 'config' | 'mailer'>

/**
 * Queues a mail to the author of a ticket, in the transaction that stores the answer and before it. An author who has not read the
 * previous answer gets no second mail.
 */
export async function notifyAuthor(
  deps: AnswerMailDeps,
  executor: Executor,
  game: { readonly id: number; readonly title: string },
  ticket: TicketRow['ticket'],
): Promise<void> {
  const { config } = deps
  const author = await ticketRepository(executor).findAuthor(ticket)
  if (!author?.email || !author.isConfirmed || author.isUnread) return
  const { title: platformName } = (await readSettings(deps, executor)).globalConfig
  const link = config.publicOrigin && `${new URL(config.publicOrigin).origin}/games/${game.id}/tickets/${ticket.id}`
  const mail = { recipient: author.email, language: ticket.language, platformName }
  await queueMail(deps, executor, renderTicketMail(mail, { game: game.title, subject: ticket.subject }, link))
}
