import { Limits } from '@capstan/contract/limits'
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { instantColumn, nameKeyColumns } from './columns.ts'

export const teams = pgTable(
  'teams',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    name: text('name').notNull(),
    ...nameKeyColumns,
    bio: text('bio'),
    avatarHash: text('avatar_hash'),
    hasPublicPage: boolean('has_public_page').notNull().default(true),
    captainId: uuid('captain_id')
      .notNull()
      .references(() => users.id, { onDelete: 'restrict' }),
    /** Variable part of the invitation code: 32 hex digits. */
    inviteToken: text('invite_token').notNull(),
    locked: boolean('locked').notNull().default(false),
    createdAt: instantColumn('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('teams_captain_id_idx').on(table.captainId),
    uniqueIndex('teams_name_skeleton_key').on(table.nameSkeleton),
    uniqueIndex('teams_name_shape_key').on(table.nameShape),
    uniqueIndex('teams_name_reading_key').on(table.nameReading),
    index('teams_name_idx').on(sql`lower(${table.name})`),
    check('teams_name_check', sql`char_length(${table.name}) between 1 and ${sql.raw(String(Limits.maxTeamNameLength))}`),
  ],
)

/** Members of each team, including the captain. A user may be in several teams. */
export const teamMembers = pgTable(
  'team_members',
  {
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    joinedAt: instantColumn('joined_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ name: 'team_members_pkey', columns: [table.teamId, table.userId] }),
    index('team_members_user_id_idx').on(table.userId),
  ],
)
