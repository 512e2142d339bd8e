import type { BloodType } from '@capstan/contract/vocabulary'
import type { Executor } from '@capstan/db/client'
import { games, participationMembers, participations, scoreboardVersions } from '@capstan/db/schema/games'
import { assignments, challenges, cheats, events, flags, notices, solves, submissions } from '@capstan/db/schema/index'
import { teams } from '@capstan/db/schema/teams'
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { JudgedStatus } from '../flags/judge.ts'

/** Another team's flag that equals the answer. */
export interface Rival {
  readonly participationId: number
  readonly flag: string
  readonly teamName: string
}

/** Everything that one submission brings, ready to be stored. */
export interface SubmissionRecord {
  readonly gameId: number
  readonly challengeId: number
  readonly participationId: number
  readonly teamId: number
  readonly userId: string
  readonly answer: string
  readonly status: JudgedStatus
  readonly submittedAt: Date
  /** No two submissions have the same. */
  readonly attempt: string
  readonly isSolve: boolean
  readonly cheatOwnerId: number | undefined
  readonly events: readonly { readonly type: 'FlagSubmit' | 'CheatDetected'; readonly values: readonly string[] }[]
  readonly notice: { readonly type: BloodType; readonly values: readonly string[] } | undefined
}

const given = sql.placeholder('given')
/** Place of a question among those asked together. */
const position = sql<number>`position`

/** Who submits what to which challenge. */
export interface SubmissionKey {
  readonly gameId: number
  readonly challengeId: number
  readonly userId: string
  readonly answer: string
}

/** The busiest call of a running game: the statement is made once, and shared by the submissions of one moment. */
const prepareContexts = (db: Executor) => {
  const asked = db
    .$with('asked', {
      position: position.as('position'),
      gameId: sql<number>`"gameId"`.as('gameId'),
      challengeId: sql<number>`"challengeId"`.as('challengeId'),
      userId: sql<string>`"userId"`.as('userId'),
      answer: sql<string>`answer`.as('answer'),
    })
    .as(
      sql`select * from json_to_recordset(${given}::json)
        as asked ("position" integer, "gameId" integer, "challengeId" integer, "userId" uuid, "answer" text)`,
    )
  return db
    .with(asked)
    .select({
      position: asked.position,
      game: {
        id: games.id,
        startsAt: games.startsAt,
        endsAt: games.endsAt,
        practiceMode: games.practiceMode,
        writeupDeadline: games.writeupDeadline,
      },
      participation: { id: participations.id, status: participations.status },
      team: { id: teams.id, name: teams.name },
      challenge: { id: challenges.id, title: challenges.title, type: challenges.type },
      assignment: { id: assignments.id, flag: assignments.flag },
      solvedAt:
        sql`(select ${solves.solvedAt} from ${solves} where ${solves.challengeId} = ${challenges.id} and ${solves.participationId} = ${participations.id})`.mapWith(
          solves.solvedAt,
        ) as SQL<Date | null>,
      flags: sql<
        string[]
      >`(select coalesce(json_agg(${flags.flag}), '[]') from ${flags} where ${flags.challengeId} = ${challenges.id} and ${challenges.type} like 'Static%')`,
      rivals: sql<Rival[] | null>`(
        select json_agg(json_build_object('participationId', rival.participation_id, 'flag', rival.flag, 'teamName', rival_team.name))
        from assignments rival
        join participations rival_participation on rival_participation.id = rival.participation_id
        join teams rival_team on rival_team.id = rival_participation.team_id
        where rival.challenge_id = ${challenges.id} and ${challenges.type} like 'Dynamic%'
          and rival.flag = ${asked.answer} and rival.participation_id <> ${participations.id})`,
    })
    .from(asked)
    .innerJoin(games, eq(games.id, asked.gameId))
    .leftJoin(participationMembers, and(eq(participationMembers.gameId, games.id), eq(participationMembers.userId, asked.userId)))
    .leftJoin(participations, eq(participations.id, participationMembers.participationId))
    .leftJoin(teams, eq(teams.id, participations.teamId))
    .leftJoin(
      challenges,
      and(eq(challenges.gameId, games.id), eq(challenges.id, asked.challengeId), eq(challenges.isEnabled, true)),
    )
    .leftJoin(assignments, and(eq(assignments.challengeId, challenges.id), eq(assignments.participationId, participations.id)))
    .prepare('find_submission_contexts')
}

