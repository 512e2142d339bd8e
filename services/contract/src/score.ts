/** Value of a challenge as a function of its number of solvers. See docs/contract/flags-and-scoring.md#values. */
export type ScoreCurve = Readonly<{
  originalScore: number
  minScoreRate: number
  /** Decay of the points. With larger values, the points fall more slowly. It must be above 0. */
  difficulty: number
}>

/**
 * Returns the current value of a challenge. It is the same for all solvers, including earlier ones. It is `S` up to one solver,
 * and otherwise `floor(S * (r + (1 - r) * exp((1 - n) / d)))`.
 * @param solvers number of teams whose solve counts
 */
export function challengeValue({ originalScore, minScoreRate, difficulty }: ScoreCurve, solvers: number): number {
  return solvers <= 1
    ? originalScore
    : Math.floor(originalScore * (minScoreRate + (1 - minScoreRate) * Math.exp((1 - solvers) / difficulty)))
}

export function minimumValue({ originalScore, minScoreRate }: Pick<ScoreCurve, 'originalScore' | 'minScoreRate'>): number {
  return Math.floor(minScoreRate * originalScore)
}

/**
 * Returns the points of a solve: `value * (1000 + bonus) / 1000`, rounded to the nearest integer. Halves are rounded to the even
 * integer. The calculation only uses integers, so it finds halves exactly.
 * @param bonusPerMille 0 to 1000
 */
export function solvePoints(value: number, bonusPerMille: number): number {
  const thousandths = value * (1000 + bonusPerMille)
  const points = Math.floor(thousandths / 1000)
  const rest = thousandths - points * 1000
  if (rest === 500) return points % 2 === 0 ? points : points + 1
  return rest > 500 ? points + 1 : points
}
