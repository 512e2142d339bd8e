import type { Executor } from '@capstan/db/client'
import { divisionChallenges } from '@capstan/db/schema/challenges'
import { divisions, games, participationMembers, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, eq, sql } from 'drizzle-orm'

/** Columns of a game that calls of players need. Long texts are omitted. */
const gameColumns = {
  id: games.id,
  startsAt: games.startsAt,
  endsAt: games.endsAt,
  freezeAt: games.freezeAt,
  revealedAt: games.revealedAt,
  practiceMode: games.practiceMode,
  writeupRequired: games.writeupRequired,
  writeupDeadline: games.writeupDeadline,
  writeupNote: games.writeupNote,
  containerCountLimit: games.containerCountLimit,
  publicKey: games.publicKey,
  privateKey: games.privateKey,
}

/** Rights that a division has for particular challenges, as pairs of challenge id and permission bits. */
const overrides = sql<[number, number][]>`(
  select coalesce(json_agg(json_build_array(${divisionChallenges.challengeId}, ${divisionChallenges.permissions})), '[]')
  from ${divisionChallenges} where ${divisionChallenges.divisionId} = ${divisions.id})`

function prepareFind(db: Executor) {
  return db
    .select({
      game: gameColumns,
      participation: participations,
      team: { id: teams.id, name: teams.name, bio: teams.bio, avatarHash: teams.avatarHash },
      division: { id: divisions.id, permissions: divisions.permissions, overrides },
    })
    .from(games)
    .leftJoin(
      participationMembers,
      and(eq(participationMembers.gameId, games.id), eq(participationMembers.userId, sql.placeholder('userId'))),
    )
    .leftJoin(participations, eq(participations.id, participationMembers.participationId))
    .leftJoin(teams, eq(teams.id, participations.teamId))
    .leftJoin(divisions, and(eq(divisions.gameId, participations.gameId), eq(divisions.name, participations.division)))
    .where(eq(games.id, sql.placeholder('gameId')))
    .prepare('find_player')
}

export type PlayerRow = Awaited<ReturnType<ReturnType<typeof prepareFind>['execute']>>[number]

export type PlayedGame = PlayerRow['game']
export type PlayerParticipation = NonNullable<PlayerRow['participation']>
export type PlayerTeam = NonNullable<PlayerRow['team']>

export function createPlayerRepository(db: Executor) {
  let prepared: ReturnType<typeof prepareFind> | undefined
  return {
    /** Finds a game, with the user's participation in the game if there is one. */
    async find(gameId: number, userId: string): Promise<PlayerRow | undefined> {
      prepared ??= prepareFind(db)
      const [row] = await prepared.execute({ gameId, userId })
      return row
    },
  }
}
