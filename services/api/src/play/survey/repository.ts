import { Limits } from '@capstan/contract/limits'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges } from '@capstan/db/schema/challenges'
import { surveyAnswers } from '@capstan/db/schema/surveys'
import { and, asc, count, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'

/** Author of answers: the user in a survey with names, or a keyed hash of the user in an anonymous survey. */
export type Author = Pick<typeof surveyAnswers.$inferInsert, 'userId' | 'authorHash'>

type AnswerValues = Pick<typeof surveyAnswers.$inferSelect, 'challengeId' | 'rating' | 'text'>

/**
 * Survey answer, with the title of the rated challenge and the name of the user who answered. The name is null in an anonymous
 * survey.
 */
export type AnswerRow = AnswerValues & Readonly<{ title: string | null; author: string | null }>

/**
 * Count of the survey answers that give a challenge or the whole game a certain rating. `texts` is the number of these answers
 * that contain a text.
 */
export type RatingCount = Readonly<{
  challengeId: number | null
  title: string | null
  rating: number | null
  answers: number
  texts: number
}>

export function createSurveyRepository(db: Executor) {
  const ownedBy = (gameId: number, { userId, authorHash }: Author) =>
    and(
      eq(surveyAnswers.gameId, gameId),
      userId ? eq(surveyAnswers.userId, userId) : eq(surveyAnswers.authorHash, authorHash ?? ''),
    )
  // The order depends only on the content, so that it does not reveal which answers are from the same author.
  const contentOrder = [asc(challenges.title), asc(challenges.id), asc(surveyAnswers.text), asc(surveyAnswers.rating)]
  const selectAnswers = (condition: SQL | undefined) =>
    db
      .select({
        challengeId: surveyAnswers.challengeId,
        title: challenges.title,
        rating: surveyAnswers.rating,
        text: surveyAnswers.text,
        author: users.userName,
      })
      .from(surveyAnswers)
      .leftJoin(challenges, eq(challenges.id, surveyAnswers.challengeId))
      .leftJoin(users, eq(users.id, surveyAnswers.userId))
      .where(condition)
  return {
    /** Lists the challenges that players without a division can see. */
    listChallenges: (gameId: number): Promise<{ id: number; title: string }[]> =>
      db
        .select({ id: challenges.id, title: challenges.title })
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), challenges.isShown))
        .orderBy(asc(challenges.title), asc(challenges.id)),
    listOwn: (gameId: number, author: Author): Promise<AnswerValues[]> =>
      db
        .select({ challengeId: surveyAnswers.challengeId, rating: surveyAnswers.rating, text: surveyAnswers.text })
        .from(surveyAnswers)
        .where(ownedBy(gameId, author))
        .orderBy(asc(surveyAnswers.challengeId)),
    /** Locks an author until the end of the transaction, so that calls of the author run one after another. */
    async lockAuthor(gameId: number, { userId, authorHash }: Author): Promise<void> {
      await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`survey ${gameId} ${userId ?? authorHash}`}, 0))`)
    },
    /** Replaces all answers of an author. The caller has locked the author. */
    async replace(gameId: number, author: Author, answers: readonly AnswerValues[]): Promise<void> {
      await db.delete(surveyAnswers).where(ownedBy(gameId, author))
      if (answers.length > 0) await db.insert(surveyAnswers).values(answers.map((answer) => ({ ...answer, ...author, gameId })))
    },
    countRatings: (gameId: number): Promise<RatingCount[]> =>
      db
        .select({
          challengeId: surveyAnswers.challengeId,
          title: challenges.title,
          rating: surveyAnswers.rating,
          answers: count(),
          texts: sql<number>`count(*) filter (where ${surveyAnswers.text} <> '')`.mapWith(Number),
        })
        .from(surveyAnswers)
        .leftJoin(challenges, eq(challenges.id, surveyAnswers.challengeId))
        .where(eq(surveyAnswers.gameId, gameId))
        .groupBy(surveyAnswers.challengeId, challenges.id, surveyAnswers.rating)
        .orderBy(asc(challenges.title), asc(surveyAnswers.challengeId)),
    /** Lists a limited number of texts for each challenge and for the whole game. */
    listTexts(gameId: number): Promise<AnswerRow[]> {
      const position = sql<number>`row_number() over (
        partition by ${surveyAnswers.challengeId} order by ${surveyAnswers.text}, ${surveyAnswers.rating})`.as('position')
      const firsts = db
        .select({ id: surveyAnswers.id, position })
        .from(surveyAnswers)
        .where(and(eq(surveyAnswers.gameId, gameId), ne(surveyAnswers.text, '')))
        .as('firsts')
      const shown = db.select({ id: firsts.id }).from(firsts).where(sql`${firsts.position} <= ${Limits.surveyTexts}`)
      return selectAnswers(inArray(surveyAnswers.id, shown)).orderBy(...contentOrder)
    },
    listAll: (gameId: number): Promise<AnswerRow[]> => selectAnswers(eq(surveyAnswers.gameId, gameId)).orderBy(...contentOrder),
  }
}
