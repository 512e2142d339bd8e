import { EventType, NoticeType } from '@capstan/contract/games'
import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgSequence, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { textArray } from '../text-array.ts'
import { users } from './accounts.ts'
import { challenges, submissions } from './challenges.ts'
import { instantColumn } from './columns.ts'
import { games } from './games.ts'
import { teams } from './teams.ts'

/**
 * Ids that earlier versions assign to notices about first bloods. During an upgrade, such a version may still be running. The
 * current version assigns higher ids.
 */
export const bloodNoticeIds = pgSequence('blood_notice_ids', { startWith: 2 ** 30, maxValue: 2 ** 31 - 1 })

/** Notices of games, which organizers write or the platform generates. */
export const notices = pgTable(
  'notices',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    type: text('type', { enum: NoticeType.enum }).notNull(),
    /**
     * Text of a notice from an organizer. Generated notices instead contain `challengeId` and `teamId`, because names can change.
     */
    values: textArray('values').notNull(),
    publishedAt: instantColumn('published_at').notNull().defaultNow(),
    /** Challenge to which a generated notice refers. */
    challengeId: integer('challenge_id').references(() => challenges.id, { onDelete: 'cascade' }),
    teamId: integer('team_id').references(() => teams.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('notices_game_id_published_at_idx').on(table.gameId, table.publishedAt),
    index('notices_challenge_id_idx').on(table.challengeId),
    index('notices_team_id_idx').on(table.teamId),
  ],
)

/** Events for monitors. Names of teams, users and challenges are looked up when an event is read, including names in `values`. */
export const events = pgTable(
  'events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    type: text('type', { enum: EventType.enum }).notNull(),
    values: textArray('values').notNull(),
    occurredAt: instantColumn('occurred_at').notNull().defaultNow(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    teamId: integer('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    /** Submission to which a `CheatDetected` event refers. Null for all other types. */
    submissionId: integer('submission_id').references(() => submissions.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('events_game_id_id_idx').on(table.gameId, table.id),
    // Index for lists that are filtered by type. It omits flag submissions, which are the most frequent type. A list of flag
    // submissions uses the index on the game and is still fast.
    index('events_game_id_type_id_idx').on(table.gameId, table.type, table.id).where(sql`${table.type} <> 'FlagSubmit'`),
    index('events_team_id_id_idx').on(table.teamId, table.id),
    // A BRIN index suffices to find the events of one hour in all games, because rows are stored in the order of time. It needs
    // only a few kilobytes.
    index('events_occurred_at_idx').using('brin', table.occurredAt),
    index('events_submission_id_idx').on(table.submissionId).where(sql`submission_id is not null`),
  ],
)
