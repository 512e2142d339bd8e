import type { FlagAnswer } from './flag-answer.ts'
import { draftPrefix } from './forget.ts'

/** One attempt at a challenge. */
export type FlagSubmission = Readonly<{
  /** UUID, with which the server recognizes a repetition. */
  key: string
  gameId: number
  challengeId: number
  challengeTitle: string
  flag: string
  /** False after the end of the game, when flags are judged and not scored. */
  isScored: boolean
  /** Rank of the team before; 0 = not on the board. */
  rankBefore: number
}>

/** A submission and all that is known of its answer. */
export type FlagResult = Readonly<{
  submission: FlagSubmission
  answer: FlagAnswer
}>

type Listener = (result: FlagResult) => void
const listeners = new Set<Listener>()

/** Calls the listener once for every submission, when its answer is final. @returns a function that ends this */
export function onFlagResult(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function publishFlagResult(result: FlagResult): void {
  for (const listener of listeners) listener(result)
}

const shown = new Set<number>()

/** Marks that a dialog shows the answers to a challenge. @returns a function for when it no longer does */
export function markShown(challengeId: number): () => void {
  shown.add(challengeId)
  return () => void shown.delete(challengeId)
}

/** True if the dialog of the challenge is open, which shows the answer itself. */
export function isAnswerShown(challengeId: number): boolean {
  return shown.has(challengeId)
}

/** Where the tab retains submissions that have no final answer yet. */
export const pendingFlagsKey = `${draftPrefix}submissions`

/** True if the page was left while a submission was on its way. */
export function hasPendingFlags(): boolean {
  return /"pending":\[\{/.test(sessionStorage.getItem(pendingFlagsKey) ?? '')
}
