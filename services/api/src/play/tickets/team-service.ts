// Tickets of the caller's team. Rules: docs/contract/tickets.md.
import type { LanguageCode } from '@capstan/contract/languages'
import { Problem } from '@capstan/contract/problems'
import type { TeamTicket, TeamTicketThread, TicketCreate, UnreadTickets } from '@capstan/contract/tickets'
import type { Executor, Transaction } from '@capstan/db/client'
import { getGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { refuseCallWithoutDivisionRight } from '../../rules/scoring/division-rights.ts'
import type { PlayerService } from '../../server/players/service.ts'
import type { ScoreboardService } from '../scoreboard/service.ts'
import { checkUnlocked } from '../scoreboard/unlocking.ts'
import { announceTicketChange } from './announcement.ts'
import {
  checkMessageRate,
  checkNewTicket,
  checkTicketReopening,
  checkTicketSize,
  floodWindowMs,
  type TeamLoad,
} from './policy.ts'
import { presentTeamMessage, presentTeamTicket } from './presenter.ts'
import { createTicketRepository } from './repository.ts'

export type TeamTicketDeps = Pick<InstanceDeps, 'db' | 'bus' | 'clock'> &
  Readonly<{
    players: PlayerService
    scoreboards: ScoreboardService
  }>

/** Ticket that is the subject of a call, and the team member who makes the call. */
type OwnTicket = Readonly<{
  gameId: number
  ticketId: string
  userId: string
}>

/**
 * Returns the id of the caller's participation. Teams that wait for a review and suspended teams may use tickets, too.
 * @throws Problem `game.unknown`, `participation.required`
 */
async function findTeam(deps: Pick<TeamTicketDeps, 'db'>, gameId: number, userId: string): Promise<number> {
  await getGame(deps, gameId)
  const participation = await createTicketRepository(deps.db).findParticipation(gameId, userId)
  if (!participation || participation.status === 'Rejected') throw new Problem('participation.required')
  return participation.id
}

/** @throws Problem `challenge.unknown`, `challenge.locked`, or one of `PlayerService.get` */
async function checkChallenge(deps: TeamTicketDeps, gameId: number, id: number, userId: string): Promise<void> {
  const { db, players } = deps
  const player = await players.get('challenge', gameId, userId)
  const challenge = await createTicketRepository(db).findChallenge(gameId, id)
  if (!challenge?.isShown || refuseCallWithoutDivisionRight(player.division, id, 'see')) throw new Problem('challenge.unknown')
  await checkUnlocked(deps, player, challenge)
}

/**
 * Locks a team in a game, so that calls of the team run one after another. Counts the team's tickets, and lists the times of the
 * team's latest messages.
 */
async function lockTeam(transaction: Transaction, participationId: number, now: Date): Promise<TeamLoad> {
  const repository = createTicketRepository(transaction)
  if (!(await repository.lockParticipation(participationId))) throw new Problem('participation.required')
  const since = new Date(now.getTime() - floodWindowMs)
  return {
    ...(await repository.countOf(participationId)),
    recentMessages: await repository.listSentSince(participationId, since),
  }
}

async function present(executor: Executor, participationId: number, ticketId: string, userId: string): Promise<TeamTicket> {
  const row = await createTicketRepository(executor).findOfTeam(participationId, ticketId, userId)
  if (!row) throw new Problem('ticket.unknown')
  return presentTeamTicket(row)
}

/** @throws Problem `game.unknown`, `participation.required` */
export async function listTeamTickets(deps: TeamTicketDeps, gameId: number, userId: string): Promise<TeamTicket[]> {
  const participationId = await findTeam(deps, gameId, userId)
  return (await createTicketRepository(deps.db).listOfTeam(participationId, userId)).map(presentTeamTicket)
}

/** @throws Problem `game.unknown`, `participation.required` */
export async function countUnreadTeamTickets(deps: TeamTicketDeps, gameId: number, userId: string): Promise<UnreadTickets> {
  const participationId = await findTeam(deps, gameId, userId)
  return { count: await createTicketRepository(deps.db).countUnreadOfTeam(participationId, userId) }
}

/** @throws Problem `participation.required`, `challenge.unknown`, `ticket.too-many`, `ticket.too-many-open`, `ticket.too-fast` */
export async function openTicket(
  deps: TeamTicketDeps,
  gameId: number,
  { id: userId, language }: Readonly<{ id: string; language: LanguageCode }>,
  { subject, text, challengeId = null }: TicketCreate,
): Promise<TeamTicket> {
  const { db, clock } = deps
  const participationId = await findTeam(deps, gameId, userId)
  if (challengeId !== null) await checkChallenge(deps, gameId, challengeId, userId)
  const now = clock.now()
  const ticket = await db.transaction(async (transaction) => {
    checkNewTicket(await lockTeam(transaction, participationId, now), now)
    const repository = createTicketRepository(transaction)
    const id = await repository.insert({
      ...{ gameId, participationId, challengeId, subject: subject.trim(), authorId: userId, language },
      ...{ openedAt: now, updatedAt: now },
    })
    await repository.insertMessage({ ticketId: id, authorId: userId, isFromTeam: true, text: text.trim(), sentAt: now })
    return present(transaction, participationId, id, userId)
  })
  await announceTicketChange(deps, gameId, participationId)
  return ticket
}

/** @throws Problem `game.unknown`, `participation.required`, `ticket.unknown` */
export async function getTeamTicket(deps: TeamTicketDeps, { gameId, ticketId, userId }: OwnTicket): Promise<TeamTicketThread> {
  const participationId = await findTeam(deps, gameId, userId)
  const ticket = await present(deps.db, participationId, ticketId, userId)
  const messages = await createTicketRepository(deps.db).listMessages(ticketId)
  return { ticket, messages: messages.map(presentTeamMessage) }
}

/** @throws Problem `ticket.unknown`, `ticket.full`, `ticket.too-fast`, `ticket.too-many-open` */
export async function replyToTicket(deps: TeamTicketDeps, own: OwnTicket, text: string): Promise<TeamTicketThread> {
  const { db, clock } = deps
  const { gameId, ticketId, userId } = own
  const participationId = await findTeam(deps, gameId, userId)
  const now = clock.now()
  await db.transaction(async (transaction) => {
    const load = await lockTeam(transaction, participationId, now)
    const repository = createTicketRepository(transaction)
    const [ticket] = await repository.lock(gameId, [ticketId])
    if (ticket?.participationId !== participationId) throw new Problem('ticket.unknown')
    checkMessageRate(load, now)
    if (ticket.closedAt !== null) checkTicketReopening(load)
    checkTicketSize(await repository.measureMessagesOfTeam(ticketId), text.trim())
    await repository.insertMessage({ ticketId, authorId: userId, isFromTeam: true, text: text.trim(), sentAt: now })
    await repository.update(ticketId, { updatedAt: now, closedAt: null })
  })
  await announceTicketChange(deps, gameId, participationId)
  return getTeamTicket(deps, own)
}

/** @returns the ticket @throws Problem `ticket.unknown`, `ticket.too-many-open` */
export async function closeTeamTicket(
  deps: TeamTicketDeps,
  { gameId, ticketId, userId }: OwnTicket,
  isClosed: boolean,
): Promise<TeamTicket> {
  const { db, clock } = deps
  const participationId = await findTeam(deps, gameId, userId)
  const now = clock.now()
  const changed = await db.transaction(async (transaction) => {
    const load = await lockTeam(transaction, participationId, now)
    const repository = createTicketRepository(transaction)
    const [ticket] = await repository.lock(gameId, [ticketId])
    if (ticket?.participationId !== participationId) throw new Problem('ticket.unknown')
    if (!isClosed && ticket.closedAt !== null) checkTicketReopening(load)
    await repository.update(ticketId, { closedAt: isClosed ? (ticket.closedAt ?? now) : null })
    return present(transaction, participationId, ticketId, userId)
  })
  await announceTicketChange(deps, gameId, participationId)
  return changed
}

/** @throws Problem `game.unknown`, `participation.required`, `ticket.unknown` */
export async function markTeamTicketRead(deps: TeamTicketDeps, { gameId, ticketId, userId }: OwnTicket): Promise<void> {
  const participationId = await findTeam(deps, gameId, userId)
  await present(deps.db, participationId, ticketId, userId)
  await createTicketRepository(deps.db).markRead(ticketId, userId)
}
