import { Limits } from '@capstan/contract/limits'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'

export type Gain = Readonly<{
  solve: SolvedChallenge
  /** Rank of the team before. 0 if it was not on the board */
  rankBefore: number
}>

/** `again` adds no points; `unscored` is after the end. */
export type RightGain = Gain | 'again' | 'unscored'

/** Result of a submission, shown in place of the form. */
export type FlagAnswer =
  | { readonly kind: 'none' }
  /** `isRepeated` is true if an earlier attempt was lost. */
  | Readonly<{ kind: 'sending'; isRepeated: boolean }>
  | Readonly<{ kind: 'invalid'; why: 'empty' | 'long' }>
  | Readonly<{ kind: 'right'; gain: RightGain }>
  | { readonly kind: 'wrong' }
  | { readonly kind: 'expired' }
  | Readonly<{ kind: 'unknown'; submissionId: number }>
  | Readonly<{ kind: 'refused'; error: unknown }>

/** True if the result is final. */
export function isFinal({ kind }: FlagAnswer): boolean {
  return kind !== 'none' && kind !== 'sending'
}

/**
 * Returns the points and rank of a result.
 * @returns undefined if it added no points
 */
export function gainOf(answer: FlagAnswer | undefined): Gain | undefined {
  return answer?.kind === 'right' && typeof answer.gain === 'object' ? answer.gain : undefined
}

/** Reason why a text is not submitted. */
export function refuseFlag(text: string): 'empty' | 'long' | undefined {
  const flag = text.trim()
  if (flag === '') return 'empty'
  return [...flag].length > Limits.maxFlagLength ? 'long' : undefined
}

/** Returns the board with a solve that the next board will include. Score and rank are still those of the last board. */
export function withSolve(board: PlayerBoard, solve: SolvedChallenge): PlayerBoard {
  const { rank } = board
  if (!rank || rank.solvedChallenges.some(({ id }) => id === solve.id)) return board
  return { ...board, rank: { ...rank, solvedChallenges: [...rank.solvedChallenges, solve] } }
}
