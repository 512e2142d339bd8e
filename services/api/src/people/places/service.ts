// Places and waiting list of a game that limits the number of teams. Rules:
// docs/contract/games-and-joining.md#limit-and-waiting-list.
import type { Executor } from '@capstan/db/client'
import type { ServerDeps } from '../../server/deps.ts'
import { recordSystemAction } from '../../server/logs/record.ts'
import { createPlaceRepository, type LimitedGame, takingStatuses, type WaitingTeam } from './repository.ts'

export type { LimitedGame } from './repository.ts'

/** Team that was accepted from the waiting list because a place became free. */
export type Admission = Readonly<{
  participationId: number
  team: string
  game: string
}>

/**
 * Takes the lock under which the places of a game with a team limit are assigned and released. The caller must hold a lock on the
 * game, but no lock on a team.
 */
export async function lockPlaces(executor: Executor, { id, teamLimit }: LimitedGame): Promise<void> {
  if (teamLimit !== null) await createPlaceRepository(executor).lock(id)
}

/**
 * Locks all games with a team limit in which the team participates, and then the places of these games. Call this before locking
 * the team.
 */
export async function lockPlacesOfTeam(executor: Executor, teamId: number): Promise<LimitedGame[]> {
  const games = await createPlaceRepository(executor).shareGamesOf(teamId)
  for (const game of games) await lockPlaces(executor, game)
  return games
}

/** Locks accepted teams against changes of their members, and assigns all enabled challenges to these teams. */
export async function admitTeams(executor: Executor, entering: readonly Pick<WaitingTeam, 'id' | 'teamId'>[]): Promise<void> {
  const repository = createPlaceRepository(executor)
  await repository.lockTeamMembership(entering.map(({ teamId }) => teamId))
  await repository.createAssignments(entering.map(({ id }) => id))
}

/** Accepts the first waiting teams until the game has no free place. The caller must hold the lock on the game or on its places. */
export async function acceptWaitingTeams(executor: Executor, game: LimitedGame): Promise<Admission[]> {
  const repository = createPlaceRepository(executor)
  const admissions: Admission[] = []
  for (;;) {
    const free = game.teamLimit === null ? undefined : game.teamLimit - (await repository.countTaken(game.id))
    if (free !== undefined && free <= 0) return admissions
    const first = await repository.listWaiting(game.id, free)
    if (first.length === 0) return admissions
    await repository.lockTeams(first.map(({ teamId }) => teamId))
    // A waiting team that left before the lock is not accepted. The next round then looks for other teams.
    const accepted = new Set(
      await repository.accept(
        game.id,
        first.map(({ id }) => id),
      ),
    )
    const entering = first.filter(({ id }) => accepted.has(id))
    if (entering.length > 0) await admitTeams(executor, entering)
    admissions.push(...entering.map(({ id, team }) => ({ participationId: id, team, game: game.title })))
  }
}

/** Logs the teams that were accepted from the waiting list. Call this after the commit. */
export function logAdmissions({ platformLog }: Pick<ServerDeps, 'platformLog'>, admissions: readonly Admission[]): void {
  for (const { team, game } of admissions) {
    const message = `Accepted team "${team}" from the waiting list of "${game}"`
    recordSystemAction(platformLog, { level: 'Information', message, status: 'Success' })
  }
}

/** Returns the number of free places. @returns null if the game has no limit */
export async function countFreePlaces(executor: Executor, { id, teamLimit }: LimitedGame): Promise<number | null> {
  return teamLimit === null ? null : Math.max(0, teamLimit - (await createPlaceRepository(executor).countTaken(id)))
}

/**
 * Counts the accepted and suspended teams and the free places that a game had right before an instant. Teams with other statuses
 * have no records. `freePlaces` is null if the game has no limit.
 */
export async function countTeamsBeforeInstant(
  executor: Executor,
  { id, teamLimit }: LimitedGame,
  instant: Date,
): Promise<Readonly<{ teamCount: number; freePlaces: number | null }>> {
  const statuses = await createPlaceRepository(executor).listTeamStatusesBefore(id, instant)
  const taken = statuses.filter((status) => takingStatuses.some((taking) => taking === status)).length
  return { teamCount: taken, freePlaces: teamLimit === null ? null : Math.max(0, teamLimit - taken) }
}

/** Returns the positions of teams on the waiting list, as a map from participation id to position. The first position is 1. */
export async function readWaitingListPositions(executor: Executor, gameId: number): Promise<Map<number, number>> {
  const waiting = await createPlaceRepository(executor).listWaiting(gameId)
  return new Map(waiting.map(({ id }, index) => [id, index + 1]))
}
