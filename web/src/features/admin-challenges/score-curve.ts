import type { ScoreCurve } from '@capstan/contract/score'

/** Returns the number of solvers to draw: 98 percent of the fall, and more than the current solvers. */
export function solversToDraw({ difficulty }: ScoreCurve, solversNow: number): number {
  return Math.min(2000, Math.max(10, Math.ceil(1 + difficulty * Math.log(50)), Math.ceil(solversNow * 1.15)))
}

/** Returns the solver counts to label in a chart of up to `most` solvers. */
export function namedSolvers(most: number): readonly number[] {
  return [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].filter((count) => count <= most).slice(-6)
}
