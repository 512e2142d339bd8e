import { sql } from 'drizzle-orm'
import { bigint, foreignKey, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { textArray } from '../text-array.ts'
import { users } from './accounts.ts'
import { instantColumn } from './columns.ts'
import { games, participationMembers, participations } from './games.ts'

/**
 * Answers to the questions of registrations. The questions are in the row of the game. A member's answers are deleted when the
 * member leaves the participation. All answers are deleted when the participation is deleted.
 */
export const registrationAnswers = pgTable(
  'registration_answers',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id').notNull(),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    /** Member who gave the answer. Null if the answer is for the whole team. */
    userId: uuid('user_id'),
    questionId: uuid('question_id').notNull(),
    values: textArray('values').notNull().default(sql`'{}'`),
    answeredAt: instantColumn('answered_at').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'registration_answers_member_fk',
      columns: [table.gameId, table.userId],
      foreignColumns: [participationMembers.gameId, participationMembers.userId],
    }).onDelete('cascade'),
    index('registration_answers_member_idx').on(table.gameId, table.userId),
    uniqueIndex('registration_answers_team_key').on(table.participationId, table.questionId).where(sql`${table.userId} is null`),
    uniqueIndex('registration_answers_member_key')
      .on(table.participationId, table.questionId, table.userId)
      .where(sql`${table.userId} is not null`),
  ],
)

/**
 * Uploaded files for answers. Each row counts as one reference to the stored file. A trigger removes the reference when the row
 * is deleted. A file that no answer uses is deleted after a day.
 */
export const registrationFiles = pgTable(
  'registration_files',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    /** User who may use the file in an answer. */
    uploaderId: uuid('uploader_id').references(() => users.id, { onDelete: 'set null' }),
    answerId: integer('answer_id').references(() => registrationAnswers.id, { onDelete: 'cascade' }),
    fileHash: text('file_hash').notNull(),
    name: text('name').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    uploadedAt: instantColumn('uploaded_at').notNull(),
  },
  (table) => [
    uniqueIndex('registration_files_answer_id_key').on(table.answerId),
    index('registration_files_game_id_idx').on(table.gameId),
    index('registration_files_uploader_id_idx').on(table.uploaderId),
    index('registration_files_file_hash_idx').on(table.fileHash),
  ],
)
