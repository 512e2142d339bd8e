// Submission of a flag, from the call to the verdict. Rules: docs/contract/flags-and-scoring.md,
// docs/contract/games-and-joining.md#order-of-checks.
import { randomUUID } from 'node:crypto'
import { hasSharedFlags } from '@capstan/contract/challenge-types'
import type { RealtimeMessage } from '@capstan/contract/events'
import { isChallengeClosed } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { FlagVerdict } from '@capstan/contract/submissions'
import { type JudgedStatus, statusShownToPlayer } from '../../rules/flags/judge.ts'
import { findMatchingFlagId } from '../../rules/flags/parts.ts'
import { listRightAnswers } from '../../rules/flags/rules.ts'
import type { Recorder } from '../../server/logs/record.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import { gameTimesOf } from '../../server/players/service.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import type { PlayDeps } from './deps.ts'
import { isAttemptRefusal, isIdempotencyKeyTaken, judgeAndStore, type StoredAttempt } from './judge-and-store.ts'
import type { Attempt } from './judging.ts'
import { findAssigned, getPlayedChallenge } from './played-challenge.ts'
import { findFoundFlag, findKeyedSubmission, type KeyedSubmission, keyOfOwnSubmission } from './repository.ts'
import { readPoints } from './solve-points.ts'

export type Submission = Readonly<{
  gameId: number
  challengeId: number
  user: Pick<SessionUser, 'id' | 'userName'>
  /** Text that the player submits as a flag. */
  text: string
  /** Idempotency key. A repeated call of the team returns the stored submission. */
  clientKey: string | undefined
  record: Recorder
}>

type SubmissionStatus = Pick<KeyedSubmission, 'id' | 'number' | 'status'>

/** Submits a flag like `submitFlag`. @returns the verdict, with the points of the solve or the found flag */
export async function judgeFlag(deps: PlayDeps, submission: Submission): Promise<FlagVerdict> {
  const { id, number, status } = await submitFlag(deps, submission)
  // Read the solve from the database. A repeated call did not store it, and a right flag is not always a solve.
  const isRight = status === 'Accepted'
  const solve = isRight ? await deps.queries.findSolve(id) : undefined
  const found = isRight ? await findFoundFlag(deps.db, id) : undefined
  const shown = solve && (await readPoints(deps, solve))
  return { id: number, status: statusShownToPlayer(status), solve: shown ?? null, found: found ?? null }
}

/**
 * Judges and stores a flag. A solve is stored under a lock on the challenge. Concurrent calls with one idempotency key run one after
 * another, because the database would refuse a batch that contains the key twice.
 * @throws Problem `challenge.unknown`, `challenge.closed`, `division.submit`, `submission.limit`, `submission.cooldown`, or one
 * of `PlayerService.get`
 */
export async function submitFlag(deps: PlayDeps, submission: Submission): Promise<SubmissionStatus> {
  const { gameId, clientKey } = submission
  const submit = () => submitOnce(deps, { ...submission, text: submission.text.trim().toWellFormed() })
  return clientKey === undefined ? submit() : deps.inTurn(`${gameId} ${clientKey}`, submit)
}

async function submitOnce(deps: PlayDeps, submission: Submission): Promise<SubmissionStatus> {
  const receivedAt = deps.clock.now()
  const earlier = await findRepeated(deps, submission)
  if (earlier) return earlier
  const attempt = await prepareAttempt(deps, submission, receivedAt)
  const { generation } = deps.changes
  let stored: StoredAttempt
  try {
    stored = await judgeAndStore(deps.queries, attempt)
  } catch (error) {
    // A concurrent call with the same key may have stored the submission, even on another replica.
    const other = isIdempotencyKeyTaken(error) || isAttemptRefusal(error) ? await findRepeated(deps, submission) : undefined
    if (!other) throw error
    return other
  }
  announce(deps, stored)
  log(submission.record, stored)
  // If the change feed reported a change during the call, the status may already be outdated, so do not cache it.
  if (deps.changes.generation === generation) cacheStatus(deps, stored)
  deps.onJudged?.(stored.verdict.status)
  return { id: stored.id, number: stored.number, status: stored.verdict.status }
}

