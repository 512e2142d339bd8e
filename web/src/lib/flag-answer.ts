import { Limits } from '@capstan/contract/limits'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'

/** What a right flag brought. */
export interface Gain {
  readonly solve: SolvedChallenge
  /** Rank of the team before; 0 = not on the board. */
  readonly rankBefore: number
}

/** `again`: no new points. `unscored`: after the end. */
export type RightGain = Gain | 'again' | 'unscored'

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
export const isFinal = ({ kind }: FlagAnswer): boolean => kind !== 'none' && kind !== 'sending'

/** What the answer brought; undefined if it brought no points. */
export const gainOf = (answer: FlagAnswer | undefined): Gain | undefined =>
  answer?.kind === 'right' && typeof answer.gain === 'object' ? answer.gain : undefined

/** Why a text is not sent at all. */
export function refuseFlag(text: string): 'empty' | 'long' | undefined {
  const flag = text.trim()
  if (flag === '') return 'empty'
  return [...flag].length > Limits.flagMaxLength ? 'long' : undefined
}

/** The board with a solve that the next board will show; its score and rank are those of the last one. */
export function withSolve(board: PlayerBoard, solve: SolvedChallenge): PlayerBoard {
  const { rank } = board
  if (!rank || rank.solvedChallenges.some(({ id }) => id === solve.id)) return board
  return { ...board, rank: { ...rank, solvedChallenges: [...rank.solvedChallenges, solve] } }
}