export type SubmissionContext = Awaited<ReturnType<ReturnType<typeof prepareContexts>['execute']>>[number]

/**
 * What judged submissions bring, in one statement: the submissions, their events and cheats, and of solves the counts, notices
 * and the announcement of the changed scoreboard. Ids follow the order of the records.
 */
const prepareStore = (db: Executor) => {
  const record = db
    .$with('record', {
      position: position.as('position'),
      id: sql<number>`id`.as('id'),
      noticeId: sql<number | null>`"noticeId"`.as('noticeId'),
    })
    .as(
      sql`select given.*, nextval(pg_get_serial_sequence('submissions', 'id'))::integer as id,
          case when notice is not null then nextval(pg_get_serial_sequence('notices', 'id'))::integer end as "noticeId"
        from json_to_recordset(${given}::json) as given (
          "position" integer, "gameId" integer, "challengeId" integer, "participationId" integer, "teamId" integer, "userId" uuid,
          "answer" text, "status" text, "submittedAt" timestamptz, "attempt" uuid, "isSolve" boolean, "cheatOwnerId" integer, "events" json,
          "notice" json)`,
    )
  const texts = (of: string) => sql`array(select json_array_elements_text(${sql.identifier(of)} -> 'values'))`
  const part = (name: string, statement: SQL) => db.$with(name, {}).as(statement)
  return db
    .with(
      record,
      part(
        'submission',
        sql`insert into ${submissions} (id, game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at, attempt)
          overriding system value
          select id, "gameId", "challengeId", "participationId", "teamId", "userId", answer, status, "submittedAt", attempt
          from record`,
      ),
      part(
        'event',
        sql`insert into ${events} (game_id, type, values, occurred_at, user_id, team_id)
          select "gameId", event ->> 'type', ${texts('event')}, "submittedAt", "userId", "teamId"
          from record cross join json_array_elements(events) as event`,
      ),
      part(
        'cheat',
        sql`insert into ${cheats} (game_id, submission_id, submitter_id, owner_id)
          select "gameId", id, "participationId", "cheatOwnerId" from record where "cheatOwnerId" is not null`,
      ),
      part(
        'solve',
        sql`insert into ${solves} (game_id, challenge_id, participation_id, submission_id, user_id, solved_at)
          select "gameId", "challengeId", "participationId", id, "userId", "submittedAt" from record where "isSolve"`,
      ),
      part(
        'counted',
        sql`update ${challenges} set accepted_count = accepted_count + solved.count
          from (select "challengeId", count(*) from record where "isSolve" group by "challengeId") solved
          where challenges.id = solved."challengeId"`,
      ),
      part(
        'announced',
        sql`insert into ${scoreboardVersions} (game_id, version)
          select distinct "gameId", 1 from record where "isSolve"
          on conflict (game_id) do update set version = ${scoreboardVersions.version} + 1`,
      ),
      part(
        'published',
        sql`insert into ${notices} (id, game_id, type, values, published_at)
          overriding system value
          select "noticeId", "gameId", notice ->> 'type', ${texts('notice')}, "submittedAt" from record where notice is not null`,
      ),
    )
    .select({ position: record.position, id: record.id, noticeId: record.noticeId })
    .from(record)
    .prepare('store_submissions')
}

/** The list as one parameter, so that the statement is the same for any length. */
const isIn = (column: PgColumn, ids: readonly number[]): SQL =>
  sql`${column} in (select json_array_elements_text(${JSON.stringify(ids)}::json)::integer)`

