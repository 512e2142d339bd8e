import type { Executor } from '@capstan/db/client'
import { challenges, cheats, solves, submissions } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, countDistinct, desc, eq, gte, max, sql, sum } from 'drizzle-orm'
import { owner, ownerTeam, submitter, submitterTeam } from './shown-repository.ts'

/** Reads statistics of the last hour of a game. Each statement reads only the rows of that hour and returns a few rows. */
export function createDeskInsightRepository(db: Executor) {
  return {
    countByChallenge: (gameId: number, since: Date) =>
      db
        .select({
          challengeId: submissions.challengeId,
          right: sql<number>`count(*) filter (where ${submissions.status} = 'Accepted')`.mapWith(Number),
          wrong: sql<number>`count(*) filter (where ${submissions.status} <> 'Accepted')`.mapWith(Number),
          teams: countDistinct(submissions.participationId),
        })
        .from(submissions)
        .where(and(eq(submissions.gameId, gameId), gte(submissions.submittedAt, since)))
        .groupBy(submissions.challengeId),
    listStuck(gameId: number, since: Date, minWrong: number, limit: number) {
      const byChallenge = db
        .select({
          participationId: submissions.participationId,
          challengeId: submissions.challengeId,
          wrong: sql<number>`count(*) filter (where ${submissions.status} = 'WrongAnswer')`.as('wrong'),
          right: sql<number>`count(*) filter (where ${submissions.status} = 'Accepted')`.as('right'),
        })
        .from(submissions)
        .where(and(eq(submissions.gameId, gameId), gte(submissions.submittedAt, since)))
        .groupBy(submissions.participationId, submissions.challengeId)
        .as('by_challenge')
      const stuck = db
        .select({
          participationId: byChallenge.participationId,
          wrong: sum(byChallenge.wrong).mapWith(Number).as('all_wrong'),
          challengeId: sql<number>`(array_agg(${byChallenge.challengeId} order by ${byChallenge.wrong} desc))[1]`.as('most'),
        })
        .from(byChallenge)
        .innerJoin(participations, eq(participations.id, byChallenge.participationId))
        .where(eq(participations.status, 'Accepted'))
        .groupBy(byChallenge.participationId)
        .having(sql`sum(${byChallenge.right}) = 0 and sum(${byChallenge.wrong}) >= ${minWrong}`)
        .orderBy(desc(sql`sum(${byChallenge.wrong})`), byChallenge.participationId)
        .limit(limit)
        .as('stuck')
      const last = db
        .select({ at: max(solves.solvedAt).as('at') })
        .from(solves)
        .where(eq(solves.participationId, stuck.participationId))
        .as('last')
      return db
        .select({
          teamId: participations.teamId,
          team: teams.name,
          wrong: stuck.wrong,
          challenge: challenges.title,
          lastSolveAt: last.at,
        })
        .from(stuck)
        .innerJoin(participations, eq(participations.id, stuck.participationId))
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .innerJoin(challenges, eq(challenges.id, stuck.challengeId))
        .leftJoinLateral(last, sql`true`)
        .orderBy(desc(stuck.wrong), stuck.participationId)
    },
    /** Lists suspected cheats, newest first. */
    listSuspicions: (gameId: number, limit: number) =>
      db
        .select({
          time: submissions.submittedAt,
          team: submitterTeam.name,
          owner: ownerTeam.name,
          challenge: challenges.title,
        })
        .from(cheats)
        .innerJoin(submissions, eq(submissions.id, cheats.submissionId))
        .innerJoin(challenges, eq(challenges.id, submissions.challengeId))
        .innerJoin(submitter, eq(submitter.id, cheats.submitterId))
        .innerJoin(submitterTeam, eq(submitterTeam.id, submitter.teamId))
        .innerJoin(owner, eq(owner.id, cheats.ownerId))
        .innerJoin(ownerTeam, eq(ownerTeam.id, owner.teamId))
        .where(eq(cheats.gameId, gameId))
        .orderBy(desc(cheats.id))
        .limit(limit),
  }
}

export type DeskInsightRepository = ReturnType<typeof createDeskInsightRepository>
