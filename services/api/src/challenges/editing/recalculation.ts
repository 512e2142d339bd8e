import { hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeType } from '@capstan/contract/challenges'
import { canSubmissionScorePoints, type GameTimes } from '@capstan/contract/phases'
import type { RejudgeEffect } from '@capstan/contract/rejudging'
import type { AnswerResult } from '@capstan/contract/submissions'
import { type Finding, selectFindingsOfLastFlag, selectFirstFindingOfEachFlag } from '../../rules/flags/parts.ts'

export type JudgedSubmission = Readonly<{
  id: number
  participationId: number
  userId: string | null
  answer: string
  status: AnswerResult
  submittedAt: Date
  /** True if an organizer granted the solve. A rejudge does not change the status of a granted submission. */
  isGranted: boolean
  /** True if a correction by an organizer makes the submission void. */
  isVoid: boolean
  /** Id of the flag that the submitted answer matched. Set only for challenges with several flags to find. */
  flagId: number | null
}>

export type RightAnswers = Readonly<{
  type: ChallengeType
  /** Flags of the challenge. Used only for challenge types in which all teams have the same flags. */
  flags: readonly string[]
  /**
   * Returns the id of the flag that a right answer matches. This function is absent if one flag is enough to solve the challenge.
   */
  partOf?: ((answer: string) => number | undefined) | undefined
  /**
   * Flag of each assignment, by participation id. The flag is null if the assignment has none. The flags are used only for
   * challenge types with a separate flag for each team.
   */
  assigned: ReadonlyMap<number, string | null>
}>

/** Submission that solves the challenge for a participation. */
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
  /** First solve of each team. If a team must find several flags, only solves that an organizer granted are listed. */
  solves: readonly RecalculatedSolve[]
  /** Found flags, at most one per team and flag. */
  findings: readonly Finding[]
  /**
   * Map from the id of a right submission to the id of the flag that it now matches. Contains only submissions whose stored flag
   * differs.
   */
  flagIds: ReadonlyMap<number, number>
}>

function isEarlier(one: RecalculatedSolve, other: RecalculatedSolve): boolean {
  const byTime = one.solvedAt.getTime() - other.solvedAt.getTime()
  return byTime < 0 || (byTime === 0 && one.submissionId < other.submissionId)
}

export function findFirstSolves(solves: Iterable<RecalculatedSolve>): RecalculatedSolve[] {
  const first = new Map<number, RecalculatedSolve>()
  for (const solve of solves) {
    const known = first.get(solve.participationId)
    if (!known || isEarlier(solve, known)) first.set(solve.participationId, solve)
  }
  return [...first.values()]
}

/**
 * Returns the first solve of each team for a challenge with several flags to find. The submission of the last missing flag is a
 * solve. A solve that an organizer granted also counts.
 */
export function findSolvesWithSeveralFlags(
  granted: readonly RecalculatedSolve[],
  findings: readonly Finding[],
  partIds: ReadonlySet<number>,
): RecalculatedSolve[] {
  const completed = selectFindingsOfLastFlag(findings, partIds).map(({ participationId, submissionId, userId, foundAt }) => ({
    ...{ participationId, submissionId, userId },
    solvedAt: foundAt,
  }))
  return findFirstSolves([...granted, ...completed])
}

/**
 * Judges submissions again by the current flags. The submissions may be in any order. A submission with the status CheatDetected
 * retains this status, and no other submission gets this status. Rules: docs/contract/flags-and-scoring.md#recalculation.
 */
export function rejudgeSubmissions(
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
  const findings: Finding[] = []
  const flagIds = new Map<number, number>()
  for (const submission of submissions) {
    const status = judge(submission)
    if (status !== submission.status) changes.set(submission.id, { before: submission.status, after: status })
    if (status !== 'Accepted') continue
    const { id, participationId, userId, answer, submittedAt, isVoid, isGranted } = submission
    const flagId = isGranted ? undefined : right.partOf?.(answer)
    if (flagId !== undefined && flagId !== submission.flagId) flagIds.set(id, flagId)
    if (isVoid || !canSubmissionScorePoints(submittedAt, game)) continue
    const found = { participationId, submissionId: id, userId }
    if (flagId !== undefined) findings.push({ ...found, flagId, foundAt: submittedAt })
    else if (isGranted || !right.partOf) solves.push({ ...found, solvedAt: submittedAt })
  }
  return { changes, solves: findFirstSolves(solves), findings: selectFirstFindingOfEachFlag(findings), flagIds }
}

/** Solve of a participation before and after a rejudge. At least one of the two is present. */
export type SolveChange = Readonly<{
  participationId: number
  before: RecalculatedSolve | undefined
  after: RecalculatedSolve | undefined
}>

function isSameSolve(one: RecalculatedSolve | undefined, other: RecalculatedSolve | undefined): boolean {
  return one?.submissionId === other?.submissionId && one?.solvedAt.getTime() === other?.solvedAt.getTime()
}

/** Returns the participations whose solve changed. Each list must have at most one solve per participation. */
export function findChangedSolves(before: readonly RecalculatedSolve[], after: readonly RecalculatedSolve[]): SolveChange[] {
  const [earlier, later] = [before, after].map((list) => new Map(list.map((solve) => [solve.participationId, solve])))
  return [...new Set([...before, ...after].map(({ participationId }) => participationId))]
    .map((participationId) => ({
      participationId,
      before: earlier?.get(participationId),
      after: later?.get(participationId),
    }))
    .filter((change) => !isSameSolve(change.before, change.after))
}

export function countChangedAnswers(
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
export function countChangedTeams(
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