/**
 * Finds the stored submission with the same idempotency key.
 * @throws Problem `request.invalid` if the key belongs to another submission
 */
async function findRepeated(
  { db }: Pick<PlayDeps, 'db'>,
  { gameId, challengeId, user, text, clientKey }: Submission,
): Promise<SubmissionStatus | undefined> {
  if (clientKey === undefined) return undefined
  const earlier = await findKeyedSubmission(db, { clientKey, userId: user.id, gameId })
  if (earlier && (earlier.challengeId !== challengeId || earlier.answer !== text))
    throw new Problem('request.invalid', { detail: 'Idempotency-Key belongs to another submission' })
  return earlier
}

/** Checks that the player may submit, and reads the rows on which the verdict depends. */
async function prepareAttempt(
  deps: PlayDeps,
  { gameId, challengeId, user, text, clientKey }: Submission,
  receivedAt: Date,
): Promise<Attempt> {
  const player = await deps.players.get('submit', gameId, user.id)
  const played = await getPlayedChallenge(deps, player, challengeId, 'submit')
  const { challenge } = played
  if (isChallengeClosed(challenge.deadlineAt, gameTimesOf(player.game), receivedAt)) throw new Problem('challenge.closed')
  // Match patterns before any row is locked, because matching can be slow.
  const flags = listRightAnswers(played, text)
  const flagId = findMatchingFlagId(played.parts, text)
  const key = { challengeId, participationId: player.participation.id }
  const assignment = await findAssigned(deps, key, challenge.type)
  const rivals = hasSharedFlags(challenge.type) || !assignment ? [] : await deps.queries.findRivals({ ...key, answer: text })
  return { id: randomUUID(), player, challenge, flags, flagId, assignment, rivals, user, text, clientKey, receivedAt }
}

/** Pushes a stored attempt to subscribers: its events, its submission and, if any, its notice. */
function announce({ bus }: Pick<PlayDeps, 'bus'>, { attempt, row, noticeId }: StoredAttempt): void {
  const { challenge, player, user, text } = attempt
  const { team } = player
  const { gameId } = row
  const time = row.submittedAt.toISOString()
  const messages: RealtimeMessage[] = row.events.map(({ type, values }) => ({
    kind: 'event',
    gameId,
    payload: { time, user: user.userName, team: team.name, type, values: [...values] },
  }))
  const submission = { answer: text, status: row.status, time, user: user.userName, team: team.name, challenge: challenge.title }
  messages.push({ kind: 'submission', gameId, payload: submission })
  // Send no notice of a solve after the freeze. The time of the solve decides, not the current time, because a sent message cannot
  // be withdrawn.
  if (row.notice && noticeId !== null && !findFreezeInstant(player.game, row.submittedAt)) {
    const { type, values } = row.notice
    messages.push({ kind: 'notice', gameId, payload: { id: noticeId, time, type, values: [...values] } })
  }
  for (const message of messages) bus.publish(message)
}

/** Log text for each verdict. In the log line, the title of the challenge follows this text. */
const logWords: Readonly<Record<JudgedStatus, string>> = {
  Accepted: 'submitted the correct flag for',
  WrongAnswer: 'submitted a wrong flag for',
  CheatDetected: 'submitted the flag of another team for',
  NotFound: 'submitted a flag before opening',
}

function log(record: Recorder, { attempt: { player, challenge }, verdict: { status, isLogged } }: StoredAttempt): void {
  record(`Team "${player.team.name}" ${logWords[status]} "${challenge.title}"`, {
    level: isLogged ? 'Warning' : 'Information',
    status: status === 'Accepted' ? 'Success' : status === 'NotFound' ? 'NotFound' : 'Failed',
  })
}

function cacheStatus({ caches }: Pick<PlayDeps, 'caches'>, { number, row }: StoredAttempt): void {
  const { gameId, challengeId, participationId, userId, status } = row
  caches.recentlyJudged.keep(keyOfOwnSubmission({ gameId, challengeId, userId, number }), {
    challengeId,
    participationId,
    status,
  })
}
