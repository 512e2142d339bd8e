import type { Database } from '@capstan/db/client'
import { solves, submissions } from '@capstan/db/schema/challenges'
import { events, notices } from '@capstan/db/schema/games'
import type { Attempt } from './history.ts'
import { inBatches } from './in-batches.ts'
import type { World } from './world.ts'

const dayMs = 24 * 3_600_000

/** Stores what happened so far as the api would have: submissions, solves, events, blood notices and the challenges' counters. */
export const insertHistory = async (
  db: Database,
  history: readonly Attempt[],
  world: Pick<World, 'gameId' | 'players' | 'challenges' | 'flagOf'> & { readonly startsAt: Date },
): Promise<void> => {
  const { gameId } = world
  const attempts = history.map(({ team, challenge, isRight, moment }) => {
    const player = world.players[team]
    return {
      isRight,
      challenge,
      answer: isRight ? world.flagOf(team, challenge) : 'flag{a-first-guess}',
      at: new Date(world.startsAt.getTime() + moment * dayMs - 60_000),
      teamId: player?.teamId ?? 0,
      participationId: player?.participationId ?? 0,
      userId: player?.userIds[challenge % player.userIds.length] ?? null,
      challengeId: world.challenges[challenge]?.id ?? 0,
      title: world.challenges[challenge]?.title ?? '',
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
  const ids = await inBatches(submissionRows, (batch) => db.insert(submissions).values(batch).returning({ id: submissions.id }))

  const solveRows = attempts.flatMap(({ isRight, at, participationId, userId, challengeId }, index) =>
    isRight ? [{ gameId, challengeId, participationId, userId, submissionId: ids[index]?.id ?? 0, solvedAt: at }] : [],
  )
  await inBatches(solveRows, (batch) => db.insert(solves).values(batch))

  const eventRows = attempts.map(({ isRight, answer, at, teamId, userId, challengeId, title }) => ({
    gameId,
    type: 'FlagSubmit' as const,
    values: [isRight ? 'Accepted' : 'WrongAnswer', answer, title, String(challengeId)],
    occurredAt: at,
    userId,
    teamId,
  }))
  await inBatches(eventRows, (batch) => db.insert(events).values(batch))

  const bloodTypes = ['FirstBlood', 'SecondBlood', 'ThirdBlood'] as const
  const noticeRows = world.challenges.flatMap((_, challenge) =>
    attempts
      .filter((attempt) => attempt.isRight && attempt.challenge === challenge)
      .slice(0, 3)
      .map(({ at, teamId, title }, place) => ({
        gameId,
        type: bloodTypes[place] ?? bloodTypes[0],
        values: [`Team ${teamId}`, title],
        publishedAt: at,
      })),
  )
  await inBatches(noticeRows, (batch) => db.insert(notices).values(batch))

  await db.execute(`
    update challenges set
      accepted_count = (select count(*) from solves where challenge_id = challenges.id)`)
}
