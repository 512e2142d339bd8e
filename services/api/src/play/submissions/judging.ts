import { type DivisionRights, hasRight, rightsForChallenge } from '@capstan/contract/division-rights'
import { canSubmissionScorePoints, gamePhaseOf, scoringEndOf } from '@capstan/contract/phases'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { keyOfAssignment } from '../../instances/team-flags/service.ts'
import {
  type AttemptRefusal,
  type AttemptRules,
  type Attempts,
  addAttempt,
  noAttempts,
  refuseFurtherAttempt,
} from '../../rules/flags/attempts.ts'
import { type FoundPart, type JudgeFacts, judgeSubmission, type Verdict } from '../../rules/flags/judge.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import { gameTimesOf, type Player } from '../../server/players/service.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import type { PlayedChallenge } from './repository.ts'
import type { JudgedAssignment, Rival, SolvesBefore, SubmissionRow } from './submission-repository.ts'

export type Attempt = Readonly<{
  id: string
  player: Readonly<{
    game: Pick<Player['game'], 'id' | 'freezeAt' | 'revealedAt'> & Parameters<typeof gameTimesOf>[0]
    participation: Pick<Player['participation'], 'id'>
    team: Pick<Player['team'], 'id' | 'name'>
    division?: DivisionRights | undefined
  }>
  challenge: Pick<PlayedChallenge['challenge'], 'id' | 'title' | 'type' | 'hasBloods' | 'deadlineAt' | keyof AttemptRules>
  /** Right answers of a challenge with static flags. Empty for dynamic flags. */
  flags: readonly string[]
  /** Id of the flag that matches the text. Used only for challenges with several flags. */
  flagId?: number | undefined
  /** Assignment of the challenge to the team. Undefined if there is no assignment. */
  assignment: JudgedAssignment | undefined
  /** Other teams whose flag equals the text. Empty for static flags. */
  rivals: readonly Rival[]
  user: Pick<SessionUser, 'id' | 'userName'>
  /** Text that the player submitted, without spaces at the start and end. */
  text: string
  /** Idempotency key of the client. */
  clientKey?: string | undefined
  receivedAt: Date
}>

function takesBlood({ player, challenge }: Attempt): boolean {
  return hasRight(rightsForChallenge(player.division, challenge.id), 'bloods')
}

function factsOf(attempt: Attempt, solves: { isSolved: boolean; counted: number; part?: FoundPart | undefined }): JudgeFacts {
  const { player, challenge, flags, assignment, rivals, text, receivedAt } = attempt
  const times = gameTimesOf(player.game)
  return {
    type: challenge.type,
    answer: text,
    assignment: assignment && { flag: assignment.flag, isSolved: solves.isSolved },
    flags,
    rivals,
    isScored: canSubmissionScorePoints(receivedAt, { end: scoringEndOf(times, challenge.deadlineAt) }),
    isRunning: gamePhaseOf(times, receivedAt) === 'running',
    hasBloods: challenge.hasBloods,
    // If the team may not get bloods, assume three earlier solves. The solve then gets no blood.
    solvesBefore: takesBlood(attempt) ? solves.counted : bloodTypes.length,
    part: solves.part,
  }
}

/**
 * Returns whether the matched flag is new, and whether it is the last missing flag. If the flag was deleted after the comparison,
 * the right answer is neither a found flag nor a solve.
 * @param parts ids of the flags to find
 * @param found the ids of the flags that the team has found
 * @returns undefined if one flag is enough to solve the challenge
 */
function partOfAttempt({ flagId }: Attempt, parts: readonly number[], found: readonly number[]): FoundPart | undefined {
  if (parts.length === 0) return undefined
  if (flagId === undefined || !parts.includes(flagId)) return { isKnown: true, isLast: false }
  return { isKnown: found.includes(flagId), isLast: parts.every((id) => id === flagId || found.includes(id)) }
}

/**
 * Returns the time of a submission. The time of a right answer is not before a visible solve of the challenge. Nor is this time
 * before the time of a flag that the team has already found. Solves are ordered by time and id. Announced bloods therefore never
 * change, and the last flag that a team finds counts as the solve.
 * @param earlier the times of the visible solves, and of the flags that the team has found
 */
function timeOf({ receivedAt }: Attempt, { status }: Verdict, earlier: readonly Date[]): Date {
  if (status !== 'Accepted') return receivedAt
  return earlier.reduce((latest, time) => (time > latest ? time : latest), receivedAt)
}

function rowOf(attempt: Attempt, verdict: Verdict, submittedAt: Date, flagId: number | null = null): SubmissionRow {
  const { player, challenge, rivals, user, text } = attempt
  const { game, participation, team } = player
  const ownerName = (id: number): string => rivals.find(({ participationId }) => participationId === id)?.teamName ?? ''
  return {
    gameId: game.id,
    challengeId: challenge.id,
    participationId: participation.id,
    teamId: team.id,
    userId: user.id,
    answer: text,
    status: verdict.status,
    submittedAt,
    attempt: attempt.id,
    clientKey: attempt.clientKey,
    isSolve: verdict.isSolve,
    flagId,
    isFinding: verdict.isFinding,
    cheatOwnerId: verdict.cheatOwnerId,
    events: verdict.events.map((event) =>
      event.type === 'FlagSubmit'
        ? { type: event.type, values: [event.result, text, challenge.title, String(challenge.id)] }
        : { type: event.type, values: [challenge.title, team.name, ownerName(event.ownerParticipationId)] },
    ),
    notice: verdict.notice && { type: verdict.notice, values: [team.name, challenge.title] },
  }
}

