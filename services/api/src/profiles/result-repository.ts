import type { Executor } from '@capstan/db/client'
import { finalBoards, finalStandings, games, scoreboardVersions } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, desc, eq, inArray, lt, sql } from 'drizzle-orm'

export type FinalStanding = Omit<typeof finalStandings.$inferInsert, 'gameId'>

const version = sql<number>`coalesce(${scoreboardVersions.version}, 0)`.mapWith(Number)

export const resultRepository = (db: Executor) => ({
  /** Games that are over and whose standings are not kept, or not those of the present version of their board. */
  listOpen: (now: Date, limit: number): Promise<{ id: number; version: number }[]> =>
    db
      .select({ id: games.id, version })
      .from(games)
      .leftJoin(scoreboardVersions, eq(scoreboardVersions.gameId, games.id))
      .leftJoin(finalBoards, eq(finalBoards.gameId, games.id))
      .where(and(lt(games.endsAt, now), eq(games.hidden, false), sql`${finalBoards.version} is distinct from ${version}`))
      .orderBy(desc(games.endsAt), desc(games.id))
      .limit(limit),
  /** Locks what is kept of a game until the transaction ends. @returns false: somebody keeps this version or a later one already */
  async claim(gameId: number, boardVersion: number): Promise<boolean> {
    const rows = await db.execute(sql`
      insert into ${finalBoards} (game_id, version)
      select ${games.id}, ${boardVersion} from ${games} where ${games.id} = ${gameId}
      on conflict (game_id) do update set version = excluded.version where ${finalBoards.version} < excluded.version
      returning game_id`)
    return rows.length > 0
  },
  /** Keeps teams from being deleted until the transaction ends, in a fixed order. @returns those that are still there */
  async holdTeams(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await db
      .select({ id: teams.id })
      .from(teams)
      .where(inArray(teams.id, [...ids]))
      .orderBy(asc(teams.id))
      .for('key share')
    return new Set(rows.map(({ id }) => id))
  },
  async clear(gameId: number): Promise<void> {
    await db.delete(finalStandings).where(eq(finalStandings.gameId, gameId))
  },
  async insert(gameId: number, standings: readonly FinalStanding[]): Promise<void> {
    await db.insert(finalStandings).values(standings.map((standing) => ({ gameId, ...standing })))
  },
})
