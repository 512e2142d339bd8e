import type { FlagAnswer } from './flag-answer.ts'

export type FlagSubmission = Readonly<{
  /** UUID that lets the server recognize a repeated submission. */
  key: string
  /** User who submitted the flag. The browser never sends it for another user. */
  userId: string
  gameId: number
  challengeId: number
  challengeTitle: string
  flag: string
  /** False after the end of the game. The server then judges flags but awards no points. */
  isScored: boolean
  /** Planned end of the game, as it was set when the player submitted the flag, in ms since 1970. */
  gameEndsAt: number
  /** Rank of the team before the submission. 0 if the team was not on the board. */
  rankBefore: number
}>

/** Submission with its current result. */
export type FlagResult = Readonly<{
  submission: FlagSubmission
  answer: FlagAnswer
}>

type Listener = (result: FlagResult) => void
const listeners = new Set<Listener>()

/**
 * Calls the listener once per submission when its result is final.
 * @returns a function that removes the listener
 */
export function onFlagResult(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function publishFlagResult(result: FlagResult): void {
  for (const listener of listeners) listener(result)
}

const shown = new Set<number>()

/**
 * Registers that a dialog shows the results of a challenge.
 * @returns a function that removes the registration
 */
export function registerFlagResultDialog(challengeId: number): () => void {
  shown.add(challengeId)
  return () => void shown.delete(challengeId)
}

/** True if the dialog of the challenge is open. The dialog then shows the result. */
export function isResultShownInDialog(challengeId: number): boolean {
  return shown.has(challengeId)
}
