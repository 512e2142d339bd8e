/** How the value of a challenge falls with its solvers. Rules: docs/contract/flags-and-scoring.md#values. */
export interface ScoreCurve {
  /** Points for the first solver; a whole number. */
  readonly originalScore: number
  /** Share of it that always remains, 0 … 1. */
  readonly minScoreRate: number
  /** The larger, the slower the value falls; above 0. */
  readonly difficulty: number
}

/**
 * Present value, the same for every solver, also the earlier ones:
 * `S` up to one solver, else `floor(S * (r + (1 - r) * exp((1 - n) / d)))`.
 *
 * @param solvers teams whose solve counts
 */
export const challengeValue = ({ originalScore, minScoreRate, difficulty }: ScoreCurve, solvers: number): number =>
  solvers <= 1
    ? originalScore
    : Math.floor(originalScore * (minScoreRate + (1 - minScoreRate) * Math.exp((1 - solvers) / difficulty)))

/** The value that a challenge never falls below: `floor(r * S)`. */
export const minimumValue = ({ originalScore, minScoreRate }: Pick<ScoreCurve, 'originalScore' | 'minScoreRate'>): number =>
  Math.floor(minScoreRate * originalScore)

/**
 * Points of one solve: `value * (1000 + bonus) / 1000` to the nearest whole number, halves to the even one. In whole numbers
 * throughout, so that a half is recognized exactly.
 *
 * @param bonusPerMille 0 … 1000
 */
export const solvePoints = (value: number, bonusPerMille: number): number => {
  const thousandths = value * (1000 + bonusPerMille)
  const points = Math.floor(thousandths / 1000)
  const rest = thousandths - points * 1000
  if (rest === 500) return points % 2 === 0 ? points : points + 1
  return rest > 500 ? points + 1 : points
}
