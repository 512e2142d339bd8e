import { Limits } from '@capstan/contract/limits'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'

/** What a right flag brought. */
export type Gain = Readonly<{
  solve: SolvedChallenge
  /** Rank of the team before; 0 = not on the board. */
  rankBefore: number
}>

/** `again`: no new points. `unscored`: after the end. */
export type RightGain = Gain | 'again' | 'unscored'

/** The answer to a submission, in the place of the form. */
export type FlagAnswer =
  | { readonly kind: 'none' }
  /** `isRepeated`: an earlier try was lost. */
  | Readonly<{ kind: 'sending'; isRepeated: boolean }>
  | Readonly<{ kind: 'invalid'; why: 'empty' | 'long' }>
  | Readonly<{ kind: 'right'; gain: RightGain }>
  | { readonly kind: 'wrong' }
  | { readonly kind: 'expired' }
  | Readonly<{ kind: 'unknown'; submissionId: number }>
  | Readonly<{ kind: 'refused'; error: unknown }>

/** True if nothing more will become known of the answer. */
export function isFinal({ kind }: FlagAnswer): boolean {
  return kind !== 'none' && kind !== 'sending'
}

/** What the answer brought; undefined if it brought no points. */
export function gainOf(answer: FlagAnswer | undefined): Gain | undefined {
  return answer?.kind === 'right' && typeof answer.gain === 'object' ? answer.gain : undefined
}

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
