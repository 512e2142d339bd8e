import type { BloodPoints } from '@capstan/contract/blood'
import { certificateOrientations, certificatePapers } from '@capstan/contract/certificates'
import { languageCodes } from '@capstan/contract/languages'
import { Defaults } from '@capstan/contract/limits'
import type { EditedQuestion } from '@capstan/contract/questions'
import { surveyModes, verdicts } from '@capstan/contract/vocabulary'
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { instantColumn, sqlList } from './columns.ts'
import { teams } from './teams.ts'

export const games = pgTable(
  'games',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    title: text('title').notNull(),
    summary: text('summary').notNull().default(''),
    content: text('content').notNull().default(''),
    hidden: boolean('hidden').notNull().default(false),
    acceptWithoutReview: boolean('accept_without_review').notNull().default(false),
    practiceMode: boolean('practice_mode').notNull().default(true),
    inviteCode: text('invite_code'),
    /** Maximum number of players per team in the game. 0 means no limit. */
    teamMemberCountLimit: integer('team_member_count_limit').notNull().default(0),
    /** Start and end of the registration of teams. Null means no limit. */
    registrationOpensAt: instantColumn('registration_opens_at'),
    registrationClosesAt: instantColumn('registration_closes_at'),
    /** Maximum number of accepted and suspended teams. Null means no limit. */
    teamLimit: integer('team_limit'),
    /** Questions of the registration in the order in which they are asked, followed by archived questions. */
    questions: jsonb('questions').$type<readonly EditedQuestion[]>().notNull().default([]),
    /** Maximum number of running instances per team over all challenges. 0 means no limit. */
    containerCountLimit: integer('container_count_limit').notNull().default(Defaults.instancesPerTeam),
    posterHash: text('poster_hash'),
    startsAt: instantColumn('starts_at').notNull(),
    endsAt: instantColumn('ends_at').notNull(),
    /** Instant from which the board is frozen for players. Null means never. */
    freezeAt: instantColumn('freeze_at'),
    /** Instant of the reveal, which ends the freeze. */
    revealedAt: instantColumn('revealed_at'),
    writeupRequired: boolean('writeup_required').notNull().default(false),
    writeupDeadline: instantColumn('writeup_deadline').notNull(),
    writeupNote: text('writeup_note').notNull().default(''),
    /** Bonuses of the first three solvers in per mille, packed into one number. Each bonus takes ten bits, as in API calls. */
    bloodBonus: bigint('blood_bonus', { mode: 'number' }).notNull().default(Defaults.bloodBonus),
    /** Bonuses of the first three solvers in points. If they are present, `bloodBonus` does not apply. */
    bloodPoints: jsonb('blood_points').$type<BloodPoints>(),
    /** True if a team may buy hints even if this lowers its score below 0. */
    allowsDebt: boolean('allows_debt').notNull().default(false),
    survey: text('survey', { enum: surveyModes }).notNull().default('Off'),
    /** Public key for Ed25519: 32 raw bytes in Base64. */
    publicKey: text('public_key').notNull(),
    /** Private key, encrypted with the server secret. It never leaves the server. */
    privateKey: text('private_key').notNull(),
    createdAt: instantColumn('created_at').notNull().defaultNow(),
  },
  (table) => [
    index('games_starts_at_idx').on(table.startsAt),
    check('games_times_check', sql`${table.endsAt} > ${table.startsAt}`),
    check('games_freeze_check', sql`${table.freezeAt} > ${table.startsAt} and ${table.freezeAt} <= ${table.endsAt}`),
    check(
      'games_reveal_check',
      sql`${table.revealedAt} is null or (${table.freezeAt} is not null and ${table.revealedAt} >= ${table.freezeAt})`,
    ),
    check('games_registration_check', sql`${table.registrationClosesAt} > ${table.registrationOpensAt}`),
    check('games_team_limit_check', sql`${table.teamLimit} > 0`),
    check('games_survey_check', sql`${table.survey} in ${sqlList(surveyModes)}`),
  ],
)

/**
 * Divisions: groups of teams with separate rankings. In API calls, a division is named `organization`. Invitation codes are
 * optional. Participations refer to a division by name, so that a team retains the name after the division is removed.
 */
export const divisions = pgTable(
  'divisions',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    inviteCode: text('invite_code'),
    position: integer('position').notNull(),
    /**
     * Permission bits of the teams in the division. If null, the teams have all permissions, and new teams need a review only if
     * the game requires a review.
     */
    permissions: integer('permissions'),
  },
  (table) => [
    unique('divisions_game_id_name_key').on(table.gameId, table.name),
    check('divisions_permissions_check', sql`${table.permissions} >= 0`),
  ],
)

