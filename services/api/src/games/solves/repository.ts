import type { Executor } from '@capstan/db/client'
import { challenges, solves } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { and, asc, eq, gte, sql } from 'drizzle-orm'
import { sqlOfSolvingSubmissions, updateFoundFlags } from './found-flag-repository.ts'

type PairKey = Readonly<{
  challengeId: number
  participationId: number
}>

/** SQL for the number of teams that solved a challenge and have the status Accepted. */
const acceptedCount = sql`(
  select count(*) from ${solves}
  join ${participations} on ${participations.id} = ${solves.participationId} and ${participations.status} = 'Accepted'
  where ${solves.challengeId} = ${challenges.id})`

export function createSolveRepository(db: Executor) {
  return {
    /** Sets the accepted count of every challenge of a game to the number of solves by teams with status Accepted. */
    async recountAccepted(gameId: number): Promise<void> {
      await db.execute(sql`
      update ${challenges} set accepted_count = ${acceptedCount} where ${challenges.gameId} = ${gameId}`)
    },
    /**
     * Updates the found flags and solves of a game after its end has changed. The solve of a team is its first solving submission
     * before the end. Until the commit, locks on the challenges block the judging of submissions.
     */
    async updateCounted(gameId: number, end: Date): Promise<void> {
      await db
        .select({ id: challenges.id })
        .from(challenges)
        .where(eq(challenges.gameId, gameId))
        .orderBy(asc(challenges.id))
        .for('no key update')
      await db.delete(solves).where(and(eq(solves.gameId, gameId), gte(solves.solvedAt, end)))
      await updateFoundFlags(db, { gameId }, end)
      await db.execute(sql`
      insert into ${solves} (game_id, challenge_id, participation_id, submission_id, user_id, solved_at, counted_at)
      select distinct on (challenge_id, participation_id)
        game_id, challenge_id, participation_id, id, user_id, submitted_at, clock_timestamp()
      from (${sqlOfSolvingSubmissions({ gameId }, end)}) as solving
      order by challenge_id, participation_id, submitted_at, id
      on conflict do nothing`)
    },
    /**
     * Derives the found flags and the solve of one team for a challenge from its submissions, and updates the accepted count. The
     * caller must have locked the challenge.
     */
    async updateOne({ challengeId, participationId }: PairKey, end: Date): Promise<void> {
      await db.delete(solves).where(and(eq(solves.challengeId, challengeId), eq(solves.participationId, participationId)))
      await updateFoundFlags(db, { challengeId, participationId }, end)
      await db.execute(sql`
      insert into ${solves} (game_id, challenge_id, participation_id, submission_id, user_id, solved_at, counted_at)
      select game_id, challenge_id, participation_id, id, user_id, submitted_at, clock_timestamp()
      from (${sqlOfSolvingSubmissions({ challengeId, participationId }, end)}) as solving
      order by submitted_at, id limit 1`)
      await db.execute(sql`update ${challenges} set accepted_count = ${acceptedCount} where ${challenges.id} = ${challengeId}`)
    },
  }
}
