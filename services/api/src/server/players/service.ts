import { allRights, type DivisionRights } from '@capstan/contract/division-rights'
import type { GameTimes, PhaseCall } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { Database } from '@capstan/db/client'
import { refusePlayerCall } from '../../rules/scoring/participation.ts'
import { createCache } from '../changes/cache.ts'
import type { ChangeFeed } from '../changes/feed.ts'
import type { Clock } from '../http/clock.ts'
import {
  createPlayerRepository,
  type PlayedGame,
  type PlayerParticipation,
  type PlayerRow,
  type PlayerTeam,
} from './repository.ts'

export type Player = Readonly<{
  game: PlayedGame
  participation: PlayerParticipation
  team: PlayerTeam
  /** Rights of the team's division. Undefined if the team plays in no division. */
  division: (DivisionRights & { readonly id: number }) | undefined
}>

type StoredTimes = Pick<PlayedGame, 'startsAt' | 'endsAt' | 'practiceMode' | 'writeupDeadline'>

/** Returns the times of a game that determine its phase. */
export function gameTimesOf(game: StoredTimes): GameTimes {
  return {
    start: game.startsAt,
    end: game.endsAt,
    practiceMode: game.practiceMode,
    writeupDeadline: game.writeupDeadline,
  }
}

export type PlayerServiceDeps = Readonly<{
  db: Database
  clock: Clock
  changes: ChangeFeed
}>

type FoundPlayer = Omit<PlayerRow, 'division'> & Pick<Player, 'division'>

function withRights({ division, ...row }: PlayerRow): FoundPlayer {
  const hasDivision = division !== null && division.id !== null
  return {
    ...row,
    division: hasDivision
      ? { id: division.id, defaultPermissions: division.permissions ?? allRights, overrides: new Map(division.overrides) }
      : undefined,
  }
}

export function createPlayerService({ db, clock, changes }: PlayerServiceDeps) {
  const repository = createPlayerRepository(db)
  const cache = createCache<string, FoundPlayer>({
    feed: changes,
    maxEntries: 10_000,
    // A user without a participation is not cached, since the user may join at any moment.
    dependsOn: ({ game, participation, team }) =>
      participation && team ? [`game ${game.id}`, `participation ${participation.id}`, `team ${team.id}`] : undefined,
  })
  return {
    /**
     * Returns the player for a call. Checks that the game exists, the user has joined it, the team is accepted, and the phase of
     * the game allows the call. Call this after the lookup of the session, which reads the change feed.
     * @throws Problem `game.unknown`, `participation.*`, `game.not-started`, `game.ended`
     */
    async get(call: PhaseCall, gameId: number, userId: string): Promise<Player> {
      const found = await cache.get(`${gameId} ${userId}`, async () => {
        const row = await repository.find(gameId, userId)
        return row && withRights(row)
      })
      if (!found) throw new Problem('game.unknown')
      const { game, participation, team, division } = found
      const refusal = refusePlayerCall(call, participation?.status, gameTimesOf(game), clock.now())
      if (refusal) throw new Problem(refusal)
      if (!participation || !team) throw new Problem('participation.required')
      return { game, participation, team, division }
    },
  }
}

export type PlayerService = ReturnType<typeof createPlayerService>
