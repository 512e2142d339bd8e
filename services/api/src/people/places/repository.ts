import type { Executor } from '@capstan/db/client'
import { listTeamStatusesBefore } from '@capstan/db/known-status'
import { assignments, challenges } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, count, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'

/** First half of the advisory lock key that protects the team limit of a game. Any fixed value works. */
const placesLock = 7_305_031

/** Statuses of participations that take a place. A suspended team retains its place, because it may be readmitted. */
export const takingStatuses = ['Accepted', 'Suspended'] as const

export type WaitingTeam = Readonly<{
  id: number
  teamId: number
  team: string
}>

export type LimitedGame = Readonly<{
  id: number
  title: string
  teamLimit: number | null
}>

function isWaiting(gameId: number): SQL | undefined {
  return and(eq(participations.gameId, gameId), eq(participations.status, 'Pending'), eq(participations.isWaiting, true))
}

export function createPlaceRepository(db: Executor) {
  return {
    /** Locks the team limit of a game, so that transactions accept and remove teams one after another. */
    async lock(gameId: number): Promise<void> {
      await db.execute(sql`select pg_advisory_xact_lock(${placesLock}::integer, ${gameId}::integer)`)
    },
    /** Share-locks all games that the team has joined and that limit the number of teams. The order by id prevents deadlocks. */
    shareGamesOf: (teamId: number): Promise<LimitedGame[]> =>
      db
        .select({ id: games.id, title: games.title, teamLimit: games.teamLimit })
        .from(games)
        .innerJoin(participations, eq(participations.gameId, games.id))
        .where(and(eq(participations.teamId, teamId), isNotNull(games.teamLimit)))
        .orderBy(asc(games.id))
        .for('share', { of: games }),
    async countTaken(gameId: number): Promise<number> {
      const [row] = await db
        .select({ total: count() })
        .from(participations)
        .where(and(eq(participations.gameId, gameId), inArray(participations.status, [...takingStatuses])))
      return row?.total ?? 0
    },
    listTeamStatusesBefore: (gameId: number, instant: Date) => listTeamStatusesBefore(db, gameId, instant),
    /** Lists waiting teams in the order of their registration. @param limit maximum number of teams; undefined for all teams */
    listWaiting(gameId: number, limit?: number): Promise<WaitingTeam[]> {
      const all = db
        .select({ id: participations.id, teamId: participations.teamId, team: teams.name })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(isWaiting(gameId))
        .orderBy(asc(participations.registeredAt), asc(participations.id))
      return limit === undefined ? all : all.limit(limit)
    },
    /** Row-locks teams. The order by id prevents deadlocks. */
    async lockTeams(ids: readonly number[]): Promise<void> {
      await db
        .select({ id: teams.id })
        .from(teams)
        .where(inArray(teams.id, [...ids]))
        .orderBy(asc(teams.id))
        .for('no key update')
    },
    /** Accepts the given teams that are still waiting. @returns ids of their participations */
    async accept(gameId: number, ids: readonly number[]): Promise<number[]> {
      const rows = await db
        .update(participations)
        .set({ status: 'Accepted', isWaiting: false })
        .where(and(isWaiting(gameId), inArray(participations.id, [...ids])))
        .returning({ id: participations.id })
      return rows.map(({ id }) => id)
    },
    async lockTeamMembership(teamIds: readonly number[]): Promise<void> {
      await db
        .update(teams)
        .set({ locked: true })
        .where(inArray(teams.id, [...teamIds]))
    },
    /** Assigns all enabled challenges of the game to the participations. Existing assignments remain. */
    async createAssignments(participationIds: readonly number[]): Promise<void> {
      await db.execute(sql`
      insert into ${assignments} (participation_id, challenge_id)
      select ${participations.id}, ${challenges.id} from ${participations}
      inner join ${challenges} on ${challenges.gameId} = ${participations.gameId}
      where ${inArray(participations.id, [...participationIds])} and ${challenges.isEnabled}
      on conflict do nothing`)
    },
  }
}
