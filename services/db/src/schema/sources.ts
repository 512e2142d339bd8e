import { integer, jsonb, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { challenges } from './challenges.ts'
import { instantColumn } from './columns.ts'
import { games } from './games.ts'

/** Map from field to digest. The digest was computed from the field's value in the files that were last applied. */
type Remembered = Readonly<Record<string, string>>

export const gameSources = pgTable(
  'game_sources',
  {
    gameId: integer('game_id')
      .primaryKey()
      .references(() => games.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    remembered: jsonb('remembered').$type<Remembered>().notNull().default({}),
    /** Time at which the files were last applied. Null if the files were not applied yet. */
    appliedAt: instantColumn('applied_at'),
  },
  (table) => [unique('game_sources_name_key').on(table.name)],
)

export const challengeSources = pgTable(
  'challenge_sources',
  {
    challengeId: integer('challenge_id')
      .primaryKey()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    remembered: jsonb('remembered').$type<Remembered>().notNull().default({}),
    appliedAt: instantColumn('applied_at'),
  },
  (table) => [unique('challenge_sources_game_id_name_key').on(table.gameId, table.name)],
)
