import { hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeType } from '@capstan/contract/challenges'
import type { AnswerResult } from '@capstan/contract/submissions'
import { type BloodType, bloodTypes } from '@capstan/contract/vocabulary'
import { findSameSecret } from './compare.ts'

export type JudgedStatus = Extract<AnswerResult, 'Accepted' | 'WrongAnswer' | 'CheatDetected' | 'NotFound'>

/**
 * Answer, and the data that determines whether it is right. Challenges of static types have the same flags for all teams.
 * Challenges of dynamic types have a separate flag for each team.
 */
export type AnswerFacts = Readonly<{
  type: ChallengeType
  answer: string
  /**
   * Assignment of the challenge to the team, or undefined if there is no assignment. `flag` is null if the team has no dynamic
   * flag.
   */
  assignment: Readonly<{ flag: string | null; isSolved: boolean }> | undefined
  /** All flags of the challenge. Required only for static types. */
  flags: readonly string[]
}>

export type JudgeFacts = AnswerFacts &
  Readonly<{
    /** Flags of other teams for this challenge. The caller may omit flags that differ from the answer. */
    rivals: readonly Readonly<{ participationId: number; flag: string }>[]
    /** True if the submission arrived early enough to score. */
    isScored: boolean
    /** True if the game is running. Only then are bloods announced. */
    isRunning: boolean
    hasBloods: boolean
    /** Number of earlier solves of the challenge that count. */
    solvesBefore: number
    /**
     * Flag that the answer matches, if the team must find several flags. Undefined if one flag is enough to solve the challenge.
     */
    part: FoundPart | undefined
  }>

export type FoundPart = Readonly<{
  /** True if the team has found the flag before. */
  isKnown: boolean
  /** True if the team has found all other flags of the challenge. */
  isLast: boolean
}>

/** Event for users with the role Monitor. The caller stores the event in the database. */
export type JudgeEvent =
  | Readonly<{ type: 'FlagSubmit'; result: 'Accepted' | 'WrongAnswer' }>
  | Readonly<{ type: 'CheatDetected'; ownerParticipationId: number }>

export type Verdict = Readonly<{
  status: JudgedStatus
  /**
   * True for the first right answer of the team, if the answer is in time. The caller then stores the solve, and database
   * triggers cause a new build of the board.
   */
  isSolve: boolean
  /** True if the team found this flag for the first time and in time. The caller then stores the found flag. */
  isFinding: boolean
  notice: BloodType | undefined
  events: readonly JudgeEvent[]
  /**
   * Participation that owns the submitted flag if the submission is a cheat. In this case, the caller must store a cheat record and
   * a log entry.
   */
  cheatOwnerId: number | undefined
  isLogged: boolean
}>

function itself(flag: string): string {
  return flag
}

/** Returns true if the answer equals a flag, case-sensitively and in constant time. */
function isRight({ type, answer, assignment, flags }: AnswerFacts): boolean {
  const assigned = assignment?.flag == null ? [] : [assignment.flag]
  return findSameSecret(hasSharedFlags(type) ? flags : assigned, itself, answer) !== undefined
}

const nothing = {
  isSolve: false,
  isFinding: false,
  notice: undefined,
  events: [],
  cheatOwnerId: undefined,
  isLogged: false,
} as const

/** Judges a submission by the table of docs/contract/flags-and-scoring.md#judging. The caller has checked that the team may submit. */
export function judgeSubmission(facts: JudgeFacts): Verdict {
  const { assignment, answer } = facts
  if (!assignment) return { ...nothing, status: 'NotFound', isLogged: true }
  if (isRight(facts)) return judgeRight(facts, assignment.isSolved)
  const rival = hasSharedFlags(facts.type) ? undefined : findSameSecret(facts.rivals, ({ flag }) => flag, answer)
  const wrong = { type: 'FlagSubmit', result: 'WrongAnswer' } as const
  if (!rival) return { ...nothing, status: 'WrongAnswer', events: [wrong] }
  return {
    ...nothing,
    status: 'CheatDetected',
    events: [wrong, { type: 'CheatDetected', ownerParticipationId: rival.participationId }],
    cheatOwnerId: rival.participationId,
    isLogged: true,
  }
}

function judgeRight(facts: JudgeFacts, isSolved: boolean): Verdict {
  const { isScored, part } = facts
  const isSolve = isScored && !isSolved && (part?.isLast ?? true)
  return {
    ...nothing,
    status: 'Accepted',
    isSolve,
    isFinding: isScored && part?.isKnown === false,
    notice: isSolve && facts.isRunning && facts.hasBloods ? bloodTypes[facts.solvesBefore] : undefined,
    events: [{ type: 'FlagSubmit', result: 'Accepted' }],
  }
}

/** Returns the status that the player sees. It never reveals that a cheat was detected. */
export function statusShownToPlayer(stored: AnswerResult): Exclude<AnswerResult, 'CheatDetected'> {
  return stored === 'CheatDetected' ? 'WrongAnswer' : stored
}