const atPositions = (questions: readonly object[]): string =>
  JSON.stringify(questions.map((question, index) => ({ position: index, ...question })))

/** Answers in the order of the questions; undefined where there is none. */
const inOrder = <Row extends { position: number }>(questions: readonly unknown[], rows: readonly Row[]) => {
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  return questions.map((_, index) => byPosition.get(index))
}

export interface StoredSubmission {
  readonly id: number
  /** Of the notice of a blood. */
  readonly noticeId: number | null
}

const stored = (row: StoredSubmission | undefined): StoredSubmission => {
  if (!row) throw new Error('Storing a submission returned no row')
  return { id: row.id, noticeId: row.noticeId }
}

/** What the solves of a challenge that are stored mean for the next one. */
export interface SolvesBefore {
  /** Solves of accepted participations. */
  readonly counted: number
  readonly lastAt: Date | null
  /** Participations that have solved it, of those asked for. */
  readonly solvers: readonly number[]
}

const none: SolvesBefore = { counted: 0, lastAt: null, solvers: [] }

export const submissionRepository = (db: Executor) => {
  let contexts: ReturnType<typeof prepareContexts> | undefined
  let store: ReturnType<typeof prepareStore> | undefined
  return {
    /** Game, player, challenge and what judging needs, in the order of the keys; undefined where there is no such game. */
    async findContexts(keys: readonly SubmissionKey[]): Promise<(SubmissionContext | undefined)[]> {
      contexts ??= prepareContexts(db)
      return inOrder(keys, await contexts.execute({ given: atPositions(keys) }))
    },

    /** Row-locks the challenges: solves of one follow each other, and with them the bloods. */
    async lockChallenges(ids: readonly number[]): Promise<void> {
      await db
        .select({ id: challenges.id })
        .from(challenges)
        .where(isIn(challenges.id, ids))
        .orderBy(challenges.id)
        .for('no key update')
        .prepare('lock_challenges')
        .execute()
    },

    /** By challenge; a statement after the lock, so that it sees all earlier solves. */
    async readSolves(
      challengeIds: readonly number[],
      participationIds: readonly number[],
    ): Promise<(challengeId: number) => SolvesBefore> {
      const rows = await db
        .select({
          challengeId: solves.challengeId,
          counted: sql<number>`count(*) filter (where ${participations.status} = 'Accepted')`.mapWith(Number),
          lastAt: sql<Date | null>`max(${solves.solvedAt})`.mapWith(solves.solvedAt),
          solvers: sql<
            number[]
          >`coalesce(json_agg(${solves.participationId}) filter (where ${isIn(solves.participationId, participationIds)}), '[]')`,
        })
        .from(solves)
        .innerJoin(participations, eq(participations.id, solves.participationId))
        .where(isIn(solves.challengeId, challengeIds))
        .groupBy(solves.challengeId)
        .prepare('read_solves')
        .execute()
      const byChallenge = new Map(rows.map((row) => [row.challengeId, row]))
      return (challengeId) => byChallenge.get(challengeId) ?? none
    },

    /** Ids of what these attempts have stored, in their order; undefined where one has stored nothing. */
    async findStored(attempts: readonly string[]): Promise<(number | undefined)[]> {
      const rows = await db
        .select({ id: submissions.id, attempt: submissions.attempt })
        .from(submissions)
        .where(inArray(submissions.attempt, [...attempts]))
      const ids = new Map(rows.map(({ id, attempt }) => [attempt, id]))
      return attempts.map((attempt) => ids.get(attempt))
    },

    /** Stores judged submissions with all that follows from them. */
    async insert(records: readonly SubmissionRecord[]): Promise<StoredSubmission[]> {
      store ??= prepareStore(db)
      return inOrder(records, await store.execute({ given: atPositions(records) })).map(stored)
    },
  }
}
