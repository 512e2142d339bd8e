import type { TicketFilter, TicketView } from '@capstan/contract/tickets'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges } from '@capstan/db/schema/challenges'
import { participationMembers, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { ticketMessages, ticketReads, tickets } from '@capstan/db/schema/tickets'
import {
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  gte,
  ilike,
  inArray,
  isNotNull,
  isNull,
  lte,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { splitSearchWords, toSqlContainsPattern } from '../../server/http/search-pattern.ts'

const authors = alias(users, 'authors')
const assignees = alias(users, 'assignees')

export type TicketPageFilter = TicketFilter & Required<Pick<TicketFilter, 'view' | 'count' | 'skip'>>

const isOpen = isNull(tickets.closedAt)

function conditionOf(view: TicketView, userId: string): SQL | undefined {
  if (view === 'all') return undefined
  if (view === 'closed') return isNotNull(tickets.closedAt)
  if (view === 'unassigned') return and(isOpen, isNull(tickets.assigneeId))
  return view === 'mine' ? and(isOpen, eq(tickets.assigneeId, userId)) : isOpen
}

/** SQL for the id of the newest message that the user has read. The id is 0 if the user has read no message. */
function readUpTo(userId: string): SQL<number> {
  return sql<number>`coalesce((select ${ticketReads.messageId} from ${ticketReads}
    where ${ticketReads.ticketId} = ${tickets.id} and ${ticketReads.userId} = ${userId}), 0)`
}

/** SQL for the id of the newest message from the given side. The id is 0 if that side has sent no message. */
function newestOf(side: 'team' | 'organizers'): SQL<number> {
  return sql<number>`coalesce((select max(${ticketMessages.id}) from ${ticketMessages}
    where ${ticketMessages.ticketId} = ${tickets.id} and ${ticketMessages.isFromTeam} = ${side === 'team'}), 0)`
}

export function createTicketRepository(db: Executor) {
  const isUnreadByTeam = (userId: string) => sql<boolean>`${newestOf('organizers')} > ${readUpTo(userId)}`
  const isUnreadByOrganizer = (userId: string) =>
    sql<boolean>`${newestOf('team')} > greatest(${newestOf('organizers')}, ${readUpTo(userId)})`
  /**
   * Returns the SQL condition for the filters that are common to all lists of tickets. The query must join `teams` and
   * `challenges`.
   */
  const matches = (gameId: number, { hint, team, challenge, from, until }: TicketPageFilter) =>
    and(
      eq(tickets.gameId, gameId),
      team === undefined ? undefined : eq(teams.id, team),
      challenge === undefined ? undefined : eq(tickets.challengeId, challenge),
      from === undefined ? undefined : gte(tickets.updatedAt, new Date(from)),
      until === undefined ? undefined : lte(tickets.updatedAt, new Date(until)),
      ...splitSearchWords(hint ?? '').map((word) => {
        const pattern = toSqlContainsPattern(word)
        const written = db
          .select({ id: ticketMessages.id })
          .from(ticketMessages)
          .where(and(eq(ticketMessages.ticketId, tickets.id), ilike(ticketMessages.text, pattern)))
        return or(ilike(tickets.subject, pattern), ilike(teams.name, pattern), ilike(challenges.title, pattern), exists(written))
      }),
    )
  const isWaiting = sql<boolean>`${newestOf('team')} > ${newestOf('organizers')}`
  const selectForTeam = (userId: string) =>
    db
      .select({
        ticket: tickets,
        challenge: { title: challenges.title, isShown: challenges.isShown },
        isUnread: isUnreadByTeam(userId),
      })
      .from(tickets)
      .leftJoin(challenges, eq(challenges.id, tickets.challengeId))
  const selectForOrganizers = (userId: string) =>
    db
      .select({
        ticket: tickets,
        challengeTitle: challenges.title,
        team: { id: teams.id, name: teams.name },
        author: authors.userName,
        assignee: { id: assignees.id, name: assignees.userName },
        isWaiting,
        isUnread: isUnreadByOrganizer(userId),
      })
      .from(tickets)
      .innerJoin(participations, eq(participations.id, tickets.participationId))
      .innerJoin(teams, eq(teams.id, participations.teamId))
      .leftJoin(challenges, eq(challenges.id, tickets.challengeId))
      .leftJoin(authors, eq(authors.id, tickets.authorId))
      .leftJoin(assignees, eq(assignees.id, tickets.assigneeId))
  return {
    async findParticipation(gameId: number, userId: string) {
      const [row] = await db
        .select({ id: participations.id, status: participations.status })
        .from(participationMembers)
        .innerJoin(participations, eq(participations.id, participationMembers.participationId))
        .where(and(eq(participationMembers.gameId, gameId), eq(participationMembers.userId, userId)))
      return row
    },
    async lockParticipation(id: number): Promise<boolean> {
      const rows = await db
        .select({ id: participations.id })
        .from(participations)
        .where(eq(participations.id, id))
        .for('no key update')
      return rows.length > 0
    },
    async listMembers(participationId: number): Promise<string[]> {
      const rows = await db
        .select({ userId: participationMembers.userId })
        .from(participationMembers)
        .where(eq(participationMembers.participationId, participationId))
      return rows.map(({ userId }) => userId)
    },
    /** Finds a challenge with the columns that decide whether a team sees it. */
    async findChallenge(gameId: number, id: number) {
      const [row] = await db
        .select({ id: challenges.id, isShown: challenges.isShown, unlockRule: challenges.unlockRule })
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
      return row
    },
    async countOf(participationId: number): Promise<{ tickets: number; openTickets: number }> {
      const [row] = await db
        .select({ tickets: count(), openTickets: sql<number>`count(*) filter (where ${isOpen})`.mapWith(Number) })
        .from(tickets)
        .where(eq(tickets.participationId, participationId))
      return row ?? { tickets: 0, openTickets: 0 }
    },
    /** Lists the times of messages that a team has sent since an instant, oldest first. */
    async listSentSince(participationId: number, since: Date): Promise<Date[]> {
      const rows = await db
        .select({ sentAt: ticketMessages.sentAt })
        .from(ticketMessages)
        .innerJoin(tickets, eq(tickets.id, ticketMessages.ticketId))
        .where(and(eq(tickets.participationId, participationId), ticketMessages.isFromTeam, gt(ticketMessages.sentAt, since)))
        .orderBy(asc(ticketMessages.sentAt))
      return rows.map(({ sentAt }) => sentAt)
    },
    /** Returns the number of messages that the team has written in a ticket, and their total length in code points. */
    async measureMessagesOfTeam(ticketId: string): Promise<{ messages: number; length: number }> {
      const [row] = await db
        .select({ messages: count(), length: sql<number>`coalesce(sum(length(${ticketMessages.text})), 0)`.mapWith(Number) })
        .from(ticketMessages)
        .where(and(eq(ticketMessages.ticketId, ticketId), ticketMessages.isFromTeam))
      return row ?? { messages: 0, length: 0 }
    },
    listOfTeam: (participationId: number, userId: string) =>
      selectForTeam(userId)
        .where(eq(tickets.participationId, participationId))
        .orderBy(desc(tickets.updatedAt), desc(tickets.id)),
    async findOfTeam(participationId: number, id: string, userId: string) {
      const [row] = await selectForTeam(userId).where(and(eq(tickets.participationId, participationId), eq(tickets.id, id)))
      return row
    },
    async countUnreadOfTeam(participationId: number, userId: string): Promise<number> {
      return db.$count(tickets, and(eq(tickets.participationId, participationId), isUnreadByTeam(userId)))
    },
    listPage: (gameId: number, filter: TicketPageFilter, userId: string) =>
      selectForOrganizers(userId)
        .where(and(matches(gameId, filter), conditionOf(filter.view, userId)))
        .orderBy(desc(isWaiting), desc(tickets.updatedAt), desc(tickets.id))
        .limit(filter.count)
        .offset(filter.skip),
    async countViews(gameId: number, filter: TicketPageFilter, userId: string): Promise<Record<TicketView, number>> {
      const of = (view: TicketView) =>
        sql<number>`count(*) filter (where ${conditionOf(view, userId) ?? sql`true`})`.mapWith(Number)
      const [row] = await db
        .select({ open: of('open'), unassigned: of('unassigned'), mine: of('mine'), closed: of('closed'), all: of('all') })
        .from(tickets)
        .innerJoin(participations, eq(participations.id, tickets.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .leftJoin(challenges, eq(challenges.id, tickets.challengeId))
        .where(matches(gameId, filter))
      return row ?? { open: 0, unassigned: 0, mine: 0, closed: 0, all: 0 }
    },
    async countUnread(gameId: number, userId: string): Promise<number> {
      return db.$count(tickets, and(eq(tickets.gameId, gameId), isOpen, isUnreadByOrganizer(userId)))
    },
    async find(gameId: number, id: string, userId: string) {
      const [row] = await selectForOrganizers(userId).where(and(eq(tickets.gameId, gameId), eq(tickets.id, id)))
      return row
    },
    /** Locks tickets of a game in the order of their ids. */
    lock: (gameId: number, ids: readonly string[]) =>
      db
        .select()
        .from(tickets)
        .where(and(eq(tickets.gameId, gameId), inArray(tickets.id, [...ids])))
        .orderBy(asc(tickets.id))
        .for('update'),
    async insert(row: typeof tickets.$inferInsert): Promise<string> {
      const [ticket] = await db.insert(tickets).values(row).returning({ id: tickets.id })
      if (!ticket) throw new Error('Inserting a ticket returned no row')
      return ticket.id
    },
    async update(id: string, change: Partial<typeof tickets.$inferInsert>): Promise<void> {
      await db.update(tickets).set(change).where(eq(tickets.id, id))
    },
    async delete(id: string): Promise<void> {
      await db.delete(tickets).where(eq(tickets.id, id))
    },
    listMessages: (ticketId: string) =>
      db
        .select({
          author: users.userName,
          isFromTeam: ticketMessages.isFromTeam,
          text: ticketMessages.text,
          sentAt: ticketMessages.sentAt,
        })
        .from(ticketMessages)
        .leftJoin(users, eq(users.id, ticketMessages.authorId))
        .where(eq(ticketMessages.ticketId, ticketId))
        .orderBy(asc(ticketMessages.sentAt), asc(ticketMessages.id)),
    async insertMessage(row: typeof ticketMessages.$inferInsert): Promise<void> {
      await db.insert(ticketMessages).values(row)
    },
    /** Moves all messages of a ticket into another ticket. The subject is put before the text of the first message. */
    async moveMessages(from: Readonly<{ id: string; subject: string }>, into: string): Promise<void> {
      const first = db
        .select({ id: sql<number>`min(${ticketMessages.id})` })
        .from(ticketMessages)
        .where(eq(ticketMessages.ticketId, from.id))
      await db
        .update(ticketMessages)
        .set({
          ticketId: into,
          text: sql`case when ${ticketMessages.id} = (${first}) then ${from.subject} || E'\n\n' || ${ticketMessages.text}
            else ${ticketMessages.text} end`,
        })
        .where(eq(ticketMessages.ticketId, from.id))
    },
    /** Marks all messages of a ticket as read by a user. Does nothing if a concurrent merge deletes the ticket. */
    async markRead(ticketId: string, userId: string): Promise<void> {
      await db.execute(sql`
        with ticket as (select id from tickets where id = ${ticketId} for key share)
        insert into ticket_reads (ticket_id, user_id, message_id)
        select ticket.id, ${userId}, max(ticket_messages.id)
        from ticket join ticket_messages on ticket_messages.ticket_id = ticket.id
        group by ticket.id
        on conflict (ticket_id, user_id)
        do update set message_id = greatest(ticket_reads.message_id, excluded.message_id)`)
    },
    listOrganizers: () =>
      db
        .select({ id: users.id, name: users.userName })
        .from(users)
        .where(inArray(users.role, ['Monitor', 'Admin']))
        .orderBy(asc(users.userName)),
    async isOrganizer(id: string): Promise<boolean> {
      const rows = await db
        .select({ id: users.id })
        .from(users)
        .where(and(eq(users.id, id), inArray(users.role, ['Monitor', 'Admin'])))
      return rows.length > 0
    },
    /** Finds the address of the author of a ticket, and whether the author has read all answers. */
    async findAuthor({ id, authorId }: Readonly<{ id: string; authorId: string | null }>) {
      if (authorId === null) return undefined
      const [row] = await db
        .select({
          email: users.email,
          isConfirmed: users.emailConfirmed,
          isUnread: isUnreadByTeam(authorId),
        })
        .from(tickets)
        .innerJoin(users, eq(users.id, tickets.authorId))
        .where(eq(tickets.id, id))
      return row
    },
  }
}

type TicketRepository = ReturnType<typeof createTicketRepository>
export type TeamTicketRow = Awaited<ReturnType<TicketRepository['listOfTeam']>>[number]
export type TicketRow = Awaited<ReturnType<TicketRepository['listPage']>>[number]
export type MessageRow = Awaited<ReturnType<TicketRepository['listMessages']>>[number]
