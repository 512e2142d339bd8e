import { Limits } from '@capstan/contract/limits'
import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { challenges } from './challenges.ts'
import { games } from './games.ts'

/**
 * Answers to the survey after a game. A row of an anonymous survey contains only a keyed hash of its author. Ids are random and
 * no time is stored, because the order of the answers could reveal their authors.
 */
export const surveyAnswers = pgTable(
  'survey_answers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    /** Challenge that the answer concerns. Null if it concerns the whole game. */
    challengeId: integer('challenge_id').references(() => challenges.id, { onDelete: 'cascade' }),
    /** Author, if the survey is not anonymous. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Keyed hash of the author, if the survey is anonymous. */
    authorHash: text('author_hash'),
    rating: integer('rating'),
    text: text('text').notNull(),
  },
  (table) => [
    unique('survey_answers_author_key').on(table.gameId, table.challengeId, table.userId, table.authorHash).nullsNotDistinct(),
    index('survey_answers_challenge_id_idx').on(table.challengeId),
    index('survey_answers_user_id_idx').on(table.userId),
    check('survey_answers_author_check', sql`(${table.userId} is null) <> (${table.authorHash} is null)`),
    check('survey_answers_rating_check', sql`${table.rating} between 1 and ${sql.raw(String(Limits.maxSurveyRating))}`),
  ],
)
