import type { Executor } from '@capstan/db/client'
import { solves } from '@capstan/db/schema/challenges'
import { games, scoreboardVersions } from '@capstan/db/schema/games'
import { and, eq, gt, gte, inArray, lte, sql } from 'drizzle-orm'

const versionColumn = sql<number>`coalesce(${scoreboardVersions.version}, 0)`.mapWith(Number)

export const scoreboardRepository = (db: Executor) => ({
  /** @param unlessOverBy absent: whether the game is over or not */
  async bump(gameId: number, unlessOverBy?: Date): Promise<void> {
    // Selects from games, so that a game deleted meanwhile is no foreign key violation.
    const isMeant = and(eq(games.id, gameId), unlessOverBy && gte(games.endsAt, unlessOverBy))
    await db.execute(sql`
      insert into ${scoreboardVersions} (game_id, version)
      select ${games.id}, 1 from ${games} where ${isMeant}
      on conflict (game_id) do update set version = ${scoreboardVersions.version} + 1`)
  },
  /** Version by game; deleted games are missing. */
  async listVersions(gameIds: readonly number[]): Promise<Map<number, number>> {
    const rows = await db
      .select({ id: games.id, version: versionColumn })
      .from(games)
      .leftJoin(scoreboardVersions, eq(scoreboardVersions.gameId, games.id))
      .where(inArray(games.id, [...gameIds]))
    return new Map(rows.map(({ id, version }) => [id, version]))
  },
  async listGamesOf(userIds: readonly string[]): Promise<number[]> {
    const rows = await db
      .selectDistinct({ gameId: solves.gameId })
      .from(solves)
      .where(inArray(solves.userId, [...userIds]))
    return rows.map(({ gameId }) => gameId)
  },
  async listStarting(after: Date, until: Date): Promise<number[]> {
    const rows = await db
      .select({ id: games.id })
      .from(games)
      .where(and(gt(games.startsAt, after), lte(games.startsAt, until)))
    return rows.map(({ id }) => id)
  },
})
