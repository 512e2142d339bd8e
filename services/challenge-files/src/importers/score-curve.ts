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

/** Converts the points of a dynamic CTFd challenge into a score rule. */
export function createCtfdScore({ initial, minimum, decay, isLinear }: CtfdCurve): ScoreRule {
  const minimumShare = shareOf(initial, minimum)
  if (minimumShare === 1) return createConstantScore(initial)
  // CTFd replaces a decay of 0 by 1, because its formula divides by the decay.
  const difficulty = decay > 0 ? Math.min(decay, InputLimits.maxDifficulty) : 1
  return { points: initial, minimumShare, difficulty, curve: isLinear ? 'linear' : 'parabola' }
}

/** Converts the minimum and maximum points of an rCTF challenge into a score rule. */
export function createRctfScore(minimum: number, maximum: number): ScoreRule {
  const minimumShare = shareOf(maximum, minimum)
  return minimumShare === 1 ? createConstantScore(maximum) : { points: maximum, minimumShare, curve: 'rctf' }
}
