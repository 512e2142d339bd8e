import { isScored, phaseOf } from '@capstan/contract/phases'
import { type JudgeFacts, judgeSubmission, type Verdict } from '../flags/judge.ts'
import { timesOfPlayed } from '../players/service.ts'
import type { SessionUser } from '../sessions/session-user.ts'
import type { SolvesBefore, SubmissionContext, SubmissionRecord } from './submission-repository.ts'

/** A submission that may be judged: all that the first read has found is there. */
export interface Attempt {
  /** Names this call among all submissions. */
  readonly id: string
  readonly context: SubmissionContext
  readonly challenge: NonNullable<SubmissionContext['challenge']>
  readonly participation: NonNullable<SubmissionContext['participation']>
  readonly team: NonNullable<SubmissionContext['team']>
  readonly user: Pick<SessionUser, 'id' | 'userName'>
  readonly answer: string
  readonly receivedAt: Date
}

const factsOf = (
  { context, challenge, answer, receivedAt }: Attempt,
  solves: { isSolved: boolean; counted: number },
): JudgeFacts => {
  const times = timesOfPlayed(context.game)
  return {
    type: challenge.type,
    answer,
    assignment: context.assignment ? { flag: context.assignment.flag, isSolved: solves.isSolved } : undefined,
    flags: context.flags,
    rivals: context.rivals ?? [],
    isScored: isScored(receivedAt, times),
    isRunning: phaseOf(times, receivedAt) === 'running',
    solvesBefore: solves.counted,
  }
}

/**
 * A right answer is never dated before the solve it follows, a team's own or another's: solves and bloods go by time of submission,
 * then by id, so the time must not run against the order in which they were settled.
 */
const timeOf = ({ receivedAt }: Attempt, { status }: Verdict, solvedAt: Date | null): Date =>
  status === 'Accepted' && solvedAt && solvedAt > receivedAt ? solvedAt : receivedAt

const recordOf = (attempt: Attempt, verdict: Verdict, submittedAt: Date): SubmissionRecord => {
  const { context, challenge, participation, team, user, answer } = attempt
  const ownerName = (id: number): string => context.rivals?.find(({ participationId }) => participationId === id)?.teamName ?? ''
  return {
    gameId: context.game.id,
    challengeId: challenge.id,
    participationId: participation.id,
    teamId: team.id,
    userId: user.id,
    answer,
    status: verdict.status,
    submittedAt,
    attempt: attempt.id,
    isSolve: verdict.isSolve,
    cheatOwnerId: verdict.cheatOwnerId,
    events: verdict.events.map((event) =>
      event.type === 'FlagSubmit'
        ? { type: event.type, values: [event.result, answer, challenge.title, String(challenge.id)] }
        : { type: event.type, values: [challenge.title, team.name, ownerName(event.ownerParticipationId)] },
    ),
    notice: verdict.notice && { type: verdict.notice, values: [team.name, challenge.title] },
  }
}

/** An attempt with its verdict, ready to be stored. */
export interface Judged {
  readonly attempt: Attempt
  readonly verdict: Verdict
  readonly record: SubmissionRecord
}

/** Judges by what was known when the attempt came; whether it is a solve is settled by `judgeInTurn`. */
export const judge = (attempt: Attempt): Judged => {
  const { solvedAt } = attempt.context
  const verdict = judgeSubmission(factsOf(attempt, { isSolved: solvedAt !== null, counted: 0 }))
  return { attempt, verdict, record: recordOf(attempt, verdict, timeOf(attempt, verdict, solvedAt)) }
}

/**
 * Judges right answers one after the other, by time: each sees the solves before it, those of this call among them.
 * @param solvesOf what is stored, by challenge
 * @returns in the order of judging: stored in it, ids follow time
 */
export const judgeInTurn = (attempts: readonly Attempt[], solvesOf: (challengeId: number) => SolvesBefore): Judged[] => {
  const solves = new Map(attempts.map(({ challenge: { id } }) => [id, solvesOf(id)]))
  const judged: Judged[] = []
  for (const attempt of attempts.toSorted((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())) {
    const { challenge, participation } = attempt
    const { counted, lastAt, solvers } = solves.get(challenge.id) ?? solvesOf(challenge.id)
    const verdict = judgeSubmission(factsOf(attempt, { isSolved: solvers.includes(participation.id), counted }))
    const submittedAt = timeOf(attempt, verdict, lastAt)
    judged.push({ attempt, verdict, record: recordOf(attempt, verdict, submittedAt) })
    if (verdict.isSolve)
      solves.set(challenge.id, { counted: counted + 1, lastAt: submittedAt, solvers: [...solvers, participation.id] })
  }
  return judged
}
