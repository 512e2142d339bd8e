import { hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeType } from '@capstan/contract/challenges'
import { type GameTimes, isScored } from '@capstan/contract/phases'
import type { RejudgeEffect } from '@capstan/contract/rejudging'
import type { AnswerResult } from '@capstan/contract/submissions'

export type JudgedSubmission = Readonly<{
  id: number
  participationId: number
  userId: string | null
  answer: string
  status: AnswerResult
  submittedAt: Date
  /** True if an organizer granted it. Its status remains. */
  isGranted: boolean
  /** True if an organizer took the solve back. */
  isVoid: boolean
}>

export type RightAnswers = Readonly<{
  type: ChallengeType
  /** Static flags of the challenge. Only static types use them. */
  flags: readonly string[]
  /** Flag of each team with an assignment, or null if the flag is not assigned yet. Only dynamic types use them. */
  assigned: ReadonlyMap<number, string | null>
}>

/** First correct submission of a participation that scores. */
export type RecalculatedSolve = Readonly<{
  participationId: number
  submissionId: number
  userId: string | null
  solvedAt: Date
}>

export type StatusChange = Readonly<{
  before: AnswerResult
  after: AnswerResult
}>

export type Recalculation = Readonly<{
  changes: ReadonlyMap<number, StatusChange>
  solves: readonly RecalculatedSolve[]
}>

function isEarlier(one: RecalculatedSolve, other: RecalculatedSolve): boolean {
  const byTime = one.solvedAt.getTime() - other.solvedAt.getTime()
  return byTime < 0 || (byTime === 0 && one.submissionId < other.submissionId)
}

export function firstSolves(solves: Iterable<RecalculatedSolve>): RecalculatedSolve[] {
  const first = new Map<number, RecalculatedSolve>()
  for (const solve of solves) {
    const known = first.get(solve.participationId)
    if (!known || isEarlier(solve, known)) first.set(solve.participationId, solve)
  }
  return [...first.values()]
}

/**
 * Judges submissions again by the current flags, in any order. CheatDetected remains, and no new cheat is recorded or
 * announced. Rules: docs/contract/flags-and-scoring.md#recalculation.
 */
export function recalculate(
  submissions: readonly JudgedSubmission[],
  right: RightAnswers,
  game: Pick<GameTimes, 'end'>,
): Recalculation {
  const flags = new Set(right.flags)
  const judge = ({ status, participationId, answer, isGranted }: JudgedSubmission): AnswerResult => {
    if (status === 'CheatDetected' || isGranted) return status
    if (!right.assigned.has(participationId)) return 'NotFound'
    const isRight = hasSharedFlags(right.type) ? flags.has(answer) : right.assigned.get(participationId) === answer
    return isRight ? 'Accepted' : 'WrongAnswer'
  }
  const changes = new Map<number, StatusChange>()
  const solves: RecalculatedSolve[] = []
  for (const submission of submissions) {
    const status = judge(submission)
    if (status !== submission.status) changes.set(submission.id, { before: submission.status, after: status })
    const { id, participationId, userId, submittedAt, isVoid } = submission
    if (status === 'Accepted' && !isVoid && isScored(submittedAt, game))
      solves.push({ participationId, submissionId: id, userId, solvedAt: submittedAt })
  }
  return { changes, solves: firstSolves(solves) }
}

/** Solve that changes in a rejudge. At least one of `before` and `after` is present. */
export type SolveChange = Readonly<{
  participationId: number
  before: RecalculatedSolve | undefined
  after: RecalculatedSolve | undefined
}>

function isSameSolve(one: RecalculatedSolve | undefined, other: RecalculatedSolve | undefined): boolean {
  return one?.submissionId === other?.submissionId && one?.solvedAt.getTime() === other?.solvedAt.getTime()
}

/** Returns the participations whose solve changed. Each list must have at most one solve per participation. */
export function compareSolves(before: readonly RecalculatedSolve[], after: readonly RecalculatedSolve[]): SolveChange[] {
  const [earlier, later] = [before, after].map((list) => new Map(list.map((solve) => [solve.participationId, solve])))
  return [...new Set([...before, ...after].map(({ participationId }) => participationId))]
    .map((participationId) => ({
      participationId,
      before: earlier?.get(participationId),
      after: later?.get(participationId),
    }))
    .filter((change) => !isSameSolve(change.before, change.after))
}

export function countAnswers(
  changes: Iterable<StatusChange>,
): Pick<RejudgeEffect, 'changed' | 'newlyCorrect' | 'newlyIncorrect'> {
  const list = [...changes]
  return {
    changed: list.length,
    newlyCorrect: list.filter(({ after }) => after === 'Accepted').length,
    newlyIncorrect: list.filter(({ before }) => before === 'Accepted').length,
  }
}

/** Counts teams whose solve changes. @param isCounted returns true if a participation is on the scoreboard */
export function countTeams(
  changes: readonly SolveChange[],
  isCounted: (participationId: number) => boolean,
): Pick<RejudgeEffect, 'gaining' | 'losing' | 'moving'> {
  const counted = changes.filter(({ participationId }) => isCounted(participationId))
  return {
    gaining: counted.filter(({ before }) => !before).length,
    losing: counted.filter(({ after }) => !after).length,
    moving: counted.filter(({ before, after }) => before && after).length,
  }
}
