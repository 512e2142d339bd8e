import { Limits } from '@capstan/contract/limits'
import type { ScoreboardTeam, SolveRank } from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'

/** What a right flag brought. */
export interface Gain {
  readonly points: number
  readonly blood: Exclude<SolveRank, 'Unaccepted' | 'Normal'> | undefined
  /** 0 = was not on the board. */
  readonly rankBefore: number
  readonly rankAfter: number
}

/** Undefined: being counted. `again`: no new points. `unscored`: after the end. `unseen`: the points did not come in time. */
export type RightGain = Gain | 'again' | 'unscored' | 'unseen' | undefined

/** The answer to a submission, in the place of the form. */
export type FlagAnswer =
  | { readonly kind: 'none' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'invalid'; readonly why: 'empty' | 'long' }
  | { readonly kind: 'right'; readonly gain: RightGain }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown'; readonly submissionId: number }
  | { readonly kind: 'refused'; readonly error: unknown }

/** Why a text is not sent at all. */
export function refuseFlag(text: string): 'empty' | 'long' | undefined {
  const flag = text.trim()
  if (flag === '') return 'empty'
  return [...flag].length > Limits.flagMaxLength ? 'long' : undefined
}

/** Compares the team's standing before and after; undefined while the solve is not on the board. */
export function gainOf(before: ScoreboardTeam | null, after: ScoreboardTeam | null, challengeId: number): Gain | undefined {
  const solve = after?.solvedChallenges.find(({ id }) => id === challengeId)
  if (!after || !solve) return undefined
  return {
    points: solve.score,
    blood: bloodTypes.find((blood) => blood === solve.type),
    rankBefore: before?.rank ?? 0,
    rankAfter: after.rank,
  }
}
