import type { ChallengeType } from '@capstan/contract/challenges'
import type { AnswerResult } from '@capstan/contract/submissions'
import { type BloodType, bloodTypes } from '@capstan/contract/vocabulary'
import { findSameSecret } from './compare.ts'

/** Status that judging gives a submission. */
export type JudgedStatus = Extract<AnswerResult, 'Accepted' | 'WrongAnswer' | 'CheatDetected' | 'NotFound'>

/** What a right answer is: the flags of the challenge (static types), or the flag assigned to the team (dynamic types). */
export type AnswerFacts = Readonly<{
  type: ChallengeType
  /** Already trimmed. */
  answer: string
  /** The challenge as the team has it; undefined when it has none. `flag` is null until a dynamic flag was given out. */
  assignment: { readonly flag: string | null; readonly isSolved: boolean } | undefined
  /** All flags of the challenge; looked at for static types only. */
  flags: readonly string[]
}>

export type JudgeFacts = AnswerFacts &
  Readonly<{
    /** Flags of the same challenge that other participations were given; those equal to the answer are enough. */
    rivals: readonly { readonly participationId: number; readonly flag: string }[]
    /** Whether the submission came in time to be scored (`isScored`). */
    isScored: boolean
    /** Whether the game is running now: bloods are announced only then. */
    isRunning: boolean
    /** Counted solves of the challenge before this one. */
    solvesBefore: number
  }>

/** Monitoring event to write. `result` is the first value of a FlagSubmit. */
export type JudgeEvent =
  | Readonly<{ type: 'FlagSubmit'; result: 'Accepted' | 'WrongAnswer' }>
  | Readonly<{ type: 'CheatDetected'; ownerParticipationId: number }>

/** Everything that follows from one submission. Rules: docs/contract/flags-and-scoring.md#judging. */
export type Verdict = Readonly<{
  status: JudgedStatus
  /** What the player may see: never that a cheat was noticed. */
  playerStatus: Exclude<JudgedStatus, 'CheatDetected'>
  /** First right answer in time: mark the solve, accepted count + 1, rebuild the scoreboard. */
  isSolve: boolean
  /** To announce, with the team and the challenge. */
  notice: BloodType | undefined
  /** In the order in which they are written. */
  events: readonly JudgeEvent[]
  /** Participation whose flag it was: write a cheat record and a log entry. */
  cheatOwnerId: number | undefined
  /** The case is worth a log entry beside the one every judged flag gets. */
  isLogged: boolean
}>

/** Whether every team has the same flags. */
export function isStatic(type: ChallengeType): boolean {
  return type === 'StaticAttachment' || type === 'StaticContainer'
}

/** Whether instances of it can be started. */
export function hasContainer(type: ChallengeType): boolean {
  return type === 'StaticContainer' || type === 'DynamicContainer'
}

function itself(flag: string): string {
  return flag
}

/** Exact, case-sensitive, in constant time. */
function isRight({ type, answer, assignment, flags }: AnswerFacts): boolean {
  const assigned = assignment?.flag == null ? [] : [assignment.flag]
  return findSameSecret(isStatic(type) ? flags : assigned, itself, answer) !== undefined
}

const nothing = { isSolve: false, notice: undefined, events: [], cheatOwnerId: undefined, isLogged: false } as const

/** The table of docs/contract/flags-and-scoring.md#judging. The caller has checked that the team may submit at all. */
export function judgeSubmission(facts: JudgeFacts): Verdict {
  const { assignment, answer } = facts
  if (!assignment) return { ...nothing, status: 'NotFound', playerStatus: 'NotFound', isLogged: true }
  if (isRight(facts)) return judgeRight(facts, assignment.isSolved)
  const rival = isStatic(facts.type) ? undefined : findSameSecret(facts.rivals, ({ flag }) => flag, answer)
  const wrong = { type: 'FlagSubmit', result: 'WrongAnswer' } as const
  if (!rival) return { ...nothing, status: 'WrongAnswer', playerStatus: 'WrongAnswer', events: [wrong] }
  return {
    ...nothing,
    status: 'CheatDetected',
    playerStatus: 'WrongAnswer',
    events: [wrong, { type: 'CheatDetected', ownerParticipationId: rival.participationId }],
    cheatOwnerId: rival.participationId,
    isLogged: true,
  }
}

function judgeRight(facts: JudgeFacts, isSolved: boolean): Verdict {
  const isSolve = facts.isScored && !isSolved
  return {
    ...nothing,
    status: 'Accepted',
    playerStatus: 'Accepted',
    isSolve,
    notice: isSolve && facts.isRunning ? bloodTypes[facts.solvesBefore] : undefined,
    events: [{ type: 'FlagSubmit', result: 'Accepted' }],
  }
}

/** What a player may see of a stored status. */
export function playerStatusOf(stored: AnswerResult): Exclude<AnswerResult, 'CheatDetected'> {
  return stored === 'CheatDetected' ? 'WrongAnswer' : stored
}
