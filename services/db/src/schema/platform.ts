import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { textArray } from '../text-array.ts'
import { users } from './accounts.ts'
import { instantColumn } from './columns.ts'

/** Settings that admins edit, with one row per section (`accountPolicy`, `globalConfig`, `containerPolicy`). */
export const platformSettings = pgTable('platform_settings', {
  section: text('section').primaryKey(),
  value: jsonb('value').notNull(),
})

/**
 * Stored files, each with the number of its references. Files with the same content share one row. The blob store contains the
 * bytes of a file under the SHA-256 hash of the bytes.
 */
export const files = pgTable(
  'files',
  {
    hash: text('hash').primaryKey(),
    name: text('name').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    referenceCount: integer('reference_count').notNull().default(1),
    uploadedAt: instantColumn('uploaded_at').notNull().defaultNow(),
  },
  (table) => [index('files_name_idx').on(table.name), check('files_reference_count_check', sql`${table.referenceCount} >= 0`)],
)

/** Unsolved proof-of-work puzzles. They expire after five minutes. */
export const powChallenges = pgTable(
  'pow_challenges',
  {
    /** Id of the puzzle: 12 hex digits. */
    id: text('id').primaryKey(),
    /** Input of the puzzle: 16 hex digits. */
    challenge: text('challenge').notNull(),
    difficulty: integer('difficulty').notNull(),
    createdAt: instantColumn('created_at').notNull(),
  },
  (table) => [index('pow_challenges_created_at_idx').on(table.createdAt)],
)

export const posts = pgTable(
  'posts',
  {
    /** Id of the post: 8 hex digits. */
    id: text('id').primaryKey(),
    title: text('title').notNull(),
    summary: text('summary').notNull().default(''),
    content: text('content').notNull().default(''),
    tags: textArray('tags').notNull().default(sql`'{}'`),
    isPinned: boolean('is_pinned').notNull().default(false),
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    updatedAt: instantColumn('updated_at').notNull().defaultNow(),
  },
  (table) => [index('posts_order_idx').on(table.isPinned, table.updatedAt)],
)

export const logs = pgTable(
  'logs',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    time: instantColumn('time').notNull().defaultNow(),
    level: text('level').notNull(),
    name: text('name').notNull(),
    address: text('address'),
    message: text('message').notNull(),
    status: text('status'),
  },
  (table) => [index('logs_level_id_idx').on(table.level, table.id)],
)
