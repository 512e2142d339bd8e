import { and, desc, eq, gt, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Executor } from './client.ts'
import { games, participations } from './schema/games.ts'
import { scoreRecords } from './schema/records.ts'

/**
 * Returns an SQL condition that is true if the board of a row of `games` is frozen. The condition has the same rules as
 * `isFrozen` of the contract.
 */
export function isFrozenInSql(now: Date): SQL<boolean> {
  const frozen = and(lte(games.freezeAt, now), or(isNull(games.revealedAt), gt(games.revealedAt, now)))
  return sql<boolean>`coalesce(${frozen}, false)`
}

/**
 * Returns an SQL expression for the status of a participation right before an instant. The status is null if the team was not in
 * the game at that time.
 */
export function sqlOfStatusBefore(instant: Date | typeof games.freezeAt): SQL<string | null> {
  const isEarlier = lt(scoreRecords.time, instant)
  return sql<string | null>`(select ${scoreRecords.value} ->> 'status' from ${scoreRecords}
    where ${scoreRecords.gameId} = ${participations.gameId} and ${scoreRecords.kind} = 'participation'
      and ${scoreRecords.key} = ${participations.id}::text and ${isEarlier}
    order by ${scoreRecords.id} desc limit 1)`
}

/**
 * Returns an SQL expression for the participation status that players may know. While the board is frozen, players may know only
 * the status before the freeze.
 */
export function sqlOfKnownStatus(now: Date): SQL<string | null> {
  return sql<
    string | null
  >`case when ${isFrozenInSql(now)} then ${sqlOfStatusBefore(games.freezeAt)} else ${participations.status} end`
}

/**
 * Returns an SQL condition on a row of `games` and a row of `participations`. It is true if the game's board is frozen and lists
 * the team.
 */
export function isOnFrozenBoard(now: Date): SQL<boolean> {
  return sql<boolean>`(${isFrozenInSql(now)} and coalesce(${sqlOfStatusBefore(games.freezeAt)} = 'Accepted', false))`
}

/**
 * Returns the status of each team in a game right before an instant. The list omits teams that were not in the game at that time.
 */
export async function listTeamStatusesBefore(db: Executor, gameId: number, instant: Date): Promise<string[]> {
  const last = db
    .selectDistinctOn([scoreRecords.key], { status: sql<string | null>`${scoreRecords.value} ->> 'status'`.as('status') })
    .from(scoreRecords)
    .where(and(eq(scoreRecords.gameId, gameId), eq(scoreRecords.kind, 'participation'), lt(scoreRecords.time, instant)))
    .orderBy(scoreRecords.key, desc(scoreRecords.id))
    .as('last')
  const rows = await db.select({ status: last.status }).from(last)
  return rows.flatMap(({ status }) => status ?? [])
}
