import type { ScoreCurve } from '@capstan/contract/score'

/** How many solvers the drawing shows: until 98 percent of the fall is done, and more than have solved it. */
export function solversToDraw({ difficulty }: ScoreCurve, solversNow: number): number {
  return Math.min(2000, Math.max(10, Math.ceil(1 + difficulty * Math.log(50)), Math.ceil(solversNow * 1.15)))
}

/** Solver counts worth naming under a drawing of up to `most` solvers. */
export function namedSolvers(most: number): readonly number[] {
  return [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].filter((count) => count <= most).slice(-6)
}
