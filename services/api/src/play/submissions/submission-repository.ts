import type { BloodType } from '@capstan/contract/vocabulary'
import type { Executor } from '@capstan/db/client'
import { divisionRightCondition } from '@capstan/db/division-right'
import { participations } from '@capstan/db/schema/games'
import { assignments, challenges, cheats, events, foundFlags, notices, solves, submissions } from '@capstan/db/schema/index'
import { teams } from '@capstan/db/schema/teams'
import { and, eq, lt, ne, type SQL, sql } from 'drizzle-orm'
import type { AssignmentKey } from '../../instances/team-flags/service.ts'
import { type AttemptRules, type Attempts, noAttempts } from '../../rules/flags/attempts.ts'
import type { JudgedStatus } from '../../rules/flags/judge.ts'

export type Rival = Readonly<{
  participationId: number
  flag: string
  teamName: string
}>

/** Submission with its events, notice, cheat and solve, ready to be inserted. */
export type SubmissionRow = Readonly<{
  gameId: number
  challengeId: number
  participationId: number
  teamId: number
  userId: string
  answer: string
  status: JudgedStatus
  submittedAt: Date
  /** Id of the call (`Attempt.id`), so that a retry stores the submission once. */
  attempt: string
  /** Idempotency key, unique within a participation. */
  clientKey: string | undefined
  isSolve: boolean
  /** Flag that the right answer matched, if the challenge has several flags to find. */
  flagId: number | null
  isFinding: boolean
  cheatOwnerId: number | undefined
  events: readonly Readonly<{ type: 'FlagSubmit' | 'CheatDetected'; values: readonly string[] }>[]
  notice: Readonly<{ type: BloodType; values: readonly string[] }> | undefined
}>

const given = sql.placeholder('given')
/** Column with the index of a row among the rows that are passed as a parameter. */
const position = sql<number>`position`

export type RivalKey = AssignmentKey &
  Readonly<{
    answer: string
  }>

function prepareAssignments(db: Executor) {
  return db
    .select({
      position,
      challengeId: assignments.challengeId,
      participationId: assignments.participationId,
      flag: assignments.flag,
      flagId: assignments.flagId,
    })
    .from(sql`json_to_recordset(${given}::json) as asked ("position" integer, "challengeId" integer, "participationId" integer)`)
    .innerJoin(
      assignments,
      and(eq(assignments.challengeId, sql`"challengeId"`), eq(assignments.participationId, sql`"participationId"`)),
    )
    .prepare('find_assignments')
}

export type JudgedAssignment = Omit<Awaited<ReturnType<ReturnType<typeof prepareAssignments>['execute']>>[number], 'position'>

function prepareRivals(db: Executor) {
  return db
    .select({ position, participationId: assignments.participationId, flag: assignments.flag, teamName: teams.name })
    .from(
      sql`json_to_recordset(${given}::json)
        as asked ("position" integer, "challengeId" integer, "participationId" integer, "answer" text)`,
    )
    .innerJoin(
      assignments,
      and(
        eq(assignments.challengeId, sql`"challengeId"`),
        eq(assignments.flag, sql`answer`),
        ne(assignments.participationId, sql`"participationId"`),
      ),
    )
    .innerJoin(participations, eq(participations.id, assignments.participationId))
    .innerJoin(teams, eq(teams.id, participations.teamId))
    .prepare('find_rivals')
}

/** Column definitions of the rows in the JSON parameter. */
const givenRecords = sql`json_to_recordset(${given}::json) as given (
  "position" integer, "gameId" integer, "challengeId" integer, "participationId" integer, "teamId" integer, "userId" uuid,
  "answer" text, "status" text, "submittedAt" timestamptz, "attempt" uuid, "clientKey" uuid, "isSolve" boolean, "flagId" integer, "isFinding" boolean, "cheatOwnerId" integer, "events" json,
  "notice" json)`

function part(db: Executor, name: string, statement: SQL) {
  return db.$with(name, {}).as(statement)
}
function texts(of: string) {
  return sql`array(select json_array_elements_text(${sql.identifier(of)} -> 'values'))`
}

/** Order in which all statements lock the submission counters of teams. A common order prevents deadlocks. */
const inCounterOrder = sql`order by "participationId", id`

/** Inserts submissions, their events and cheats. The ids are in the order of the rows. */
function submissionInserts(db: Executor) {
  return [
    part(
      db,
      'submission',
      sql`insert into ${submissions} (id, game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at, attempt, client_key, flag_id)
      overriding system value
      select id, "gameId", "challengeId", "participationId", "teamId", "userId", answer, status, "submittedAt", attempt, "clientKey", "flagId"
      from record
      ${inCounterOrder}
      returning id as submission_id, number`,
    ),
    part(
      db,
      'event',
      sql`insert into ${events} (game_id, type, values, occurred_at, user_id, team_id, submission_id)
      select "gameId", event ->> 'type', ${texts('event')}, "submittedAt", "userId", "teamId",
        case when event ->> 'type' = 'CheatDetected' then record.id end
      from record cross join json_array_elements(events) as event`,
    ),
    part(
      db,
      'cheat',
      sql`insert into ${cheats} (game_id, submission_id, submitter_id, owner_id)
      select "gameId", id, "participationId", "cheatOwnerId" from record where "cheatOwnerId" is not null`,
    ),
  ]
}

