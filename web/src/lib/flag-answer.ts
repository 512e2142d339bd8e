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
  /** `isRepeated`: an earlier try was lost. */
  | { readonly kind: 'sending'; readonly isRepeated: boolean }
  | { readonly kind: 'invalid'; readonly why: 'empty' | 'long' }
  | { readonly kind: 'right'; readonly gain: RightGain }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown'; readonly submissionId: number }
  | { readonly kind: 'refused'; readonly error: unknown }

/** True if nothing more will become known of the answer. */
export const isFinal = (answer: FlagAnswer): boolean =>
  answer.kind !== 'none' && answer.kind !== 'sending' && !(answer.kind === 'right' && answer.gain === undefined)

/** Why a text is not sent at all. */
export function refuseFlag(text: string): 'empty' | 'long' | undefined {
  const flag = text.trim()
  if (flag === '') return 'empty'
  return [...flag].length > Limits.flagMaxLength ? 'long' : undefined
}

/** What a solve brought; undefined while it is not on the board. @param rankBefore 0 = the team was not on the board */
export function gainOf(rankBefore: number, after: ScoreboardTeam | null, challengeId: number): Gain | undefined {
  const solve = after?.solvedChallenges.find(({ id }) => id === challengeId)
  if (!after || !solve) return undefined
  return {
    points: solve.score,
    blood: bloodTypes.find((blood) => blood === solve.type),
    rankBefore,
    rankAfter: after.rank,
  }
}
