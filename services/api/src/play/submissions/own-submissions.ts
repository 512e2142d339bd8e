// Submissions and found flags that players see. Rules: docs/contract/flags-and-scoring.md.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { AnswerResult, FlagProgress, TeamAttempt } from '@capstan/contract/submissions'
import { statusShownToPlayer } from '../../rules/flags/judge.ts'
import { divisionSeesChallenge } from '../../rules/scoring/division-rights.ts'
import type { PlayDeps } from './deps.ts'
import { getPlayedChallenge, type PlayedChallengeDeps } from './played-challenge.ts'
import { countFoundFlags, keyOfOwnSubmission, listSubmissions, type OwnSubmissionKey } from './repository.ts'

/** Lists the newest submissions of the caller's team. @throws Problem `challenge.unknown`, or one of `PlayerService.get` */
export async function listAttempts(
  deps: PlayedChallengeDeps & Pick<PlayDeps, 'players'>,
  gameId: number,
  challengeId: number,
  userId: string,
): Promise<TeamAttempt[]> {
  const player = await deps.players.get('challenge', gameId, userId)
  await getPlayedChallenge(deps, player, challengeId, 'see')
  const key = { challengeId, participationId: player.participation.id }
  const rows = await listSubmissions(deps.db, key, Limits.maxListedAttempts)
  return rows.map((row) => ({
    id: row.number,
    answer: row.answer,
    status: statusShownToPlayer(row.status),
    time: row.submittedAt.getTime(),
    user: row.userName ?? '',
    isOwn: row.userId === userId,
  }))
}

/**
 * Returns the status of the caller's submission. A cheat is reported as a wrong answer.
 * @throws Problem `submission.unknown`
 */
export async function getSubmissionStatus(
  { caches, queries }: Pick<PlayDeps, 'caches' | 'queries'>,
  key: OwnSubmissionKey,
): Promise<AnswerResult> {
  const submission = await caches.recentlyJudged.get(keyOfOwnSubmission(key), () => queries.findOwnSubmission(key))
  if (!submission) throw new Problem('submission.unknown')
  return statusShownToPlayer(submission.status)
}

/** Counts the flags that the caller's team has found. @throws the problems of `PlayerService.get` */
export async function listFlagProgress(
  { db, players }: Pick<PlayDeps, 'db' | 'players'>,
  gameId: number,
  userId: string,
): Promise<FlagProgress[]> {
  const { participation, division } = await players.get('details', gameId, userId)
  const progress = await countFoundFlags(db, gameId, participation.id)
  return progress.filter(({ challengeId }) => divisionSeesChallenge(division, challengeId))
}
