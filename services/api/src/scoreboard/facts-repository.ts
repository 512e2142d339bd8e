import { pictureAddress } from '@capstan/contract/asset-address'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges, solves } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, eq } from 'drizzle-orm'
import type { ScoreboardFacts } from '../scoring/ranking.ts'

/** All that the scoreboard of a game is built from, in four statements; undefined: there is no such game. */
export const loadScoreboardFacts = async (
  db: Executor,
  gameId: number,
  updatedAt: Date,
): Promise<ScoreboardFacts | undefined> => {
  const [game] = await db.select({ end: games.endsAt, bloodBonus: games.bloodBonus }).from(games).where(eq(games.id, gameId))
  if (!game) return undefined
  const challengeRows = await db
    .select({
      id: challenges.id,
      title: challenges.title,
      category: challenges.category,
      isEnabled: challenges.isEnabled,
      originalScore: challenges.originalScore,
      minScoreRate: challenges.minScoreRate,
      difficulty: challenges.difficulty,
    })
    .from(challenges)
    .where(and(eq(challenges.gameId, gameId), eq(challenges.isEnabled, true)))
  const participationRows = await db
    .select({
      id: participations.id,
      status: participations.status,
      division: participations.division,
      team: { id: teams.id, name: teams.name, bio: teams.bio, avatarHash: teams.avatarHash },
    })
    .from(participations)
    .innerJoin(teams, eq(teams.id, participations.teamId))
    .where(and(eq(participations.gameId, gameId), eq(participations.status, 'Accepted')))
  const solveRows = await db
    .select({
      submissionId: solves.submissionId,
      participationId: solves.participationId,
      challengeId: solves.challengeId,
      userName: users.userName,
      submittedAt: solves.solvedAt,
    })
    .from(solves)
    .leftJoin(users, eq(users.id, solves.userId))
    .where(eq(solves.gameId, gameId))
    .orderBy(asc(solves.solvedAt), asc(solves.submissionId))
  return {
    game,
    challenges: challengeRows.map((row) => ({ ...row, category: row.category as ChallengeCategory })),
    participations: participationRows.map(({ team: { avatarHash, ...team }, ...row }) => ({
      ...row,
      team: { ...team, avatar: pictureAddress(avatarHash, 'avatar') },
    })),
    solves: solveRows,
    updatedAt,
  }
}
