import { Difficulty } from '@capstan/contract/challenge-labels'
import { ChallengeType, FlagKind } from '@capstan/contract/challenges'
import type { StoredContainer } from '@capstan/contract/container-definition'
import { Defaults } from '@capstan/contract/limits'
import { ChallengeSpeech } from '@capstan/contract/reach'
import { AnswerResult } from '@capstan/contract/submissions'
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { textArray } from '../text-array.ts'
import { users } from './accounts.ts'
import { instant, listed } from './columns.ts'
import { divisions, games, participations } from './games.ts'
import { teams } from './teams.ts'

export const attachments = pgTable(
  'attachments',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    type: text('type', { enum: ['Local', 'Remote'] }).notNull(),
    /** Local: key into `files`. */
    fileHash: text('file_hash'),
    /** Local: name of the uploaded file. */
    fileName: text('file_name'),
    remoteUrl: text('remote_url'),
  },
  (table) => [
    check(
      'attachments_source_check',
      sql`(${table.type} = 'Local' and ${table.fileHash} is not null) or (${table.type} = 'Remote' and ${table.remoteUrl} is not null)`,
    ),
  ],
)

export const challenges = pgTable(
  'challenges',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    title: text('title').notNull(),
    content: text('content').notNull().default(''),
    category: text('category').notNull(),
    type: text('type', { enum: ChallengeType.enum }).notNull(),
    hints: textArray('hints').notNull().default(sql`'{}'`),
    flagTemplate: text('flag_template'),
    isEnabled: boolean('is_enabled').notNull().default(false),
    acceptedCount: integer('accepted_count').notNull().default(0),
    fileName: text('file_name').notNull().default('attachment'),
    attachmentId: integer('attachment_id').references(() => attachments.id, { onDelete: 'set null' }),
    containerImage: text('container_image').notNull().default(''),
    memoryMb: integer('memory_mb').notNull().default(Defaults.memoryMb),
    cpuTenths: integer('cpu_tenths').notNull().default(Defaults.cpuTenths),
    storageMb: integer('storage_mb').notNull().default(Defaults.storageMb),
    exposedPort: integer('exposed_port').notNull().default(Defaults.exposedPort),
    speaks: text('speaks', { enum: ChallengeSpeech.enum }).notNull().default('tcp'),
    /** True if the gateway forwards HTTP as bytes, without parsing or changing it. */
    isRawHttp: boolean('is_raw_http').notNull().default(false),
    /** True if the challenge ends TLS itself, with its certificate. */
    hasOwnCertificate: boolean('has_own_certificate').notNull().default(false),
    /** Further settings of its container, without secrets. */
    container: jsonb('container').$type<StoredContainer>().notNull().default({}),
    /** Secret variables of its container, by name. They are stored like flags. */
    containerSecrets: jsonb('container_secrets').$type<Readonly<Record<string, string>>>().notNull().default({}),
    /** True if visitors of the host name must present the key of the instance. */
    isGuarded: boolean('is_guarded').notNull().default(false),
    captureTraffic: boolean('capture_traffic').notNull().default(false),
    originalScore: integer('original_score').notNull().default(Defaults.originalScore),
    minScoreRate: doublePrecision('min_score_rate').notNull().default(Defaults.minScoreRate),
    /** Slope of the score, `Challenge.decay`. The label for players is `level`. */
    difficulty: doublePrecision('difficulty').notNull().default(Defaults.difficulty),
    /** Maximum number of submissions per team; 0 means no limit. */
    submissionLimit: integer('submission_limit').notNull().default(0),
    /** Time without submissions of a team after its wrong answer; 0 means none. */
    cooldownSeconds: integer('cooldown_seconds').notNull().default(0),
    /** False: no bloods, no bonus and no blood notice. */
    hasBloods: boolean('has_bloods').notNull().default(true),
    tags: textArray('tags').notNull().default(sql`'{}'`),
    /** Difficulty label from the organizer, without effect on scoring. */
    level: text('level', { enum: Difficulty.enum }),
  },
  (table) => [
    index('challenges_game_id_idx').on(table.gameId),
    check('challenges_min_score_rate_check', sql`${table.minScoreRate} between 0 and 1`),
    check('challenges_difficulty_check', sql`${table.difficulty} > 0`),
    check('challenges_attempts_check', sql`${table.submissionLimit} >= 0 and ${table.cooldownSeconds} >= 0`),
    check('challenges_level_check', sql`${table.level} in ${listed(Difficulty.enum)}`),
  ],
)

