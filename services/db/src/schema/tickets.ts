import { languageCodes } from '@capstan/contract/languages'
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { challenges } from './challenges.ts'
import { instantColumn } from './columns.ts'
import { games, participations } from './games.ts'

/**
 * Tickets, which are questions of teams to the organizers. Their ids are random, so that they do not reveal the number of tickets
 * of other teams.
 */
export const tickets = pgTable(
  'tickets',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    /** Challenge that the ticket concerns. Null if it concerns the whole game, or if its challenge was deleted. */
    challengeId: integer('challenge_id').references(() => challenges.id, { onDelete: 'set null' }),
    subject: text('subject').notNull(),
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    /** Language for mails to the author of the ticket. */
    language: text('language', { enum: languageCodes }).notNull(),
    /** Organizer who takes care of the ticket. */
    assigneeId: uuid('assignee_id').references(() => users.id, { onDelete: 'set null' }),
    openedAt: instantColumn('opened_at').notNull(),
    /** Time of the newest message in the ticket. */
    updatedAt: instantColumn('updated_at').notNull(),
    /** Time at which the ticket was closed. Null while it is open. */
    closedAt: instantColumn('closed_at'),
  },
  (table) => [
    index('tickets_game_id_updated_at_idx').on(table.gameId, table.updatedAt),
    index('tickets_participation_id_idx').on(table.participationId),
    index('tickets_challenge_id_idx').on(table.challengeId),
    index('tickets_author_id_idx').on(table.authorId),
    index('tickets_assignee_id_idx').on(table.assigneeId),
  ],
)

/** Messages of tickets. Players never see the ids, because the ids reveal the number of messages of all teams. */
export const ticketMessages = pgTable(
  'ticket_messages',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    ticketId: uuid('ticket_id')
      .notNull()
      .references(() => tickets.id, { onDelete: 'cascade' }),
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    /** True if a player wrote the message, and false if an organizer did. */
    isFromTeam: boolean('is_from_team').notNull(),
    text: text('text').notNull(),
    sentAt: instantColumn('sent_at').notNull(),
  },
  (table) => [
    index('ticket_messages_ticket_id_id_idx').on(table.ticketId, table.id),
    index('ticket_messages_author_id_idx').on(table.authorId),
  ],
)

/** Newest message that each user has read in each ticket. */
export const ticketReads = pgTable(
  'ticket_reads',
  {
    ticketId: uuid('ticket_id')
      .notNull()
      .references(() => tickets.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    messageId: bigint('message_id', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ name: 'ticket_reads_pkey', columns: [table.ticketId, table.userId] }),
    index('ticket_reads_user_id_idx').on(table.userId),
  ],
)

/** Texts that organizers can insert into answers to tickets of every game. */
export const cannedAnswers = pgTable('canned_answers', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  title: text('title').notNull(),
  text: text('text').notNull(),
})
