import { InputLimits } from '@capstan/contract/limits'
import { challengeValue } from '@capstan/contract/score'
import type { ChallengeFile } from '../format/challenge.ts'
import type { Fields } from './fields.ts'

export type ScoreRule = NonNullable<ChallengeFile['score']>

/** Points curve of this platform with its difference to the original. */
export type FittedScore = Readonly<{
  score: ScoreRule
  /** Largest difference in points over all compared numbers of solvers. 0 means that the curves are equal. */
  difference: number
}>

/** Returns whole points within the allowed range, and reports a value that had to be changed. */
export function pointsWithin(fields: Fields, key: string, value: number): number {
  const points = Math.min(InputLimits.maxScore, Math.max(0, Math.round(value)))
  if (points !== value) fields.note(key, 'converted', `Points are whole numbers from 0 to ${InputLimits.maxScore}: ${points}.`)
  return points
}

/** Returns points that never fall. */
export function constantScore(points: number): ScoreRule {
  return { points, minimumShare: 1 }
}

/** Returns the minimum share for which the points fall exactly to `minimum`, with as few digits as possible. */
function shareOf(points: number, minimum: number): number {
  if (points === 0 || minimum >= points) return 1
  const exact = Math.max(0, minimum) / points
  const least = Math.floor(Math.max(0, minimum))
  const fitting = [10, 100, 1_000, 10_000].map((digits) => Math.ceil(exact * digits) / digits)
  return [...fitting, exact, exact * (1 + 1e-12)].find((share) => Math.floor(points * share) === least) ?? exact
}

function differenceOf({ points, minimumShare = 1, difficulty = 1 }: ScoreRule, wanted: readonly number[]): number {
  return wanted.reduce(
    (most, value, index) =>
      Math.max(
        most,
        Math.abs(value - challengeValue({ originalScore: points, minScoreRate: minimumShare, difficulty }, index + 1)),
      ),
    0,
  )
}

function fit(points: number, minimum: number, wanted: readonly number[]): FittedScore {
  const minimumShare = shareOf(points, minimum)
  let best: FittedScore | undefined
  // The difficulty increases by five per cent per step, from 0.1 to about 10,000. Finer steps would make no difference to whole
  // points.
  for (let difficulty = 0.1; difficulty < 10_000; difficulty *= 1.05) {
    const score = { points, minimumShare, difficulty: Number(difficulty.toPrecision(4)) }
    const difference = differenceOf(score, wanted)
    if (best === undefined || difference < best.difference) best = { score, difference }
  }
  if (best === undefined) throw new Error('no curve was compared')
  return best
}

/** Cache of fitted curves, because challenges of one event use few different curves. */
const fitted = new Map<string, FittedScore>()
const maxFittedCurves = 256

/**
 * Finds our nearest curve: the difficulty with the smallest maximum difference.
 * @param valueWith returns the points for a number of solvers, from 1
 */
function fitCurve(
  points: number,
  minimum: number,
  { name, solvers, valueWith }: { name: string; solvers: number; valueWith: (solvers: number) => number },
): FittedScore {
  const key = `${name} ${points} ${minimum} ${solvers}`
  const known = fitted.get(key)
  if (known !== undefined) return known
  const found = fit(
    points,
    minimum,
    Array.from({ length: solvers }, (_, index) => valueWith(index + 1)),
  )
  if (fitted.size >= maxFittedCurves) fitted.clear()
  fitted.set(key, found)
  return found
}

export type CtfdCurve = Readonly<{
  initial: number
  minimum: number
  decay: number
  isLinear: boolean
}>

/** Returns the points of a dynamic challenge of CTFd for a number of solvers. The first solver does not reduce them. */
export function ctfdValue({ initial, minimum, decay, isLinear }: CtfdCurve, solvers: number): number {
  const others = Math.max(0, solvers - 1)
  // CTFd uses 1 instead of a decay of 0, because it divides by the decay.
  const each = decay === 0 ? 1 : decay
  const value = isLinear ? initial - each * others : ((minimum - initial) / each ** 2) * others ** 2 + initial
  return Math.max(minimum, Math.ceil(value))
}

/** Returns our nearest curve to dynamic points of CTFd. */
export function fitCtfd(curve: CtfdCurve): FittedScore {
  return fitCurve(curve.initial, Math.min(curve.minimum, curve.initial), {
    name: `ctfd ${curve.decay} ${curve.isLinear}`,
    solvers: 1_000,
    valueWith: (solvers) => ctfdValue(curve, solvers),
  })
}

/** Imports dynamic points of CTFd and reports the difference at `key`. */
export function ctfdScore(fields: Fields, key: string, curve: CtfdCurve): ScoreRule {
  const { score, difference } = fitCtfd(curve)
  const why =
    difference === 0
      ? 'The points drop as before.'
      : `The points drop along another curve, which differs by up to ${difference} points.`
  fields.note(key, 'converted', why)
  return score
}

/** Solves of the most-solved challenge in an event of usual size. */
const usualMost = 100

function falling(x: number): number {
  return (1 - Math.tanh(x)) / 2
}
const [steepFrom, steepTo] = [-Math.atanh(0.7), Math.atanh(0.96)]

/** Returns the points of a challenge of rCTF. They depend on its solves divided by the solves of the most-solved challenge. */
export function rctfValue(minimum: number, maximum: number, most: number, solves: number): number {
  const scale = Math.max(1, most)
  const share = (x: number): number =>
    (falling((steepTo - steepFrom) * x + steepFrom) - falling(steepTo)) / (falling(steepFrom) - falling(steepTo))
  const value = (solvers: number): number => minimum + (maximum - minimum) * share(solvers / scale)
  return Math.round(Math.max(value(solves), value(scale)))
}

/** Imports rCTF points between two bounds and reports the difference at `key`. */
export function rctfScore(fields: Fields, key: string, minimum: number, maximum: number): ScoreRule {
  const least = Math.min(minimum, maximum)
  if (least === maximum) return constantScore(maximum)
  const { score, difference } = fitCurve(maximum, least, {
    name: 'rctf',
    solvers: usualMost,
    valueWith: (solvers) => rctfValue(least, maximum, usualMost, solvers),
  })
  fields.note(
    key,
    'converted',
    `In the other format the points depend on the most-solved challenge. With ${usualMost} solves of it, the curve here ` +
      `differs by up to ${difference} points; with other numbers by at most ${maximum - least}.`,
    'Set `score.difficulty`. With a larger number the points drop more slowly.',
  )
  return score
}