/** Rights of a division for one challenge, which replace the rights of the division. */
export const divisionChallenges = pgTable(
  'division_challenges',
  {
    divisionId: integer('division_id')
      .notNull()
      .references(() => divisions.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    permissions: integer('permissions').notNull(),
  },
  (table) => [
    primaryKey({ name: 'division_challenges_pkey', columns: [table.divisionId, table.challengeId] }),
    index('division_challenges_challenge_id_idx').on(table.challengeId),
    check('division_challenges_permissions_check', sql`${table.permissions} >= 0`),
  ],
)

/** Correct answers of a challenge. A dynamic attachment has one flag per file, and DynamicContainer has none. */
export const flags = pgTable(
  'flags',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    flag: text('flag').notNull(),
    /** Dynamic attachments have only exact flags. */
    kind: text('kind', { enum: FlagKind.enum }).notNull().default('Exact'),
    attachmentId: integer('attachment_id').references(() => attachments.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('flags_challenge_id_idx').on(table.challengeId),
    check('flags_kind_check', sql`${table.kind} in ${listed(FlagKind.enum)}`),
  ],
)

/**
 * Challenge of one participation, with its flag and file. The row is created when the participation is accepted or the
 * challenge is enabled. The first read fixes the flag. The wire calls this pair an instance.
 */
export const assignments = pgTable(
  'assignments',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    /** DynamicAttachment: assigned flag and file, unique to this participation. */
    flagId: integer('flag_id').references(() => flags.id, { onDelete: 'set null' }),
    /** DynamicContainer: generated flag. DynamicAttachment: copy of the text of `flagId`. */
    flag: text('flag'),
    /** Time of the last start or stop of the instance, for the cooldown. */
    lastInstanceOperationAt: instant('last_instance_operation_at'),
  },
  (table) => [
    unique('assignments_participation_id_challenge_id_key').on(table.participationId, table.challengeId),
    uniqueIndex('assignments_flag_id_key').on(table.flagId),
    index('assignments_challenge_id_flag_idx').on(table.challengeId, table.flag),
  ],
)

export const submissions = pgTable(
  'submissions',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    answer: text('answer').notNull(),
    status: text('status', {
      enum: AnswerResult.enum,
    }).notNull(),
    submittedAt: instant('submitted_at').notNull(),
    /**
     * Id of the call that stored the row, so that a retry after a lost answer stores it once. Null for rows of older versions.
     */
    attempt: uuid('attempt'),
    clientKey: uuid('client_key'),
  },
  (table) => [
    unique('submissions_attempt_key').on(table.attempt),
    // Retries look up the key, so it is the first column.
    uniqueIndex('submissions_client_key_participation_id_key')
      .on(table.clientKey, table.participationId)
      .where(sql`client_key is not null`),
    index('submissions_game_id_id_idx').on(table.gameId, table.id),
    // For lists filtered by status. Wrong answers are frequent, so the index on the game suffices for them.
    index('submissions_game_id_status_id_idx')
      .on(table.gameId, table.status, table.id)
      .where(sql`${table.status} <> 'WrongAnswer'`),
    index('submissions_challenge_id_id_idx').on(table.challengeId, table.id),
    // Counts the attempts of a team at a challenge.
    index('submissions_participation_id_challenge_id_idx').on(table.participationId, table.challengeId),
    index('submissions_team_id_id_idx').on(table.teamId, table.id),
    // Rows are stored in order of time, so a few kilobytes locate the last hour of all games.
    index('submissions_submitted_at_idx').using('brin', table.submittedAt),
  ],
)