export const participations = pgTable(
  'participations',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    status: text('status', { enum: verdicts }).notNull().default('Pending'),
    division: text('division'),
    /** Token of the team in the game, `{team id}:{signature}`. It is set when the row is created. */
    token: text('token').notNull(),
    writeupHash: text('writeup_hash'),
    writeupName: text('writeup_name'),
    writeupUploadedAt: instantColumn('writeup_uploaded_at'),
    createdAt: instantColumn('created_at').notNull().defaultNow(),
    /**
     * Time at which the team last registered for the game. A rejected team can register again. The waiting list is ordered by
     * this time.
     */
    registeredAt: instantColumn('registered_at').notNull().defaultNow(),
    /**
     * True if the team is on the waiting list: it needs no further review, but the game has its maximum number of teams. The status
     * is then Pending.
     */
    isWaiting: boolean('is_waiting').notNull().default(false),
  },
  (table) => [
    unique('participations_game_id_team_id_key').on(table.gameId, table.teamId),
    index('participations_team_id_idx').on(table.teamId),
    check('participations_status_check', sql`${table.status} in ${sqlList(verdicts)}`),
  ],
)

/** Members of teams who joined a game with their team. A user can play a game in only one team. */
export const participationMembers = pgTable(
  'participation_members',
  {
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ name: 'participation_members_pkey', columns: [table.gameId, table.userId] }),
    index('participation_members_participation_id_idx').on(table.participationId),
    // Index that finds the games of a user. Each page of the web needs them. The primary key cannot find them, because it begins
    // with the game.
    index('participation_members_user_id_idx').on(table.userId),
  ],
)

/**
 * Unused since migration 25, because the change feed now reports changes of boards. The table remains, because an older version of
 * the platform still writes to it during an upgrade.
 */
export const scoreboardVersions = pgTable('scoreboard_versions', {
  gameId: integer('game_id')
    .primaryKey()
    .references(() => games.id, { onDelete: 'cascade' }),
  version: bigint('version', { mode: 'number' }).notNull(),
})

/**
 * Games with stored final standings. `version` is the position in the change feed at which the standings were computed (ADR 24).
 */
export const finalBoards = pgTable('final_boards', {
  gameId: integer('game_id')
    .primaryKey()
    .references(() => games.id, { onDelete: 'cascade' }),
  version: bigint('version', { mode: 'number' }).notNull(),
})

/**
 * Final standings of finished games, for pages that show many games. They are copied from the scoreboards, and replaced if a
 * scoreboard changes.
 */
export const finalStandings = pgTable(
  'final_standings',
  {
    gameId: integer('game_id')
      .notNull()
      .references(() => finalBoards.gameId, { onDelete: 'cascade' }),
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    rank: integer('rank').notNull(),
    teams: integer('teams').notNull(),
    /** Null if the team has no division. */
    divisionRank: integer('division_rank'),
    divisionTeams: integer('division_teams'),
    score: integer('score').notNull(),
    solved: integer('solved').notNull(),
    lastSolveAt: instantColumn('last_solve_at'),
    /** Ids of the challenges that the team was the first to solve. Null if an earlier version of the platform stored the row. */
    firstBloods: integer('first_bloods').array(),
  },
  (table) => [
    primaryKey({ name: 'final_standings_pkey', columns: [table.teamId, table.gameId] }),
    index('final_standings_game_id_idx').on(table.gameId),
  ],
)

/** Certificate templates of games. The title is empty until an organizer saves the template. */
export const certificateTemplates = pgTable(
  'certificate_templates',
  {
    gameId: integer('game_id')
      .primaryKey()
      .references(() => games.id, { onDelete: 'cascade' }),
    isEnabled: boolean('is_enabled').notNull().default(false),
    title: text('title').notNull().default(''),
    text: text('text').notNull().default(''),
    /** Text on the certificates of teams without a rank. */
    participationText: text('participation_text').notNull().default(''),
    signer: text('signer').notNull().default(''),
    paper: text('paper', { enum: certificatePapers }).notNull().default('A4'),
    orientation: text('orientation', { enum: certificateOrientations }).notNull().default('landscape'),
    /** Language of dates and numbers on the certificates. */
    language: text('language', { enum: languageCodes }).notNull().default('en-US'),
    backgroundHash: text('background_hash'),
    logoHash: text('logo_hash'),
    signatureHash: text('signature_hash'),
  },
  (table) => [
    check('certificate_templates_paper_check', sql`${table.paper} in ${sqlList(certificatePapers)}`),
    check('certificate_templates_orientation_check', sql`${table.orientation} in ${sqlList(certificateOrientations)}`),
  ],
)
