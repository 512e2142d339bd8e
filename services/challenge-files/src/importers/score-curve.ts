import { InputLimits } from '@capstan/contract/limits'
import type { ChallengeFile } from '../format/challenge.ts'
import type { Fields } from './fields.ts'

export type ScoreRule = NonNullable<ChallengeFile['score']>

/** Rounds the points and limits them to their bounds. Reports a value that was changed. */
export function clampPoints(fields: Fields, key: string, value: number): number {
  const points = Math.min(InputLimits.maxScore, Math.max(0, Math.round(value)))
  if (points !== value) fields.note(key, 'converted', `Points are whole numbers from 0 to ${InputLimits.maxScore}: ${points}.`)
  return points
}

/** Returns the score of a challenge whose points never fall. */
export function createConstantScore(points: number): ScoreRule {
  return { points, minimumShare: 1 }
}

/** Returns `minimum` as a share of `points`. The share has as few digits as possible, but still yields exactly `minimum`. */
function shareOf(points: number, minimum: number): number {
  if (points === 0 || minimum >= points) return 1
  const exact = Math.max(0, minimum) / points
  const least = Math.floor(Math.max(0, minimum))
  const fitting = [10, 100, 1_000, 10_000].map((digits) => Math.ceil(exact * digits) / digits)
  return [...fitting, exact, exact * (1 + 1e-12)].find((share) => Math.floor(points * share) === least) ?? exact
}

export type CtfdCurve = Readonly<{
  initial: number
  minimum: number
  decay: number
  isLinear: boolean
}>

/** Fields with the bounds and the decay of points, for the report. */
type Place = readonly [fields: Fields, key: string]

/** Reports a minimum that the import changes. */
export function reportMinimum([fields, key]: Place, minimum: number, points: number): void {
  const used = Math.min(points, Math.max(0, Math.floor(minimum)))
  if (used !== minimum)
    fields.note(key, 'converted', `The minimum is a whole number from 0 to ${points} points, so it becomes ${used}.`)
}

/** Reports a decay that the import changes. A decay of 0 means 1, as in CTFd. */
export function reportDecay([fields, key]: Place, decay: number): void {
  const used = usableDecay(decay)
  if (decay !== 0 && used !== decay)
    fields.note(key, 'converted', `The decay is a number up to ${InputLimits.maxDecay}, so it becomes ${used}.`)
}

/** Reports the shape of a curve if CTFd does not have this shape. */
export function reportShape([fields, key]: Place, shape: string | undefined): void {
  if (shape !== undefined && !['linear', 'logarithmic'].includes(shape))
    fields.note(key, 'converted', `The curve \`${shape}\` is unknown, so the curve is logarithmic.`, 'Check `score`.')
}

/** CTFd replaces a decay of 0 by 1, because its formula divides by the decay. */
function usableDecay(decay: number): number {
  return decay > 0 ? Math.min(decay, InputLimits.maxDecay) : 1
}

/** Returns the score with the same values as a dynamic challenge of CTFd. */
export function createCtfdScore({ initial, minimum, decay, isLinear }: CtfdCurve): ScoreRule {
  const minimumShare = shareOf(initial, minimum)
  if (minimumShare === 1) return createConstantScore(initial)
  return { points: initial, minimumShare, difficulty: usableDecay(decay), curve: isLinear ? 'linear' : 'parabola' }
}

/** Converts the minimum and maximum points of an rCTF challenge into a score rule. */
export function createRctfScore(minimum: number, maximum: number): ScoreRule {
  const minimumShare = shareOf(maximum, minimum)
  return minimumShare === 1 ? createConstantScore(maximum) : { points: maximum, minimumShare, curve: 'rctf' }
}
