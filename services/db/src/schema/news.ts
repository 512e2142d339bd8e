import { EventType, NoticeType } from '@capstan/contract/games'
import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { textArray } from '../text-array.ts'
import { users } from './accounts.ts'
import { challenges, submissions } from './challenges.ts'
import { instant } from './columns.ts'
import { games } from './games.ts'
import { teams } from './teams.ts'

/** Announcements of a game, written by people or made by the platform. */
export const notices = pgTable(
  'notices',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    type: text('type', { enum: NoticeType.enum }).notNull(),
    /** Text of a written notice. Those of a generated one are read from `challengeId` and `teamId`: names change. */
    values: textArray('values').notNull(),
    publishedAt: instant('published_at').notNull().defaultNow(),
    /** Challenge of a generated notice. */
    challengeId: integer('challenge_id').references(() => challenges.id, { onDelete: 'cascade' }),
    /** Team of a blood notice. */
    teamId: integer('team_id').references(() => teams.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('notices_game_id_published_at_idx').on(table.gameId, table.publishedAt),
    index('notices_challenge_id_idx').on(table.challengeId),
    index('notices_team_id_idx').on(table.teamId),
  ],
)

/** What monitors follow. Names are resolved when read, those in `values` too. */
export const events = pgTable(
  'events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    type: text('type', { enum: EventType.enum }).notNull(),
    values: textArray('values').notNull(),
    occurredAt: instant('occurred_at').notNull().defaultNow(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    teamId: integer('team_id').references(() => teams.id, { onDelete: 'cascade' }),
    /** Submission that a `CheatDetected` event is about; null for all other types. */
    submissionId: integer('submission_id').references(() => submissions.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('events_game_id_id_idx').on(table.gameId, table.id),
    // Lists filtered by kind. Flags are so many that the index on the game finds a page of them at once.
    index('events_game_id_type_id_idx').on(table.gameId, table.type, table.id).where(sql`${table.type} <> 'FlagSubmit'`),
    index('events_team_id_id_idx').on(table.teamId, table.id),
    // Rows come in the order of time: a few kilobytes locate a past hour of all games.
    index('events_occurred_at_idx').using('brin', table.occurredAt),
    index('events_submission_id_idx').on(table.submissionId).where(sql`submission_id is not null`),
  ],
)
