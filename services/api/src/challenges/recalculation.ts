import type { ChallengeType } from '@capstan/contract/challenges'
import { type GameTimes, isScored } from '@capstan/contract/phases'
import type { AnswerResult } from '@capstan/contract/submissions'

/** A stored attempt. */
export interface JudgedSubmission {
  readonly id: number
  readonly participationId: number
  readonly userId: string | null
  readonly answer: string
  readonly status: AnswerResult
  readonly submittedAt: Date
}

/** What answers are compared with. */
export interface RightAnswers {
  readonly type: ChallengeType
  /** The challenge's own flags; decide for static types. */
  readonly flags: readonly string[]
  /** The flag of each team that has the challenge, null while it has none; decide for dynamic types. */
  readonly assigned: ReadonlyMap<number, string | null>
}

/** The first scored right attempt of a participation. */
export interface RecalculatedSolve {
  readonly participationId: number
  readonly submissionId: number
  readonly userId: string | null
  readonly solvedAt: Date
}

export interface Recalculation {
  /** Attempts whose status is another one now. */
  readonly changes: ReadonlyMap<number, AnswerResult>
  readonly solves: readonly RecalculatedSolve[]
}

const isEarlier = (one: RecalculatedSolve, other: RecalculatedSolve): boolean => {
  const byTime = one.solvedAt.getTime() - other.solvedAt.getTime()
  return byTime < 0 || (byTime === 0 && one.submissionId < other.submissionId)
}

/** Of several solves of a participation the first. */
export const firstSolves = (solves: Iterable<RecalculatedSolve>): RecalculatedSolve[] => {
  const first = new Map<number, RecalculatedSolve>()
  for (const solve of solves) {
    const known = first.get(solve.participationId)
    if (!known || isEarlier(solve, known)) first.set(solve.participationId, solve)
  }
  return [...first.values()]
}

const isStatic = (type: ChallengeType): boolean => type === 'StaticAttachment' || type === 'StaticContainer'

/**
 * Judges attempts at a challenge again, in any order, by the flags of now. CheatDetected stays, and no new cheat is found: nothing is
 * announced. Rules: docs/contract/flags-and-scoring.md#recalculation.
 */
export const recalculate = (
  submissions: readonly JudgedSubmission[],
  right: RightAnswers,
  game: Pick<GameTimes, 'end'>,
): Recalculation => {
  const flags = new Set(right.flags)
  const judge = ({ status, participationId, answer }: JudgedSubmission): AnswerResult => {
    if (status === 'CheatDetected') return status
    if (!right.assigned.has(participationId)) return 'NotFound'
    const isRight = isStatic(right.type) ? flags.has(answer) : right.assigned.get(participationId) === answer
    return isRight ? 'Accepted' : 'WrongAnswer'
  }
  const changes = new Map<number, AnswerResult>()
  const solves: RecalculatedSolve[] = []
  for (const submission of submissions) {
    const status = judge(submission)
    if (status !== submission.status) changes.set(submission.id, status)
    const { id, participationId, userId, submittedAt } = submission
    if (status === 'Accepted' && isScored(submittedAt, game))
      solves.push({ participationId, submissionId: id, userId, solvedAt: submittedAt })
  }
  return { changes, solves: firstSolves(solves) }
}
