import { bloodTypes } from '@capstan/contract/vocabulary'
import type { Executor } from '@capstan/db/client'
import { solves, submissions } from '@capstan/db/schema/challenges'
import { events, notices } from '@capstan/db/schema/news'
import type { Attempt } from './history.ts'
import { insertInBatches } from './in-batches.ts'

export type PlayedGame = Readonly<{
  gameId: number
  startsAt: Date
  /** Time from the start of the game to the last event of the generated history, in ms. */
  playedMs: number
  players: readonly Readonly<{
    teamId: number
    teamName: string
    participationId: number
    userIds: readonly string[]
  }>[]
  challenges: readonly Readonly<{ id: number; title: string }>[]
  /** Returns the correct flag of a challenge for a team. `player` and `challenge` are indexes in `players` and `challenges`. */
  flagOf(player: number, challenge: number): string
}>

/**
 * Stores a generated history in the same rows as the api: submissions, solves, events, blood notices and the counters of the
 * challenges.
 */
export async function insertSubmissionHistory(db: Executor, history: readonly Attempt[], game: PlayedGame): Promise<void> {
  const { gameId } = game
  const attempts = history.map(({ team, challenge, isRight, moment }) => {
    const player = game.players[team]
    return {
      isRight,
      challenge,
      answer: isRight ? game.flagOf(team, challenge) : 'flag{a-first-guess}',
      at: new Date(game.startsAt.getTime() + moment * game.playedMs),
      teamId: player?.teamId ?? 0,
      teamName: player?.teamName ?? '',
      participationId: player?.participationId ?? 0,
      userId: player?.userIds[challenge % player.userIds.length] ?? null,
      challengeId: game.challenges[challenge]?.id ?? 0,
      title: game.challenges[challenge]?.title ?? '',
    }
  })
  const submissionRows = attempts.map(({ isRight, answer, at, teamId, participationId, userId, challengeId }) => ({
    gameId,
    challengeId,
    participationId,
    teamId,
    userId,
    answer,
    status: isRight ? ('Accepted' as const) : ('WrongAnswer' as const),
    submittedAt: at,
  }))
  const ids = await insertInBatches(submissionRows, (batch) =>
    db.insert(submissions).values(batch).returning({ id: submissions.id }),
  )

  const solveRows = attempts.flatMap(({ isRight, at, participationId, userId, challengeId }, index) =>
    isRight ? [{ gameId, challengeId, participationId, userId, submissionId: ids[index]?.id ?? 0, solvedAt: at }] : [],
  )
  await insertInBatches(solveRows, (batch) => db.insert(solves).values(batch))

  const eventRows = attempts.map(({ isRight, answer, at, teamId, userId, challengeId, title }) => ({
    gameId,
    type: 'FlagSubmit' as const,
    values: [isRight ? 'Accepted' : 'WrongAnswer', answer, title, String(challengeId)],
    occurredAt: at,
    userId,
    teamId,
  }))
  await insertInBatches(eventRows, (batch) => db.insert(events).values(batch))

  const noticeRows = game.challenges.flatMap((_, challenge) =>
    attempts
      .filter((attempt) => attempt.isRight && attempt.challenge === challenge)
      .slice(0, 3)
      .map(({ at, teamId, teamName, challengeId, title }, place) => ({
        gameId,
        type: bloodTypes[place] ?? bloodTypes[0],
        values: [teamName, title],
        publishedAt: at,
        challengeId,
        teamId,
      })),
  )
  await insertInBatches(noticeRows, (batch) => db.insert(notices).values(batch))

  await db.execute(`
    update challenges set
      accepted_count = (select count(*) from solves where challenge_id = challenges.id)`)
}
