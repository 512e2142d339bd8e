// Decides what users may do with tickets. Rules: docs/contract/tickets.md.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'

/** Interval in which messages of a team are counted, in ms. */
export const floodWindowMs = 60_000

export type TeamLoad = Readonly<{
  /** Number of tickets that the team has in the game. */
  tickets: number
  openTickets: number
  /** Times of the messages of the team within the last minute, oldest first. */
  recentMessages: readonly Date[]
}>

/** @throws Problem `ticket.too-fast` if the team has sent too many messages within a minute */
export function checkMessageRate({ recentMessages }: Pick<TeamLoad, 'recentMessages'>, now: Date): void {
  const oldest = recentMessages.at(-Limits.ticketMessagesPerMinute)
  if (!oldest) return
  const leftMs = oldest.getTime() + floodWindowMs - now.getTime()
  throw new Problem('ticket.too-fast', { retryAfterSeconds: Math.max(1, leftMs / 1_000) })
}

/** @throws Problem `ticket.too-many`, `ticket.too-many-open`, `ticket.too-fast` */
export function checkNewTicket(load: TeamLoad, now: Date): void {
  if (load.tickets >= Limits.maxTickets) throw new Problem('ticket.too-many')
  if (load.openTickets >= Limits.maxOpenTickets) throw new Problem('ticket.too-many-open')
  checkMessageRate(load, now)
}

/** @throws Problem `ticket.too-many-open` if the team may not reopen a closed ticket */
export function checkTicketReopening({ openTickets }: Pick<TeamLoad, 'openTickets'>): void {
  if (openTickets >= Limits.maxOpenTickets) throw new Problem('ticket.too-many-open')
}

/** @throws Problem `ticket.full` if a ticket has no room for a further message of the team */
export function checkTicketSize({ messages, length }: Readonly<{ messages: number; length: number }>, text: string): void {
  const isFull = messages >= Limits.maxTicketMessages || length + [...text].length > Limits.maxTicketThreadLength
  if (isFull) throw new Problem('ticket.full')
}