export type Judged = Readonly<{
  attempt: Attempt
  verdict: Verdict
  /** Row to insert. */
  row: SubmissionRow
}>

/**
 * Judges one attempt without regard to other attempts. If the answer is wrong, the verdict is final. If the answer is right,
 * `judgeAttemptsInOrder` decides whether the answer is a solve.
 */
export function judgeAttempt(attempt: Attempt): Judged {
  const verdict = judgeSubmission(factsOf(attempt, { isSolved: false, counted: 0 }))
  return { attempt, verdict, row: rowOf(attempt, verdict, attempt.receivedAt) }
}

const noSolves: SolvesBefore = { counted: 0, lastAt: null, solvers: [], parts: [], found: [] }

/** Rows that determine the judgment of attempts. The rows are read while the challenges are locked. */
export type TurnFacts = Readonly<{
  /** Rules of the locked challenges, by id. */
  rules: ReadonlyMap<number, AttemptRules>
  /** Stored solves of each challenge, by challenge id. */
  solves: ReadonlyMap<number, SolvesBefore>
  /** Stored attempts of each team at each challenge. The keys come from `keyOfAssignment`. */
  attempts: ReadonlyMap<string, Attempts>
}>

const noRules: AttemptRules = { submissionLimit: 0, cooldownSeconds: 0 }

/** Judges an attempt, given the solves of its challenge that were stored or judged before it. */
function judgeAfter(earlier: SolvesBefore, attempt: Attempt): Judged {
  const { id } = attempt.player.participation
  const { counted, lastAt, solvers, parts } = earlier
  const found = earlier.found.filter(({ participationId }) => participationId === id)
  const part = partOfAttempt(
    attempt,
    parts,
    found.map(({ flagId }) => flagId),
  )
  const verdict = judgeSubmission(factsOf(attempt, { isSolved: solvers.includes(id), counted, part }))
  const submittedAt = timeOf(attempt, verdict, [...(lastAt ? [lastAt] : []), ...found.map(({ foundAt }) => new Date(foundAt))])
  const flagId = verdict.status === 'Accepted' ? parts.find((partId) => partId === attempt.flagId) : undefined
  return { attempt, verdict, row: rowOf(attempt, verdict, submittedAt, flagId) }
}

/** Returns the solves and found flags of a challenge after a judged attempt. */
function addJudged(earlier: SolvesBefore, { attempt, verdict, row }: Judged): SolvesBefore {
  const { participationId, flagId, submittedAt } = row
  const isFinding = verdict.isFinding && flagId !== null
  const found = isFinding ? [...earlier.found, { participationId, flagId, foundAt: submittedAt.getTime() }] : earlier.found
  if (!verdict.isSolve) return { ...earlier, found }
  return {
    ...earlier,
    found,
    counted: earlier.counted + (takesBlood(attempt) ? 1 : 0),
    // Ignore the time of a solve that a freeze hides. Another team could otherwise infer this time from its own solve.
    lastAt: findFreezeInstant(attempt.player.game, submittedAt) ? earlier.lastAt : submittedAt,
    solvers: [...earlier.solvers, participationId],
  }
}

/**
 * Judges attempts in order of time. Each judgment takes all earlier solves and attempts into account, including those from this
 * call. Attempts after the end of the game are not limited.
 * @returns the judged attempts in the order of judging. If they are stored in this order, later solves get higher ids.
 */
export function judgeAttemptsInOrder(
  given: readonly Attempt[],
  facts: TurnFacts,
): Readonly<{ judged: Judged[]; refused: ReadonlyMap<Attempt, AttemptRefusal> }> {
  const solves = new Map(facts.solves)
  const attempts = new Map(facts.attempts)
  const refused = new Map<Attempt, AttemptRefusal>()
  const judged: Judged[] = []
  for (const attempt of given.toSorted((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())) {
    const { challenge, player, receivedAt } = attempt
    const key = keyOfAssignment({ challengeId: challenge.id, participationId: player.participation.id })
    const before = attempts.get(key) ?? noAttempts
    const isLimited = canSubmissionScorePoints(receivedAt, gameTimesOf(player.game))
    const refusal = isLimited ? refuseFurtherAttempt(facts.rules.get(challenge.id) ?? noRules, before, receivedAt) : undefined
    if (refusal) {
      refused.set(attempt, refusal)
      continue
    }
    const earlier = solves.get(challenge.id) ?? noSolves
    const next = judgeAfter(earlier, attempt)
    judged.push(next)
    solves.set(challenge.id, addJudged(earlier, next))
    if (isLimited) attempts.set(key, addAttempt(before, next.verdict.status === 'Accepted', next.row.submittedAt))
  }
  return { judged, refused }
}