const nextSubmissionId = sql`nextval(pg_get_serial_sequence('submissions', 'id'))::integer`

/**
 * Number of ids that are reserved for the blood notices of a challenge. More than three ids are needed only if organizers revoke
 * solves.
 */
const maxBloodNotices = 512
/**
 * SQL for the first id of a challenge's blood notices. All notices that earlier versions of the platform created have lower ids.
 */
const firstBloodNotice = sql.raw(`(${3 * 2 ** 29} + "challengeId" * ${maxBloodNotices})`)
/**
 * SQL for the id of a blood notice. Each challenge has a separate sequence of ids, because a sequence for all games would reveal
 * the number of bloods in games with a frozen board. The lock on the challenge ensures that ids are unique.
 */
const bloodNoticeId = sql`(
  coalesce((select max(id) + 1 from ${notices} where id >= ${firstBloodNotice} and id < ${firstBloodNotice} + ${sql.raw(String(maxBloodNotices))}), ${firstBloodNotice})
  + sum(1) over (partition by "challengeId", notice is null order by position) - 1)::integer`

const storedNumber = sql<number>`submission.number`
const isSameSubmission = sql`submission_id = record.id`

/** Inserts submissions that are not solves, with their events and cheats, in one statement. */
function prepareInsert(db: Executor) {
  const record = db
    .$with('record', { position: position.as('position'), id: sql<number>`id`.as('id') })
    .as(sql`select given.*, ${nextSubmissionId} as id from ${givenRecords}`)
  return db
    .with(record, ...submissionInserts(db))
    .select({ position: record.position, id: record.id, number: storedNumber })
    .from(record)
    .innerJoin(sql`submission`, isSameSubmission)
    .prepare('insert_submissions')
}

/**
 * Inserts submissions with their events, solves and notices, and updates the numbers of solves, in one statement. The caller must
 * lock the challenges first.
 */
function prepareInsertWithSolves(db: Executor) {
  const record = db
    .$with('record', {
      position: position.as('position'),
      id: sql<number>`id`.as('id'),
      noticeId: sql<number | null>`"noticeId"`.as('noticeId'),
    })
    .as(
      sql`select given.*, ${nextSubmissionId} as id, case when notice is not null then ${bloodNoticeId} end as "noticeId"
        from ${givenRecords}`,
    )
  return db
    .with(
      record,
      ...submissionInserts(db),
      part(
        db,
        'counted',
        sql`update ${challenges} set accepted_count = accepted_count + solved.count
          from (select "challengeId", count(*) from record where "isSolve" group by "challengeId") solved
          where challenges.id = solved."challengeId"`,
      ),
      part(
        db,
        'solve',
        sql`insert into ${solves} (game_id, challenge_id, participation_id, submission_id, user_id, solved_at)
          select "gameId", "challengeId", "participationId", id, "userId", "submittedAt"
          from record where "isSolve"`,
      ),
      part(
        db,
        'found',
        sql`insert into ${foundFlags} (game_id, challenge_id, participation_id, flag_id, submission_id, found_at)
          select "gameId", "challengeId", "participationId", "flagId", id, "submittedAt"
          from record where "isFinding"`,
      ),
      part(
        db,
        'published',
        sql`insert into ${notices} (id, game_id, type, values, published_at, challenge_id, team_id)
          overriding system value
          select "noticeId", "gameId", notice ->> 'type', ${texts('notice')}, "submittedAt", "challengeId", "teamId"
          from record where notice is not null`,
      ),
    )
    .select({ position: record.position, id: record.id, number: storedNumber, noticeId: record.noticeId })
    .from(record)
    .innerJoin(sql`submission`, isSameSubmission)
    .prepare('insert_submissions_with_solves')
}

/** Finds the stored submissions of attempts, with their notices. */
function prepareFindStored(db: Executor) {
  return db
    .select({ position, id: submissions.id, number: submissions.number, noticeId: sql<number | null>`${notices.id}` })
    .from(givenRecords)
    .innerJoin(submissions, eq(submissions.attempt, sql`given.attempt`))
    .leftJoin(
      notices,
      and(
        eq(notices.gameId, sql`"gameId"`),
        eq(notices.publishedAt, sql`"submittedAt"`),
        eq(notices.type, sql`notice ->> 'type'`),
        eq(notices.challengeId, sql`"challengeId"`),
        eq(notices.teamId, sql`"teamId"`),
      ),
    )
    .prepare('find_stored')
}

