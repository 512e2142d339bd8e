// Tickets of all teams, for organizers. Rules: docs/contract/tickets.md.
import { Limits } from '@capstan/contract/limits'
import { refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type {
  TicketAnswer,
  Ticket as TicketAnswered,
  TicketChange,
  TicketFacts,
  TicketPage,
  TicketThread,
  UnreadTickets,
} from '@capstan/contract/tickets'
import type { Executor } from '@capstan/db/client'
import { type GameRow, getGame, timesOfGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { findSubmissions, listConnections } from '../monitor/service.ts'
import { announceTicketChange } from './announcement.ts'
import { queueMailToTicketAuthor } from './answer-mail.ts'
import { createTicketFactsRepository } from './facts-repository.ts'
import { presentInstance, presentMessage, presentTicket } from './presenter.ts'
import { createTicketRepository, type TicketPageFilter, type TicketRow } from './repository.ts'

/** Ticket that is the subject of a call, and the organizer who makes the call. */
type NamedTicket = Readonly<{
  gameId: number
  ticketId: string
  userId: string
}>

/** Ticket after a change, with the title of its game. */
type Changed = Readonly<{
  game: string
  ticket: TicketAnswered
}>

async function find(executor: Executor, { gameId, ticketId, userId }: NamedTicket): Promise<TicketRow> {
  const row = await createTicketRepository(executor).find(gameId, ticketId, userId)
  if (!row) throw new Problem('ticket.unknown')
  return row
}

/** @throws Problem `game.unknown` */
export async function findTickets(
  deps: Pick<InstanceDeps, 'db'>,
  gameId: number,
  userId: string,
  filter: TicketPageFilter,
): Promise<TicketPage> {
  await getGame(deps, gameId)
  const repository = createTicketRepository(deps.db)
  const counts = await repository.countViews(gameId, filter, userId)
  return {
    data: (await repository.listPage(gameId, filter, userId)).map(presentTicket),
    total: counts[filter.view],
    counts,
    organizers: await repository.listOrganizers(),
  }
}

/** @throws Problem `game.unknown` */
export async function countUnreadTickets(deps: Pick<InstanceDeps, 'db'>, gameId: number, userId: string): Promise<UnreadTickets> {
  await getGame(deps, gameId)
  return { count: await createTicketRepository(deps.db).countUnread(gameId, userId) }
}

/** Reads the activity of a team at the challenge of a ticket. */
async function readFacts(deps: InstanceDeps, game: GameRow, { ticket, team }: TicketRow): Promise<TicketFacts | null> {
  const { challengeId, participationId } = ticket
  if (challengeId === null) return null
  const limits = { count: Limits.ticketFacts, skip: 0 }
  const found = await createTicketFactsRepository(deps.db).listInstances(participationId, challengeId, Limits.ticketFacts)
  const hasStarted = refuseOutsidePhase('submissions', timesOfGame(game), deps.clock.now()) === undefined
  const filter = { team: team.id, challenge: challengeId, ...limits }
  return {
    instances: found.map((row) => presentInstance(row, deps.runtime.find(row.id)?.state)),
    connections: await listConnections(deps, game.id, {
      ...{ challengeId, participationId, openOnly: false, hint: undefined, ...limits },
    }),
    attempts: hasStarted ? (await findSubmissions(deps, game.id, filter)).data : [],
  }
}

/** @throws Problem `game.unknown`, `ticket.unknown` */
export async function getTicket(deps: InstanceDeps, named: NamedTicket): Promise<TicketThread> {
  const game = await getGame(deps, named.gameId)
  const row = await find(deps.db, named)
  const messages = await createTicketRepository(deps.db).listMessages(named.ticketId)
  return { ticket: presentTicket(row), messages: messages.map(presentMessage), facts: await readFacts(deps, game, row) }
}

/** Answers a ticket, and assigns it to the organizer if it has no assignee. @throws Problem `game.unknown`, `ticket.unknown` */
export async function answerTicket(
  deps: InstanceDeps,
  named: NamedTicket,
  { text, isClosed = false }: TicketAnswer,
): Promise<Changed> {
  const { db, clock } = deps
  const { gameId, ticketId, userId } = named
  const game = await getGame(deps, gameId)
  const now = clock.now()
  const { participationId, ticket } = await db.transaction(async (transaction) => {
    const repository = createTicketRepository(transaction)
    const [locked] = await repository.lock(gameId, [ticketId])
    if (!locked) throw new Problem('ticket.unknown')
    await queueMailToTicketAuthor(deps, transaction, game, locked)
    await repository.insertMessage({ ticketId, authorId: userId, isFromTeam: false, text: text.trim(), sentAt: now })
    await repository.update(ticketId, {
      ...{ updatedAt: now, assigneeId: locked.assigneeId ?? userId },
      ...(isClosed && { closedAt: locked.closedAt ?? now }),
    })
    await repository.markRead(ticketId, userId)
    return { participationId: locked.participationId, ticket: presentTicket(await find(transaction, named)) }
  })
  await announceTicketChange(deps, gameId, participationId)
  return { game: game.title, ticket }
}

/** @throws Problem `game.unknown`, `ticket.unknown`, `ticket.assignee` */
export async function changeTicket(
  deps: Pick<InstanceDeps, 'db' | 'bus' | 'clock'>,
  named: NamedTicket,
  { isClosed, assigneeId }: TicketChange,
): Promise<Changed> {
  const { db, clock } = deps
  const { gameId, ticketId } = named
  const game = await getGame(deps, gameId)
  const { participationId, ticket } = await db.transaction(async (transaction) => {
    const repository = createTicketRepository(transaction)
    const [locked] = await repository.lock(gameId, [ticketId])
    if (!locked) throw new Problem('ticket.unknown')
    if (assigneeId && !(await repository.isOrganizer(assigneeId))) throw new Problem('ticket.assignee')
    await repository.update(ticketId, {
      assigneeId: assigneeId === undefined ? locked.assigneeId : assigneeId,
      closedAt: (isClosed ?? locked.closedAt !== null) ? (locked.closedAt ?? clock.now()) : null,
    })
    return { participationId: locked.participationId, ticket: presentTicket(await find(transaction, named)) }
  })
  await announceTicketChange(deps, gameId, participationId)
  return { game: game.title, ticket }
}

/**
 * Moves all messages of a ticket into another ticket of the same team. @throws Problem `ticket.unknown`, `ticket.other-team`,
 * `ticket.itself`
 */
export async function mergeTicket(deps: Pick<InstanceDeps, 'db' | 'bus'>, named: NamedTicket, into: string): Promise<Changed> {
  const { gameId, ticketId } = named
  const game = await getGame(deps, gameId)
  if (into === ticketId) throw new Problem('ticket.itself')
  const { participationId, ticket } = await deps.db.transaction(async (transaction) => {
    const repository = createTicketRepository(transaction)
    const locked = await repository.lock(gameId, [ticketId, into])
    const [from, target] = [locked.find(({ id }) => id === ticketId), locked.find(({ id }) => id === into)]
    if (!from || !target) throw new Problem('ticket.unknown')
    if (from.participationId !== target.participationId) throw new Problem('ticket.other-team')
    await repository.moveMessages(from, into)
    const updatedAt = from.updatedAt > target.updatedAt ? from.updatedAt : target.updatedAt
    const closedAt = from.closedAt === null ? null : target.closedAt
    await repository.update(into, { updatedAt, closedAt })
    await repository.delete(ticketId)
    const merged = await find(transaction, { ...named, ticketId: into })
    return { participationId: target.participationId, ticket: presentTicket(merged) }
  })
  await announceTicketChange(deps, gameId, participationId)
  return { game: game.title, ticket }
}

/** @throws Problem `ticket.unknown` */
export async function markTicketRead({ db }: Pick<InstanceDeps, 'db'>, named: NamedTicket): Promise<void> {
  await find(db, named)
  await createTicketRepository(db).markRead(named.ticketId, named.userId)
}
