import type { EventType } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import type { CheatFilter, EventFilter, SubmissionFilter } from '@capstan/contract/monitor'
import type { EventKind } from '@capstan/contract/vocabulary'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges, cheats, submissions } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { events } from '@capstan/db/schema/news'
import { teams } from '@capstan/db/schema/teams'
import { and, count, desc, eq, gte, ilike, inArray, lte, ne, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { splitSearchWords, toSqlContainsPattern } from '../../server/http/search-pattern.ts'
import { isEventVisible } from './repository.ts'
import { createMonitorListRepository, owner, type Page, submitter } from './shown-repository.ts'

export type Paged<Filter> = Filter & Page

const containerEvents = ['ContainerStart', 'ContainerDestroy'] as const

const typesOfKind: Readonly<Record<EventKind, readonly EventType[]>> = {
  flags: ['FlagSubmit'],
  cheats: ['CheatDetected'],
  instances: containerEvents,
  other: ['Normal'],
}

/**
 * Maximum number of ids that the main query lists. A search by name finds these ids. If the search finds more ids, the main query
 * contains the search as a subquery.
 */
const maxListedIds = 1_000

/**
 * Returns a sort order with the newest rows first. If the rows have an upper time bound, PostgreSQL must not scan the index
 * backward through all newer rows. A sum as the sort key prevents this scan.
 */
function newestFirst(id: PgColumn, until: string | undefined) {
  return until === undefined ? desc(id) : sql`${id} + 0 desc`
}

function inTime(column: PgColumn, from: string | undefined, until: string | undefined) {
  return and(
    from === undefined ? undefined : gte(column, new Date(from)),
    until === undefined ? undefined : lte(column, new Date(until)),
  )
}

/**
 * Lists filtered rows of a game, newest first. Names are searched first in the small tables of teams, users and challenges. The
 * large tables are then scanned only once.
 */
export function createFeedRepository(db: Executor) {
  const shown = createMonitorListRepository(db)
  const teamsNamed = (gameId: number, word: string) =>
    db
      .select({ id: participations.teamId })
      .from(participations)
      .innerJoin(teams, eq(teams.id, participations.teamId))
      .where(and(eq(participations.gameId, gameId), ilike(teams.name, toSqlContainsPattern(word))))
  const usersNamed = (word: string) =>
    db
      .select({ id: users.id })
      .from(users)
      .where(ilike(users.userName, toSqlContainsPattern(word)))
  const challengesNamed = (gameId: number, word: string) =>
    db
      .select({ id: challenges.id })
      .from(challenges)
      .where(and(eq(challenges.gameId, gameId), ilike(challenges.title, toSqlContainsPattern(word))))

  /**
   * Returns a condition that is true if the column contains the id of a row that `search` finds.
   * @returns undefined if `search` finds no row, because a condition that is always false would prevent a parallel scan of the
   * large table
   */
  const isAmong = async <Id extends number | string>(
    column: PgColumn,
    search: () => { limit(count: number): PromiseLike<{ id: Id }[]> } & SQLWrapper,
  ): Promise<SQL | undefined> => {
    const ids = (await search().limit(maxListedIds + 1)).map(({ id }) => id)
    if (ids.length === 0) return undefined
    return inArray(column, ids.length > maxListedIds ? search() : ids)
  }

  /**
   * Returns a condition that is true if every word of the search matches. A word matches if one of its conditions is true.
   * @param partsOf returns the conditions for a word
   */
  const hasWords = async (hint: string | undefined, partsOf: (word: string) => readonly (SQL | Promise<SQL | undefined>)[]) => {
    const conditions: (SQL | undefined)[] = []
    // Process one word after the other. Otherwise a search with many words would use most connections of the process.
    for (const word of splitSearchWords(hint ?? '')) conditions.push(or(...(await Promise.all(partsOf(word)))))
    return and(...conditions)
  }

  const submissionCondition = async (gameId: number, { hint, type, team, challenge, from, until }: SubmissionFilter) =>
    and(
      eq(submissions.gameId, gameId),
      type === undefined ? undefined : eq(submissions.status, type),
      // The status is a literal, so that PostgreSQL can use the partial index on all statuses other than WrongAnswer.
      type === undefined || type === 'WrongAnswer' ? undefined : ne(submissions.status, sql`'WrongAnswer'`),
      team === undefined ? undefined : eq(submissions.teamId, team),
      challenge === undefined ? undefined : eq(submissions.challengeId, challenge),
      inTime(submissions.submittedAt, from, until),
      await hasWords(hint, (word) => [
        ilike(submissions.answer, toSqlContainsPattern(word)),
        isAmong(submissions.teamId, () => teamsNamed(gameId, word)),
        isAmong(submissions.challengeId, () => challengesNamed(gameId, word)),
        isAmong(submissions.userId, () => usersNamed(word)),
      ]),
    )

  const isOfChallenge = (ids: readonly number[]) => {
    const texts = ids.map(String)
    const submitted = db.select({ id: submissions.id }).from(submissions).where(inArray(submissions.challengeId, ids))
    return or(
      and(eq(events.type, 'FlagSubmit'), inArray(sql`${events.values}[4]`, texts)),
      and(inArray(events.type, containerEvents), inArray(sql`${events.values}[1]`, texts)),
      and(eq(events.type, 'Normal'), inArray(sql`${events.values}[2]`, texts)),
      inArray(events.submissionId, submitted),
    )
  }

  /**
   * Returns a condition that is true if the event is about a challenge with this name, or about the flag of a team with this
   * name.
   */
  const concernsNamed = async (gameId: number, word: string) => {
    const named = await challengesNamed(gameId, word)
    const owned = db
      .select({ id: cheats.submissionId })
      .from(cheats)
      .innerJoin(owner, eq(owner.id, cheats.ownerId))
      .where(and(eq(cheats.gameId, gameId), inArray(owner.teamId, teamsNamed(gameId, word))))
    return or(
      named.length === 0 ? undefined : isOfChallenge(named.map(({ id }) => id)),
      await isAmong(events.submissionId, () => owned),
    )
  }

  const eventCondition = async (gameId: number, { hint, kind, hideContainer, team, challenge, from, until }: EventFilter) => {
    const types = kind === undefined ? undefined : typesOfKind[kind]
    return and(
      eq(events.gameId, gameId),
      types && inArray(events.type, types),
      // The type is a literal, so that PostgreSQL can use the partial index on all types other than FlagSubmit.
      types === undefined || kind === 'flags' ? undefined : ne(events.type, sql`'FlagSubmit'`),
      hideContainer ? sql`${events.type} not in ${containerEvents}` : undefined,
      team === undefined ? undefined : eq(events.teamId, team),
      challenge === undefined ? undefined : isOfChallenge([challenge]),
      isEventVisible(db),
      inTime(events.occurredAt, from, until),
      await hasWords(hint, (word) => [
        ilike(sql`array_to_string(${events.values}, E'\\n')`, toSqlContainsPattern(word)),
        isAmong(events.teamId, () => teamsNamed(gameId, word)),
        isAmong(events.userId, () => usersNamed(word)),
        concernsNamed(gameId, word),
      ]),
    )
  }

  const cheatCondition = async (gameId: number, { hint, team, challenge, from, until }: CheatFilter) =>
    and(
      eq(cheats.gameId, gameId),
      team === undefined ? undefined : or(eq(submitter.teamId, team), eq(owner.teamId, team)),
      challenge === undefined ? undefined : eq(submissions.challengeId, challenge),
      inTime(submissions.submittedAt, from, until),
      await hasWords(hint, (word) => [
        ilike(submissions.answer, toSqlContainsPattern(word)),
        isAmong(submitter.teamId, () => teamsNamed(gameId, word)),
        isAmong(owner.teamId, () => teamsNamed(gameId, word)),
        isAmong(submissions.challengeId, () => challengesNamed(gameId, word)),
        isAmong(submissions.userId, () => usersNamed(word)),
      ]),
    )

  /**
   * Counts the rows of all pages, up to a maximum. On the last page, the total follows from the number of rows on the page, so no
   * query is needed.
   * @param shown the number of rows on the page
   */
  const countAll = async (
    table: PgTable,
    condition: SQL | undefined,
    { count: size, skip }: Page,
    shown: number,
  ): Promise<number> => {
    if (shown < size && (shown > 0 || skip === 0)) return skip + shown
    const counted = db
      .select({ one: sql`1`.as('one') })
      .from(table)
      .where(condition)
      .limit(Math.max(Limits.maxCountedEntries, skip + size) + 1)
      .as('counted')
    const [row] = await db.select({ total: count() }).from(counted)
    return row?.total ?? 0
  }

  return {
    async findSubmissions(gameId: number, filter: Paged<SubmissionFilter>) {
      const condition = await submissionCondition(gameId, filter)
      const rows = await shown.listSubmissions({ ...filter, condition, order: newestFirst(submissions.id, filter.until) })
      return { rows, total: await countAll(submissions, condition, filter, rows.length) }
    },

    async findEvents(gameId: number, filter: Paged<EventFilter>) {
      const condition = await eventCondition(gameId, filter)
      const rows = await shown.listEvents({ ...filter, condition, order: newestFirst(events.id, filter.until) })
      return { rows, total: await countAll(events, condition, filter, rows.length) }
    },

    /** Lists pairs of teams with their newest cheat records, sorted by the number of matching submissions. */
    async findCheatPairs(gameId: number, filter: Paged<CheatFilter>) {
      const matching = db
        .select({
          id: cheats.id,
          low: sql<number>`least(${submitter.teamId}, ${owner.teamId})`.as('low'),
          high: sql<number>`greatest(${submitter.teamId}, ${owner.teamId})`.as('high'),
          isUp: sql<boolean>`${submitter.teamId} < ${owner.teamId}`.as('is_up'),
        })
        .from(cheats)
        .innerJoin(submissions, eq(submissions.id, cheats.submissionId))
        .innerJoin(submitter, eq(submitter.id, cheats.submitterId))
        .innerJoin(owner, eq(owner.id, cheats.ownerId))
        .where(await cheatCondition(gameId, filter))
        .as('matching')
      const pairs = await db
        .select({
          low: matching.low,
          high: matching.high,
          count: count(),
          isMutual: sql<boolean>`bool_or(is_up) and not bool_and(is_up)`,
          newestIds: sql<
            number[]
          >`to_json((array_agg(${matching.id} order by ${matching.id} desc))[1:${Limits.cheatsPerTeam}::integer])`,
          pairs: sql<number>`count(*) over ()`.mapWith(Number),
        })
        .from(matching)
        .groupBy(matching.low, matching.high)
        .orderBy(desc(count()), desc(sql`max(${matching.id})`))
        .limit(filter.count)
        .offset(filter.skip)
      const ids = pairs.flatMap(({ newestIds }) => newestIds)
      const records = await shown.listCheats(inArray(cheats.id, ids))
      const byId = new Map(records.map((record) => [record.id, record]))
      return {
        total: pairs[0]?.pairs ?? 0,
        rows: pairs.map(({ newestIds, isMutual, count: total }) => ({
          ...{ isMutual, count: total },
          records: newestIds.flatMap((id) => byId.get(id) ?? []),
        })),
      }
    },

    listTeams: (gameId: number) =>
      db
        .select({ id: teams.id, name: teams.name, status: participations.status })
        .from(participations)
        .innerJoin(teams, eq(teams.id, participations.teamId))
        .where(eq(participations.gameId, gameId))
        .orderBy(sql`lower(${teams.name})`, teams.id),
  }
}

export type CheatPairRow = Awaited<ReturnType<ReturnType<typeof createFeedRepository>['findCheatPairs']>>['rows'][number]