function atPositions(questions: readonly object[]): string {
  return JSON.stringify(questions.map((question, index) => ({ position: index, ...question })))
}

/** Returns the rows in the order of the requested keys. A missing row is undefined. */
function inOrder<Row extends { position: number }>(questions: readonly unknown[], rows: readonly Row[]) {
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  return questions.map((_, index) => byPosition.get(index))
}

function requireAllStored<Row extends { position: number }>(given: readonly SubmissionRow[], rows: readonly Row[]): Row[] {
  return inOrder(given, rows).map((row) => {
    if (!row) throw new Error('Storing a submission returned no row')
    return row
  })
}

export type StoredSubmission = Readonly<{
  id: number
  /** Number of the submission, which players see as its id. */
  number: number
  noticeId: number | null
}>

type FoundBefore = Readonly<{
  participationId: number
  flagId: number
  /** Time in ms since 1970. */
  foundAt: number
}>

export type SolvesBefore = Readonly<{
  /** Number of solves by accepted participations with the right to bloods, but at most three. */
  counted: number
  /** Time of the latest solve that is not hidden by a freeze. Null if there is no such solve. */
  lastAt: Date | null
  /** Ids of the given participations that have already solved the challenge. */
  solvers: readonly number[]
  /** Ids of the flags that a team must find. Empty if one flag is enough to solve the challenge. */
  parts: readonly number[]
  /** Flags that the given participations have found. */
  found: readonly FoundBefore[]
}>

/** Maximum number of bloods of a challenge. */
const maxCounted = 3

/** Passes a list as one parameter, so that one prepared statement serves lists of any length. */
function listed(name: string) {
  return sql`json_array_elements_text(${sql.placeholder(name)}::json)`
}

function prepareSolves(db: Executor) {
  return db
    .select({
      challengeId: sql<number>`asked.id`,
      counted: sql<number>`(
        select count(*) from (
          select 1 from solves join participations on participations.id = solves.participation_id
          where solves.challenge_id = asked.id and participations.status = 'Accepted'
            and ${divisionRightCondition({ participation: 'participations', challengeId: sql`asked.id`, right: 'bloods' })}
            and solves.solved_at < coalesce((select deadline_at from challenges where id = asked.id), 'infinity')
          limit ${sql.raw(String(maxCounted))}) as first)`.mapWith(Number),
      lastAt: sql<Date | null>`greatest(
        (select max(solved_at) from solves where challenge_id = asked.id and solved_at < coalesce(asked.freeze_at, 'infinity')),
        (select max(solved_at) from solves where challenge_id = asked.id and solved_at >= asked.revealed_at))`.mapWith(
        solves.solvedAt,
      ),
      solvers: sql<number[]>`(
        select coalesce(json_agg(participation_id), '[]') from solves
        where challenge_id = asked.id and participation_id in (select ${listed('participationIds')}::integer))`,
      parts: sql<number[]>`(
        select coalesce(json_agg(flags.id order by flags.id), '[]') from flags where challenge_id = asked.id
          and exists (select 1 from flags as valued where valued.challenge_id = asked.id and valued.points is not null))`,
      found: sql<FoundBefore[]>`(
        select coalesce(json_agg(json_build_object('participationId', participation_id, 'flagId', flag_id,
          'foundAt', (extract(epoch from found_at) * 1000)::bigint)), '[]') from found_flags
        where challenge_id = asked.id and participation_id in (select ${listed('participationIds')}::integer))`,
    })
    .from(
      sql`(select challenges.id, games.freeze_at, games.revealed_at from challenges join games on games.id = challenges.game_id
        where challenges.id in (select value::integer from ${listed('challengeIds')})) as asked`,
    )
    .prepare('read_solves')
}

function prepareLock(db: Executor) {
  return db
    .select({
      id: challenges.id,
      submissionLimit: challenges.submissionLimit,
      cooldownSeconds: challenges.cooldownSeconds,
    })
    .from(challenges)
    .where(sql`${challenges.id} in (select ${listed('ids')}::integer)`)
    .orderBy(challenges.id)
    .for('no key update')
    .prepare('lock_challenges')
}

type LockedChallenge = Pick<typeof challenges.$inferSelect, 'id' | keyof AttemptRules>

/** Team and challenge whose attempts are counted. Only attempts before the end of the game count. */
export type CountedAttempts = AssignmentKey & Readonly<{ endsAt: Date }>

