import { Limits } from '@capstan/contract/limits'
import type { SurveyResult } from '@capstan/contract/surveys'
import type { AnswerRow, RatingCount } from './repository.ts'

/**
 * Returns the mean rating.
 * @param ratings numbers of answers with rating 1, with rating 2, and so on
 * @returns null if there are no ratings
 */
function meanOf(ratings: readonly number[]): number | null {
  const total = ratings.reduce((sum, count) => sum + count, 0)
  return total === 0 ? null : ratings.reduce((sum, count, index) => sum + count * (index + 1), 0) / total
}

/** Returns the results of the whole game, and of each challenge that has answers. The challenges have the order of `counts`. */
export function summarizeSurvey(counts: readonly RatingCount[], texts: readonly AnswerRow[]): SurveyResult[] {
  const countsOf = Map.groupBy(counts, ({ challengeId }) => challengeId)
  const textsOf = Map.groupBy(texts, ({ challengeId }) => challengeId)
  const subjects = [null, ...[...countsOf.keys()].filter((challengeId) => challengeId !== null)]
  return subjects.map((challengeId) => {
    const rows = countsOf.get(challengeId) ?? []
    const ratings = Array.from(
      { length: Limits.maxSurveyRating },
      (_, index) => rows.find(({ rating }) => rating === index + 1)?.answers ?? 0,
    )
    return {
      challengeId,
      title: rows[0]?.title ?? null,
      answers: rows.reduce((sum, row) => sum + row.answers, 0),
      ratings,
      mean: meanOf(ratings),
      textCount: rows.reduce((sum, row) => sum + row.texts, 0),
      texts: (textsOf.get(challengeId) ?? []).map(({ rating, text, author }) => ({ rating, text, author })),
    }
  })
}
