/** How the value of a challenge falls with its solvers. */
export interface ScoreCurve {
  readonly originalScore: number
  /** Share that always remains, 0..1. */
  readonly minScoreRate: number
  /** The larger, the slower the fall; above 0. */
  readonly difficulty: number
}

/** Value for every solver when there are `solvers` of them (behaviour §12). */
export const valueAt = ({ originalScore, minScoreRate, difficulty }: ScoreCurve, solvers: number): number =>
  solvers <= 1
    ? originalScore
    : Math.floor(originalScore * (minScoreRate + (1 - minScoreRate) * Math.exp((1 - solvers) / difficulty)))

/** The value never falls below. */
export const floorOf = ({ originalScore, minScoreRate }: ScoreCurve): number => Math.floor(originalScore * minScoreRate)

/** How many solvers a drawing needs: until all but a fiftieth of the fall is done, and beyond those there are. */
export const solversToDraw = ({ difficulty }: ScoreCurve, solversNow: number): number =>
  Math.min(2000, Math.max(10, Math.ceil(1 + difficulty * Math.log(50)), Math.ceil(solversNow * 1.15)))

/** Solver counts worth naming under a drawing of up to `most` solvers. */
export const namedSolvers = (most: number): readonly number[] =>
  [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].filter((count) => count <= most).slice(-6)
