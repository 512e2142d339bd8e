import { pictureAddress } from '@capstan/contract/asset-address'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { GameTimes } from '@capstan/contract/phases'
import type { Database, Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges, solves } from '@capstan/db/schema/challenges'
import { games, participations, scoreboardVersions } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { VersionedFacts, VersionedSolve } from '../scoring/live-board.ts'

const times = {
  start: games.startsAt,
  end: games.endsAt,
  practiceMode: games.practiceMode,
  writeupDeadline: games.writeupDeadline,
}
const version = sql<number>`coalesce(${scoreboardVersions.version}, 0)`.mapWith(Number)

const solveColumns = {
  submissionId: solves.submissionId,
  participationId: solves.participationId,
  challengeId: solves.challengeId,
  userName: users.userName,
  submittedAt: solves.solvedAt,
  boardVersion: solves.boardVersion,
}

export interface GameFacts extends VersionedFacts {
  readonly times: GameTimes
}

/** All that the scoreboard of a game is built from; undefined: there is no such game. */
const readFacts = async (db: Executor, gameId: number, updatedAt: Date): Promise<GameFacts | undefined> => {
  const [game] = await db
    .select({ ...times, bloodBonus: games.bloodBonus, version })
    .from(games)
    .leftJoin(scoreboardVersions, eq(scoreboardVersions.gameId, games.id))
    .where(eq(games.id, gameId))
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
    .orderBy(asc(challenges.id))
  const participationRows = await db
    .select({
      id: participations.id,
      status: participations.status,
      division: participations.division,
      awarded: sql<number>`coalesce((select sum(points) from awards where participation_id = ${participations.id}), 0)`.mapWith(
        Number,
      ),
      team: { id: teams.id, name: teams.name, bio: teams.bio, avatarHash: teams.avatarHash },
    })
    .from(participations)
    .innerJoin(teams, eq(teams.id, participations.teamId))
    .where(and(eq(participations.gameId, gameId), eq(participations.status, 'Accepted')))
    .orderBy(asc(participations.id))
  const solveRows = await db
    .select(solveColumns)
    .from(solves)
    .leftJoin(users, eq(users.id, solves.userId))
    .where(eq(solves.gameId, gameId))
    .orderBy(asc(solves.solvedAt), asc(solves.submissionId))
  const { bloodBonus, version: present, ...gameTimes } = game
  return {
    times: gameTimes,
    game: { end: game.end, bloodBonus },
    version: present,
    challenges: challengeRows.map((row) => ({ ...row, category: row.category as ChallengeCategory })),
    participations: participationRows.map(({ team: { avatarHash, ...team }, ...row }) => ({
      ...row,
      team: { ...team, avatar: pictureAddress(avatarHash, 'avatar') },
    })),
    solves: solveRows,
    updatedAt,
  }
}

/** All that the scoreboard of a game is built from, as it was at one moment; undefined: there is no such game. */
export const loadGameFacts = (db: Database, gameId: number, updatedAt: Date): Promise<GameFacts | undefined> =>
  db.transaction((transaction) => readFacts(transaction, gameId, updatedAt), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  })

export interface NewSolves {
  readonly times: GameTimes
  readonly version: number
  /** Of the versions after the one that was asked for. */
  readonly solves: readonly VersionedSolve[]
}

/** The solves that came after a version of the board, in one statement; undefined: there is no such game. */
export const loadNewSolves = async (db: Executor, gameId: number, after: number): Promise<NewSolves | undefined> => {
  const rows = await db
    .select({ times, version, solve: solveColumns })
    .from(games)
    .leftJoin(scoreboardVersions, eq(scoreboardVersions.gameId, games.id))
    .leftJoin(solves, and(eq(solves.gameId, games.id), gt(solves.boardVersion, after)))
    .leftJoin(users, eq(users.id, solves.userId))
    .where(eq(games.id, gameId))
  const [row] = rows
  if (!row) return undefined
  const list = rows.flatMap(({ solve: { submissionId, participationId, challengeId, userName, submittedAt, boardVersion } }) =>
    submissionId === null || participationId === null || challengeId === null || submittedAt === null || boardVersion === null
      ? []
      : [{ submissionId, participationId, challengeId, userName, submittedAt, boardVersion }],
  )
  return { times: row.times, version: row.version, solves: list }
}