/** First accepted attempt of a participation before the end of the game, at most one per challenge. */
export const solves = pgTable(
  'solves',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    submissionId: integer('submission_id')
      .notNull()
      .references(() => submissions.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    solvedAt: instant('solved_at').notNull(),
    /** Unused since the change feed announces changes of boards (migration 25). The index still finds the solves of a game. */
    boardVersion: bigint('board_version', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    unique('solves_participation_id_challenge_id_key').on(table.participationId, table.challengeId),
    index('solves_game_id_board_version_idx').on(table.gameId, table.boardVersion),
    index('solves_challenge_id_solved_at_idx').on(table.challengeId, table.solvedAt),
    index('solves_submission_id_idx').on(table.submissionId),
    // Finds the boards that show a user's name when the user changes it.
    index('solves_user_id_idx').on(table.userId),
  ],
)

/**
 * Last rejudge of a challenge that changed something, with the data to undo it. The next rejudge replaces the row and an undo
 * deletes it.
 */
export const rejudgings = pgTable('rejudgings', {
  challengeId: integer('challenge_id')
    .primaryKey()
    .references(() => challenges.id, { onDelete: 'cascade' }),
  rejudgedAt: instant('rejudged_at').notNull(),
  /** End of the game at the time of the rejudge, which decided which submissions scored. */
  gameEndsAt: instant('game_ends_at').notNull(),
  changed: integer('changed').notNull().default(0),
  newlyCorrect: integer('newly_correct').notNull().default(0),
  newlyIncorrect: integer('newly_incorrect').notNull().default(0),
  gaining: integer('gaining').notNull().default(0),
  losing: integer('losing').notNull().default(0),
  moving: integer('moving').notNull().default(0),
})

/** Previous and new status of each submission that a rejudge changed. */
export const rejudgedSubmissions = pgTable(
  'rejudged_submissions',
  {
    submissionId: integer('submission_id')
      .primaryKey()
      .references(() => submissions.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => rejudgings.challengeId, { onDelete: 'cascade' }),
    before: text('before', { enum: AnswerResult.enum }).notNull(),
    after: text('after', { enum: AnswerResult.enum }).notNull(),
  },
  (table) => [index('rejudged_submissions_challenge_id_idx').on(table.challengeId)],
)

/** Previous solve of a participation whose solve a rejudge replaced or removed. Without a submission there was none. */
export const rejudgedSolves = pgTable(
  'rejudged_solves',
  {
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => rejudgings.challengeId, { onDelete: 'cascade' }),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    submissionId: integer('submission_id').references(() => submissions.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    solvedAt: instant('solved_at'),
  },
  (table) => [
    primaryKey({ name: 'rejudged_solves_pkey', columns: [table.participationId, table.challengeId] }),
    index('rejudged_solves_challenge_id_idx').on(table.challengeId),
    index('rejudged_solves_submission_id_idx').on(table.submissionId),
    index('rejudged_solves_user_id_idx').on(table.userId),
  ],
)

/** Points that a team got or lost apart from solves. A revoked award counts nowhere, and its row remains as history. */
export const awards = pgTable(
  'awards',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    /** Reason for the award. */
    title: text('title').notNull(),
    points: integer('points').notNull(),
    awardedAt: instant('awarded_at').notNull(),
    /** False if only organizers read the reason. */
    isReasonShown: boolean('is_reason_shown').notNull().default(true),
    /** Null for imported awards. */
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    revokedAt: instant('revoked_at'),
    revokerId: uuid('revoker_id').references(() => users.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('awards_game_id_idx').on(table.gameId),
    index('awards_participation_id_idx').on(table.participationId),
    index('awards_author_id_idx').on(table.authorId),
    index('awards_revoker_id_idx').on(table.revokerId),
  ],
)

/** Submissions of a flag that belongs to another team. */
export const cheats = pgTable(
  'cheats',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    submissionId: integer('submission_id')
      .notNull()
      .references(() => submissions.id, { onDelete: 'cascade' }),
    submitterId: integer('submitter_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    ownerId: integer('owner_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
  },
  (table) => [
    index('cheats_game_id_idx').on(table.gameId),
    index('cheats_submitter_id_idx').on(table.submitterId),
    index('cheats_owner_id_idx').on(table.ownerId),
    unique('cheats_submission_id_key').on(table.submissionId),
  ],
)
