import { Limits } from '@capstan/contract/limits'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import type { FoundFlag } from '@capstan/contract/submissions'

export type Gain = Readonly<{
  solve: SolvedChallenge
  /** Rank of the team before the solve. 0 if the team was not on the board. */
  rankBefore: number
}>

/**
 * Result of a correct flag. `found` means that the flag is one of several flags that the team must find. `again` means that the
 * team has already solved the challenge. `unscored` means that the game is over.
 */
export type RightGain = Gain | { readonly found: FoundFlag } | 'again' | 'unscored'

/** State or result of the latest submission for a challenge. */
export type FlagAnswer =
  | { readonly kind: 'none' }
  /** `isRepeated` is true if the response to an earlier attempt was lost. */
  | Readonly<{ kind: 'sending'; isRepeated: boolean }>
  | Readonly<{ kind: 'invalid'; why: 'empty' | 'long' }>
  | Readonly<{ kind: 'right'; gain: RightGain }>
  | { readonly kind: 'wrong' }
  | { readonly kind: 'expired' }
  | Readonly<{ kind: 'unknown'; submissionId: number }>
  | Readonly<{ kind: 'refused'; error: unknown }>

/** True if the result cannot change any more. */
export function isFinalResult({ kind }: FlagAnswer): boolean {
  return kind !== 'none' && kind !== 'sending'
}

/**
 * Returns the solve that gave the team points, with the rank of the team before the solve.
 * @returns undefined if the submission added no points
 */
export function findGainedPoints(answer: FlagAnswer | undefined): Gain | undefined {
  if (answer?.kind !== 'right' || typeof answer.gain !== 'object') return undefined
  return 'solve' in answer.gain ? answer.gain : undefined
}

/** Returns the reason why a text cannot be submitted. */
export function findFlagFault(text: string): 'empty' | 'long' | undefined {
  const flag = text.trim()
  if (flag === '') return 'empty'
  return [...flag].length > Limits.maxFlagLength ? 'long' : undefined
}

/** Adds a new solve to the board, before the server returns a board that contains this solve. Score and rank remain unchanged. */
export function addSolveToBoard(board: PlayerBoard, solve: SolvedChallenge): PlayerBoard {
  const { rank } = board
  if (!rank || rank.solvedChallenges.some(({ id }) => id === solve.id)) return board
  return { ...board, rank: { ...rank, solvedChallenges: [...rank.solvedChallenges, solve] } }
}
