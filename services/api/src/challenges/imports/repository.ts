import type { Executor, Transaction } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { divisions, games } from '@capstan/db/schema/games'
import { teams } from '@capstan/db/schema/teams'
import { type SQL, sql } from 'drizzle-orm'
import type { KeysByKind } from './unique-names.ts'

/**
 * Returns an SQL condition that is true if a column equals one of the texts. All texts are one parameter, so that one prepared
 * statement serves any number of texts.
 */
function isAmong(texts: readonly string[]): SQL {
  return sql`in (select json_array_elements_text(${JSON.stringify(texts)}::json))`
}

/** Returns an SQL expression that converts the JSON array `batch` to table rows. */
function given(batch: string, columns: string): SQL {
  return sql`json_to_recordset(${batch}::json) as given (${sql.raw(columns)})`
}

function nextId(table: string): SQL {
  return sql.raw(`nextval(pg_get_serial_sequence('${table}', 'id'))::integer`)
}

function idOf(kind: string, key: string): SQL {
  return sql.raw(`(select id from import_ids where kind = '${kind}' and key = given.${key})`)
}

const nameTables = { user: users, team: teams } as const

/** Queries whose results the conversion needs before any data is stored. */
export function createImportQueries(db: Executor) {
  return {
    async findUsers(emails: readonly string[]): Promise<Map<string, string>> {
      const address = sql<string>`lower(${users.email})`
      const rows = await db
        .select({ id: users.id, address })
        .from(users)
        .where(sql`${address} ${isAmong(emails)}`)
      return new Map(rows.map((row) => [row.address, row.id]))
    },
    async findTakenNames(owners: keyof typeof nameTables, keys: KeysByKind): Promise<KeysByKind> {
      const table = nameTables[owners]
      const find = async (kind: keyof KeysByKind): Promise<string[]> => {
        const rows = await db
          .select({ key: table[kind] })
          .from(table)
          .where(sql`${table[kind]} ${isAmong(keys[kind])}`)
        return rows.flatMap(({ key }) => key ?? [])
      }
      return {
        nameSkeleton: await find('nameSkeleton'),
        nameShape: await find('nameShape'),
        nameReading: await find('nameReading'),
      }
    },
  }
}

