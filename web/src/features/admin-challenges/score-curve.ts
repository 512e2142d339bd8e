import { challengeValue, minimumValue, type ScoreCurve } from '@capstan/contract/score'

/**
 * Minimum number of solvers that the chart covers for the curve of rCTF. The end of that curve depends on other challenges, and the
 * editor does not know these challenges.
 */
const minDrawnMost = 50

/** Returns the number of solvers at which the value has nearly reached its minimum. */
function solversAtEnd(curve: ScoreCurve): number {
  switch (curve.curve) {
    case 'exponential':
      return 1 + curve.decay * Math.log(50)
    case 'linear':
      return 2 + (curve.points - minimumValue(curve)) / curve.decay
    case 'parabola':
      return 2 + curve.decay
    case 'rctf':
      return minDrawnMost
    case 'static':
      return 0
  }
}

/**
 * Returns the number of solvers that the chart covers. The chart shows nearly the whole decrease of the value, and always covers
 * more solvers than the challenge has now.
 */
export function countChartSolvers(curve: ScoreCurve, solversNow: number): number {
  return Math.min(2000, Math.max(10, Math.ceil(solversAtEnd(curve)), Math.ceil(solversNow * 1.15)))
}

/** Returns the points that the chart shows for a number of solvers. */
export function chartValueAt(curve: ScoreCurve, solvers: number): number {
  return challengeValue(curve, solvers, countChartSolvers(curve, solvers))
}

/** Returns the numbers of solvers that get a label in a chart that ends at `maxSolvers`. */
export function listLabeledSolverCounts(maxSolvers: number): readonly number[] {
  return [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].filter((count) => count <= maxSolvers).slice(-6)
}
