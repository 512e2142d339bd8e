import { challengeValue, type ScoreCurve } from '@capstan/contract/score'

/** A curve of ours beside the one it stands for. */
export interface FittedCurve {
  readonly curve: ScoreCurve
  /** Largest difference in points over the first thousand solvers; 0 = exact. */
  readonly difference: number
}

const solversCompared = 1_000

const differenceOf = (curve: ScoreCurve, wanted: readonly number[]): number =>
  wanted.reduce((most, value, index) => Math.max(most, Math.abs(value - challengeValue(curve, index + 1))), 0)

/**
 * The curve of ours that comes nearest to another, by the difficulty that makes the largest difference least.
 *
 * @param valueWith points for each solver when there are `solvers` of them, from 1 on
 */
export const fitCurve = (originalScore: number, minimum: number, valueWith: (solvers: number) => number): FittedCurve => {
  const wanted = Array.from({ length: solversCompared }, (_, index) => valueWith(index + 1))
  const minScoreRate = originalScore === 0 ? 1 : Math.min(1, Math.max(0, minimum / originalScore))
  let best: FittedCurve | undefined
  // Steps of five per cent from 0.1 to about 10,000: finer than what a rounding to whole points shows.
  for (let difficulty = 0.1; difficulty < 10_000; difficulty *= 1.05) {
    const curve = { originalScore, minScoreRate, difficulty: Number(difficulty.toPrecision(4)) }
    const difference = differenceOf(curve, wanted)
    if (best === undefined || difference < best.difference) best = { curve, difference }
  }
  if (best === undefined) throw new Error('no curve was tried')
  return best
}

/** A value that never falls. */
export const constantCurve = (points: number): ScoreCurve => ({ originalScore: points, minScoreRate: 1, difficulty: 5 })