/** Statements of one import. Each statement stores a batch of rows. The rows refer to each other by their ids in the export. */
export function createImportRepository(db: Transaction) {
  return {
    /**
     * Prepares the transaction of an import. Creates a temporary table that maps ids of the export to new ids.
     * @param startsAt start of the game. Teams and challenges are recorded with this time, so that they appear on earlier states of
     * the board
     */
    async begin(startsAt: Date): Promise<void> {
      await db.execute(sql`
      select set_config('capstan.recorded_at', least(${startsAt.toISOString()}::timestamptz, clock_timestamp())::text, true)`)
      await db.execute(sql`
      create temporary table import_ids (kind text, key bigint, id integer not null, primary key (kind, key)) on commit drop`)
    },
    async insertGame(values: typeof games.$inferInsert, names: readonly string[]): Promise<number> {
      const [game] = await db.insert(games).values(values).returning({ id: games.id })
      if (!game) throw new Error('Inserting a game returned no row')
      if (names.length > 0)
        await db.insert(divisions).values(names.map((name, position) => ({ gameId: game.id, name, position })))
      return game.id
    },
    async insertUsers(batch: string): Promise<void> {
      await db.execute(sql`
      insert into users (id, user_name, name_skeleton, name_shape, name_reading, email, password_hash, role, email_confirmed, registered_at,
        last_visited_at)
      select id, "userName", "nameSkeleton", "nameShape", "nameReading", email, "passwordHash", role, "emailConfirmed", "registeredAt", "registeredAt"
      from ${given(
        batch,
        '"id" uuid, "userName" text, "nameSkeleton" text, "nameShape" text, "nameReading" text, "email" text, "passwordHash" text, "role" text, "emailConfirmed" boolean, "registeredAt" timestamptz',
      )}`)
    },
    async insertTeams(batch: string): Promise<void> {
      await db.execute(sql`
      with made as materialized (select given.*, ${nextId('teams')} as id
          from ${given(batch, '"key" bigint, "name" text, "nameSkeleton" text, "nameShape" text, "nameReading" text, "captainId" uuid, "inviteToken" text')}),
        noted as (insert into import_ids (kind, key, id) select 'team', key, id from made)
      insert into teams (id, name, name_skeleton, name_shape, name_reading, captain_id, invite_token) overriding system value
      select id, name, "nameSkeleton", "nameShape", "nameReading", "captainId", "inviteToken" from made`)
    },
    async insertMembers(batch: string): Promise<void> {
      await db.execute(sql`
      insert into team_members (team_id, user_id)
      select ${idOf('team', 'team')}, "userId" from ${given(batch, '"team" bigint, "userId" uuid')}`)
    },
    async listTeamIds(): Promise<number[]> {
      const rows = await db.execute<{ id: number }>(sql`select id from import_ids where kind = 'team' order by id`)
      return rows.map(({ id }) => id)
    },
    /** @param tokens JSON list with the new id and the token of each team */
    async insertParticipations(gameId: number, batch: string, tokens: string): Promise<void> {
      await db.execute(sql`
      with made as materialized (select given.*, ${idOf('team', 'team')} as team_id, ${nextId('participations')} as id
          from ${given(batch, '"team" bigint, "division" text, "status" text')}),
        noted as (insert into import_ids (kind, key, id) select 'participation', team, id from made)
      insert into participations (id, game_id, team_id, status, division, token) overriding system value
      select made.id, ${gameId}::integer, team_id, status, division, signed.token
      from made join json_to_recordset(${tokens}::json) as signed ("id" integer, "token" text) on signed.id = team_id`)
    },
    async insertParticipants(gameId: number, batch: string): Promise<void> {
      await db.execute(sql`
      insert into participation_members (participation_id, game_id, user_id)
      select ${idOf('participation', 'team')}, ${gameId}::integer, "userId" from ${given(batch, '"team" bigint, "userId" uuid')}`)
    },
    /** Inserts answers to the questions of the registration, after the participants. */
    async insertAnswers(gameId: number, batch: string, answeredAt: Date): Promise<void> {
      await db.execute(sql`
      insert into registration_answers (game_id, participation_id, user_id, question_id, values, answered_at)
      select ${gameId}::integer, ${idOf('participation', 'team')}, "userId", "questionId", array(select json_array_elements_text("values")),
        ${answeredAt.toISOString()}::timestamptz
      from ${given(batch, '"team" bigint, "userId" uuid, "questionId" uuid, "values" json')}`)
    },
    async insertChallengeId(key: number, id: number): Promise<void> {
      await db.execute(sql`insert into import_ids (kind, key, id) values ('challenge', ${key}, ${id})`)
    },
    /** Assigns every enabled challenge to every team of the game. */
    async insertAssignments(gameId: number): Promise<void> {
      await db.execute(sql`
      insert into assignments (participation_id, challenge_id)
      select participations.id, challenges.id from participations join challenges on challenges.game_id = participations.game_id
      where participations.game_id = ${gameId} and challenges.is_enabled`)
    },
    async insertSubmissions(gameId: number, batch: string): Promise<void> {
      await db.execute(sql`
      with made as materialized (
          select given.*, ${nextId('submissions')} as id, ${idOf('team', 'account')} as team_id,
            ${idOf('participation', 'account')} as participation_id, ${idOf('challenge', 'challenge')} as challenge_id
          from ${given(
            batch,
            '"challenge" bigint, "account" bigint, "userId" uuid, "answer" text, "status" text, "isSolve" boolean, "attempt" uuid, "submittedAt" timestamptz',
          )}),
        stored as (
          insert into submissions (id, game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at, attempt)
          overriding system value
          select id, ${gameId}::integer, challenge_id, participation_id, team_id, "userId", answer, status, "submittedAt", attempt from made)
      insert into solves (game_id, challenge_id, participation_id, submission_id, user_id, solved_at)
      select ${gameId}::integer, challenge_id, participation_id, id, "userId", "submittedAt" from made where "isSolve"`)
    },
    async insertAwards(gameId: number, batch: string): Promise<void> {
      await db.execute(sql`
      insert into awards (game_id, participation_id, title, points, awarded_at)
      select ${gameId}::integer, ${idOf('participation', 'account')}, title, points, "awardedAt"
      from ${given(batch, '"account" bigint, "title" text, "points" integer, "awardedAt" timestamptz')}`)
    },
    async insertNotices(gameId: number, batch: string): Promise<void> {
      await db.execute(sql`
      insert into notices (game_id, type, values, published_at)
      select ${gameId}::integer, 'Normal', array(select json_array_elements_text("values")), "publishedAt"
      from ${given(batch, '"values" json, "publishedAt" timestamptz')}`)
    },
    async insertPosts(authorId: string, batch: string): Promise<void> {
      await db.execute(sql`
      insert into posts (id, title, content, author_id, updated_at)
      select id, title, content, ${authorId}::uuid, "updatedAt"
      from ${given(batch, '"id" text, "title" text, "content" text, "updatedAt" timestamptz')}`)
    },
  }
}
