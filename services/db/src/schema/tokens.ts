import { tokenScopes } from '@capstan/contract/vocabulary'
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { instantColumn, sqlList } from './columns.ts'
import { games } from './games.ts'

export const apiTokens = pgTable(
  'api_tokens',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    name: text('name').notNull(),
    creatorId: uuid('creator_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    scope: text('scope', { enum: tokenScopes }).notNull(),
    /** Game to which the token is limited. Null if the token is valid for all games. */
    gameId: integer('game_id').references(() => games.id, { onDelete: 'cascade' }),
    isRevoked: boolean('is_revoked').notNull().default(false),
    createdAt: instantColumn('created_at').notNull().defaultNow(),
    expiresAt: instantColumn('expires_at'),
    lastUsedAt: instantColumn('last_used_at'),
  },
  (table) => [
    index('api_tokens_creator_id_idx').on(table.creatorId),
    index('api_tokens_game_id_idx').on(table.gameId),
    check('api_tokens_scope_check', sql`${table.scope} in ${sqlList(tokenScopes)}`),
  ],
)