/** Prepares the SQL statement that counts the attempts of a team at a challenge. */
function prepareAttempts(db: Executor) {
  return db
    .select({
      position,
      count: sql<number>`count(${submissions.id})`.mapWith(Number),
      lastWrongAt: sql<Date | null>`max(${submissions.submittedAt})
        filter (where ${submissions.status} in ('WrongAnswer', 'CheatDetected'))`.mapWith(submissions.submittedAt),
    })
    .from(
      sql`json_to_recordset(${given}::json) as asked (
        "position" integer, "challengeId" integer, "participationId" integer, "endsAt" timestamptz)`,
    )
    .innerJoin(
      submissions,
      and(
        eq(submissions.participationId, sql`"participationId"`),
        eq(submissions.challengeId, sql`"challengeId"`),
        lt(submissions.submittedAt, sql`"endsAt"`),
        sql`not ${submissions.isGranted}`,
        sql`(${submissions.attempt} is null or ${submissions.attempt} not in (select ${listed('ignored')}::uuid))`,
      ),
    )
    .groupBy(position)
    .prepare('count_attempts')
}

export function createSubmissionRepository(db: Executor) {
  let preparedAssignments: ReturnType<typeof prepareAssignments> | undefined
  let preparedAttempts: ReturnType<typeof prepareAttempts> | undefined
  let preparedRivals: ReturnType<typeof prepareRivals> | undefined
  let preparedInsert: ReturnType<typeof prepareInsert> | undefined
  let preparedInsertWithSolves: ReturnType<typeof prepareInsertWithSolves> | undefined
  return {
    /** Finds assignments. @returns the assignments in the order of the keys, or undefined for a missing assignment */
    async findAssignments(keys: readonly AssignmentKey[]): Promise<(JudgedAssignment | undefined)[]> {
      preparedAssignments ??= prepareAssignments(db)
      return inOrder(keys, await preparedAssignments.execute({ given: atPositions(keys) }))
    },

    /** Finds other teams whose flag equals the answer, in the order of the keys. */
    async findRivals(keys: readonly RivalKey[]): Promise<(readonly Rival[])[]> {
      preparedRivals ??= prepareRivals(db)
      const rows = Map.groupBy(await preparedRivals.execute({ given: atPositions(keys) }), ({ position }) => position)
      return keys.map((_, index) =>
        (rows.get(index) ?? []).map(({ participationId, flag, teamName }) => ({ participationId, flag: flag ?? '', teamName })),
      )
    },

    /**
     * Locks the database rows of challenges. Only one transaction at a time can then store solves of a challenge.
     * @returns the challenges that exist
     */
    lockChallenges: (ids: readonly number[]): Promise<LockedChallenge[]> => prepareLock(db).execute({ ids: JSON.stringify(ids) }),

    /**
     * Counts attempts. The results are in the order of the keys.
     * @param ignored the ids of the calls whose submissions do not count
     */
    async countAttempts(keys: readonly CountedAttempts[], ignored: readonly string[] = []): Promise<Attempts[]> {
      if (keys.length === 0) return []
      preparedAttempts ??= prepareAttempts(db)
      const rows = await preparedAttempts.execute({ given: atPositions(keys), ignored: JSON.stringify(ignored) })
      return inOrder(keys, rows).map((row) => row ?? noAttempts)
    },

    /**
     * Reads the solves of each challenge. The caller has locked the challenges, so all earlier solves are visible. The cost does
     * not depend on the number of solves.
     */
    async readSolves(
      challengeIds: readonly number[],
      participationIds: readonly number[],
    ): Promise<ReadonlyMap<number, SolvesBefore>> {
      const asked = { challengeIds: JSON.stringify(challengeIds), participationIds: JSON.stringify(participationIds) }
      return new Map((await prepareSolves(db).execute(asked)).map((row) => [row.challengeId, row]))
    },

    /**
     * Finds submissions that were stored already, with their numbers. Returns them in the order of the rows, with undefined for
     * each missing submission.
     */
    async findStored(rows: readonly SubmissionRow[]): Promise<(StoredSubmission | undefined)[]> {
      return inOrder(rows, await prepareFindStored(db).execute({ given: atPositions(rows) }))
    },

    /** Inserts submissions that are not solves, with their events and cheats. */
    async insert(rows: readonly SubmissionRow[]): Promise<StoredSubmission[]> {
      preparedInsert ??= prepareInsert(db)
      const stored = await preparedInsert.execute({ given: atPositions(rows) })
      return requireAllStored(rows, stored).map(({ id, number }) => ({ id, number, noticeId: null }))
    },

    /** Inserts submissions like `insert`, with their solves, found flags and notices. The caller has locked the challenges. */
    async insertWithSolves(rows: readonly SubmissionRow[]): Promise<StoredSubmission[]> {
      preparedInsertWithSolves ??= prepareInsertWithSolves(db)
      return requireAllStored(rows, await preparedInsertWithSolves.execute({ given: atPositions(rows) }))
    },
  }
}

export type SubmissionRepository = ReturnType<typeof createSubmissionRepository>
