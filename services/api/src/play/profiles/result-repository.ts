import type { Executor } from '@capstan/db/client'
import { changes } from '@capstan/db/schema/changes'
import { finalBoards, finalStandings, games } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { and, asc, desc, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm'

export type FinalStanding = Omit<typeof finalStandings.$inferInsert, 'gameId'>

/**
 * SQL for the position in the change feed after all transactions so far. After a restore from another database, stored positions
 * may be higher than this position.
 */
const horizon = sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`

/**
 * SQL for a table that contains, for each game, the number of the last transaction that may have changed the order of teams on
 * the board. The migration `boards_in_the_change_feed` describes the keys of the feed.
 */
const moves = sql`(
  select split_part(${changes.key}, ' ', 2)::integer as game_id, max(${changes.transaction}::text::bigint) as position
  from ${changes} where starts_with(${changes.key}, 'board ') and split_part(${changes.key}, ' ', 4) = ''
  group by 1) as moves`

/** SQL condition on a row of `games`. It is true if an earlier version of the platform stored the standings, without first bloods. */
const lacksFirstBloods = sql`exists (
  select 1 from (select ${finalStandings.firstBloods} from ${finalStandings} where ${finalStandings.gameId} = ${games.id} limit 1) as stored
  where stored.first_bloods is null)`

function isOver(now: Date) {
  return and(lt(games.endsAt, now), eq(games.hidden, false))
}

export function createFinalStandingRepository(db: Executor) {
  return {
    /** Lists the given games that have finished, latest first. */
    async listOver(gameIds: readonly number[], now: Date): Promise<number[]> {
      const rows = await db
        .select({ id: games.id })
        .from(games)
        .where(and(isOver(now), inArray(games.id, [...gameIds])))
        .orderBy(desc(games.endsAt), desc(games.id))
      return rows.map(({ id }) => id)
    },
    /** Lists finished games whose standings are missing or outdated, latest first. */
    async listOutdated(now: Date): Promise<number[]> {
      const rows = await db
        .select({ id: games.id })
        .from(games)
        .leftJoin(finalBoards, eq(finalBoards.gameId, games.id))
        .leftJoin(moves, sql`moves.game_id = ${games.id}`)
        .where(
          and(
            isOver(now),
            or(
              isNull(finalBoards.version),
              lacksFirstBloods,
              sql`moves.position >= ${finalBoards.version}`,
              sql`${finalBoards.version} > ${horizon}`,
            ),
          ),
        )
        .orderBy(desc(games.endsAt), desc(games.id))
      return rows.map(({ id }) => id)
    },
    /**
     * Locks the stored standings of a game until the transaction ends.
     * @returns false if the stored standings belong to a later board
     */
    async claim(gameId: number, position: number): Promise<boolean> {
      const rows = await db.execute(sql`
      insert into ${finalBoards} (game_id, version)
      select ${games.id}, ${position} from ${games} where ${games.id} = ${gameId}
      on conflict (game_id) do update set version = excluded.version
      where ${finalBoards.version} <= excluded.version or ${finalBoards.version} > ${horizon}
      returning game_id`)
      return rows.length > 0
    },
    /**
     * Locks teams against deletion until the transaction ends. Takes the locks in a fixed order.
     * @returns the teams that exist
     */
    async lockTeams(ids: readonly number[]): Promise<ReadonlySet<number>> {
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
  }
}
