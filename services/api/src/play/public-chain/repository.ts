import type { Executor } from '@capstan/db/client'
import { games } from '@capstan/db/schema/games'
import { boardSeals, scoreRecords } from '@capstan/db/schema/records'
import { and, asc, desc, eq, gt, lte, max, sql } from 'drizzle-orm'
import type { ChainRecord } from '../../rules/scoring/public-chain.ts'

/** First key of the PostgreSQL advisory locks on the chains of games. The value is arbitrary. */
const chainLock = 7_305_064

const columns = {
  id: scoreRecords.id,
  kind: scoreRecords.kind,
  key: scoreRecords.key,
  time: sql<number>`floor(extract(epoch from ${scoreRecords.time}) * 1000)::float8`,
  value: scoreRecords.value,
}

type Range = Readonly<{
  /** Number of the last record before the range. */
  after: number
  /** Number of the last record that is read. */
  last: number
}>

export function createChainRepository(db: Executor) {
  return {
    /** Lists the games that have started and have records without a number. Such records may still become public. */
    async listPending(now: Date): Promise<number[]> {
      const rows = await db
        .selectDistinct({ gameId: scoreRecords.gameId })
        .from(scoreRecords)
        .innerJoin(games, eq(games.id, scoreRecords.gameId))
        .where(and(sql`${scoreRecords.sequence} is null`, lte(games.startsAt, now)))
      return rows.map(({ gameId }) => gameId)
    },
    /** @returns false if another transaction extends the chain of the game */
    async tryLock(gameId: number): Promise<boolean> {
      const [row] = await db.execute<{ isLocked: boolean }>(
        sql`select pg_try_advisory_xact_lock(${chainLock}::integer, ${gameId}::integer) as "isLocked"`,
      )
      return row?.isLocked === true
    },
    /** Returns the game, and locks it against deletion until the end of the transaction. */
    async lockGame(gameId: number) {
      const [row] = await db
        .select({
          freeze: games.freezeAt,
          revealed: games.revealedAt,
          publicKey: games.publicKey,
          privateKey: games.privateKey,
        })
        .from(games)
        .where(eq(games.id, gameId))
        .for('key share')
      return row
    },
    /** Opens a database cursor on the score records that have no chain number yet. The records are sorted by id (ADR 58). */
    async openUnnumbered(gameId: number): Promise<void> {
      await db.execute(
        sql.raw(`declare unnumbered no scroll cursor for
          select id::float8 as id, kind, key, floor(extract(epoch from time) * 1000)::float8 as time, value
          from score_records where game_id = ${Number(gameId)} and sequence is null order by score_records.id`),
      )
    },
    async nextUnnumbered(limit: number): Promise<ChainRecord[]> {
      return [...(await db.execute<ChainRecord>(sql.raw(`fetch ${Number(limit)} from unnumbered`)))]
    },
    /** Lists the latest public record of each challenge, and of each database row in `rows`. */
    async listPublicRows(gameId: number, rows: readonly Pick<ChainRecord, 'kind' | 'key'>[]): Promise<ChainRecord[]> {
      const given = JSON.stringify(rows.map(({ kind, key }) => ({ kind, key })))
      const found = await db
        .selectDistinctOn([scoreRecords.kind, scoreRecords.key], columns)
        .from(scoreRecords)
        .where(
          and(
            eq(scoreRecords.gameId, gameId),
            sql`${scoreRecords.sequence} > 0`,
            sql`(${scoreRecords.kind} = 'challenge' or (${scoreRecords.kind}, ${scoreRecords.key}) in (
              select kind, key from json_to_recordset(${given}::json) as asked ("kind" text, "key" text)))`,
          ),
        )
        .orderBy(scoreRecords.kind, scoreRecords.key, desc(scoreRecords.id))
      return found as ChainRecord[]
    },
    /**
     * Lists the ids of all challenges that no unlock rule hides.
     * @param until start of the freeze. If a team unlocks a challenge later, the challenge remains hidden
     */
    async listListed(gameId: number, now: Date, until: Date | undefined): Promise<string[]> {
      const rows = await db.execute<{ id: string }>(sql`
        select challenges.id::text as id from challenges join games on games.id = challenges.game_id
        where games.id = ${gameId} and (
          unlock_rule ->> 'locked' is distinct from 'Hidden' or games.ends_at <= ${now.toISOString()}::timestamptz or exists (
            select from unlocks
            where challenge_id = challenges.id and unlocked_at < ${until?.toISOString() ?? 'infinity'}::timestamptz))`)
      return rows.map(({ id }) => id)
    },
    async number(ids: readonly number[], firstSequence: number): Promise<void> {
      await db.execute(sql`
        update score_records set sequence = ${firstSequence}::integer + given.place - 1
        from (select value::bigint as id, place::integer from json_array_elements_text(${JSON.stringify(ids)}::json)
          with ordinality as list (value, place)) as given
        where score_records.id = given.id`)
    },
    async drop(ids: readonly number[]): Promise<void> {
      await db.execute(sql`
        update score_records set sequence = 0
        where id in (select value::bigint from json_array_elements_text(${JSON.stringify(ids)}::json))`)
    },
    async findLastSeal(gameId: number) {
      const [row] = await db
        .select({ sequence: boardSeals.sequence, hash: boardSeals.hash })
        .from(boardSeals)
        .where(eq(boardSeals.gameId, gameId))
        .orderBy(desc(boardSeals.sequence))
        .limit(1)
      return row
    },
    async insertSeal(row: typeof boardSeals.$inferInsert): Promise<void> {
      await db.insert(boardSeals).values(row)
    },
    async findLastSequence(gameId: number): Promise<number> {
      const [row] = await db
        .select({ last: max(boardSeals.sequence) })
        .from(boardSeals)
        .where(eq(boardSeals.gameId, gameId))
      return row?.last ?? 0
    },
    /** Lists public records by number. */
    async listPublic(gameId: number, { after, last }: Range, limit: number) {
      const rows = await db
        .select({ ...columns, sequence: sql<number>`${scoreRecords.sequence}` })
        .from(scoreRecords)
        .where(
          and(
            eq(scoreRecords.gameId, gameId),
            sql`${scoreRecords.sequence} > 0`,
            gt(scoreRecords.sequence, after),
            lte(scoreRecords.sequence, last),
          ),
        )
        .orderBy(asc(scoreRecords.sequence))
        .limit(limit)
      return rows as (ChainRecord & { readonly sequence: number })[]
    },
    listSeals: (gameId: number, { after, last }: Range) =>
      db
        .select({
          sequence: boardSeals.sequence,
          hash: boardSeals.hash,
          signature: boardSeals.signature,
          sealedAt: boardSeals.sealedAt,
        })
        .from(boardSeals)
        .where(and(eq(boardSeals.gameId, gameId), gt(boardSeals.sequence, after), lte(boardSeals.sequence, last)))
        .orderBy(asc(boardSeals.sequence)),
  }
}
