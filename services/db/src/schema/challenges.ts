import { Difficulty } from '@capstan/contract/challenge-labels'
import { ChallengeType, FlagKind } from '@capstan/contract/challenges'
import type { StoredContainer } from '@capstan/contract/container-definition'
import type { FirstContainer, FurtherContainer } from '@capstan/contract/containers'
import type { PricedHint } from '@capstan/contract/hints'
import { ContainerDefaults, ScoreDefaults } from '@capstan/contract/limits'
import { ChallengeSpeech } from '@capstan/contract/reach'
import { curveNames } from '@capstan/contract/score'
import { AnswerResult } from '@capstan/contract/submissions'
import type { UnlockRule } from '@capstan/contract/unlock'
import { correctionKinds } from '@capstan/contract/vocabulary'
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
import { instantColumn, sqlList } from './columns.ts'
import { divisions, games, participations } from './games.ts'
import { teams } from './teams.ts'

export const attachments = pgTable(
  'attachments',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    type: text('type', { enum: ['Local', 'Remote'] }).notNull(),
    /** SHA-256 of a local attachment, which is its key in `files`. Null for a remote attachment. */
    fileHash: text('file_hash'),
    /** Name of the uploaded file. Null for a remote attachment. */
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
    /** Texts of the hints that never had a price. All other hints are in `pricedHints`. */
    hints: textArray('hints').notNull().default(sql`'{}'`),
    pricedHints: jsonb('priced_hints').$type<readonly PricedHint[]>().notNull().default([]),
    flagTemplate: text('flag_template'),
    isEnabled: boolean('is_enabled').notNull().default(false),
    acceptedCount: integer('accepted_count').notNull().default(0),
    fileName: text('file_name').notNull().default('attachment'),
    attachmentId: integer('attachment_id').references(() => attachments.id, { onDelete: 'set null' }),
    containerImage: text('container_image').notNull().default(''),
    memoryMb: integer('memory_mb').notNull().default(ContainerDefaults.memoryMb),
    cpuTenths: integer('cpu_tenths').notNull().default(ContainerDefaults.cpuTenths),
    storageMb: integer('storage_mb').notNull().default(ContainerDefaults.storageMb),
    port: integer('exposed_port').notNull().default(ContainerDefaults.port),
    speaks: text('speaks', { enum: ChallengeSpeech.enum }).notNull().default('tcp'),
    /** True if the gateway forwards the challenge's HTTP as bytes, without parsing or changing it. */
    isRawHttp: boolean('is_raw_http').notNull().default(false),
    /** True if the challenge itself decrypts TLS and has a separate certificate. */
    hasOwnCertificate: boolean('has_own_certificate').notNull().default(false),
    /** Settings of the container that have no separate column. Secret values are in `containerSecrets`. */
    container: jsonb('container').$type<StoredContainer>().notNull().default({}),
    /** Secret environment variables of the container, as a map from name to value. Like flags, they are stored in plain text. */
    containerSecrets: jsonb('container_secrets').$type<Readonly<Record<string, string>>>().notNull().default({}),
    /**
     * Name, networks and dependencies of the first container. Its other settings are in other columns of this row. A missing field
     * has its default value.
     */
    firstContainer: jsonb('first_container').$type<FirstContainer>().notNull().default({}),
    /** All containers except the first, in the order that the author chose. */
    furtherContainers: jsonb('further_containers').$type<readonly FurtherContainer[]>().notNull().default([]),
    /**
     * Secret environment variables of all containers except the first, as a map from container name to a map from variable name
     * to value.
     */
    furtherContainerSecrets: jsonb('further_container_secrets')
      .$type<Readonly<Record<string, Readonly<Record<string, string>>>>>()
      .notNull()
      .default({}),
    /** True if clients need the access key of an instance to connect to it. */
    isGuarded: boolean('is_guarded').notNull().default(false),
    capture: boolean('capture_traffic').notNull().default(false),
    /** True if captures include the traffic between containers. */
    capturesAll: boolean('captures_all').notNull().default(false),
    points: integer('original_score').notNull().default(ScoreDefaults.points),
    minimumShare: doublePrecision('min_score_rate').notNull().default(ScoreDefaults.minimumShare),
    /** Parameter of the score curve. The difficulty that players see is in the column `level`. */
    decay: doublePrecision('difficulty').notNull().default(ScoreDefaults.decay),
    /** Maximum number of submissions per team. 0 means no limit. */
    submissionLimit: integer('submission_limit').notNull().default(0),
    /** Time after a wrong answer during which a team cannot submit, in seconds. 0 means no wait. */
    cooldownSeconds: integer('cooldown_seconds').notNull().default(0),
    /** Curve that determines how the value falls with the number of solves. */
    curve: text('curve', { enum: curveNames }).notNull().default('exponential'),
    /**
     * True if the value of each solve is fixed at the time of the solve. Otherwise later solves change the points of earlier
     * solves.
     */
    isValueFixed: boolean('is_value_fixed').notNull().default(false),
    /** True if the challenge has bloods, a blood bonus and blood notices. */
    hasBloods: boolean('has_bloods').notNull().default(true),
    /** Time of the planned release. If it is null, players see the challenge as soon as it is enabled. */
    releaseAt: instantColumn('release_at'),
    /** True unless the challenge waits for its planned release. */
    isReleased: boolean('is_released').notNull().default(true),
    /** True if players see the challenge in a running game. */
    isShown: boolean('is_shown').notNull().generatedAlwaysAs(sql`is_enabled and is_released`),
    /** Time from which submissions earn no points. If null, submissions earn no points from the end of the game on. */
    deadlineAt: instantColumn('deadline_at'),
    /** Condition under which the challenge is unlocked for a team. Null if the challenge is never locked. */
    unlockRule: jsonb('unlock_rule').$type<UnlockRule>(),
    tags: textArray('tags').notNull().default(sql`'{}'`),
    /** Difficulty label from the organizer. It has no effect on scoring. */
    difficulty: text('level', { enum: Difficulty.enum }),
  },
  (table) => [
    index('challenges_game_id_idx').on(table.gameId),
    index('challenges_release_at_idx').on(table.releaseAt).where(sql`not ${table.isReleased}`),
    check('challenges_min_score_rate_check', sql`${table.minimumShare} between 0 and 1`),
    check('challenges_difficulty_check', sql`${table.decay} > 0`),
    check('challenges_attempts_check', sql`${table.submissionLimit} >= 0 and ${table.cooldownSeconds} >= 0`),
    check('challenges_curve_check', sql`${table.curve} in ${sqlList(curveNames)}`),
    check('challenges_level_check', sql`${table.difficulty} in ${sqlList(Difficulty.enum)}`),
  ],
)

/** Permissions of a division for one challenge. For this challenge they replace the permissions of the division. */
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

/**
 * Correct answers of a challenge. A DynamicAttachment has one flag for each file. A DynamicContainer has no rows here, because
 * its flags are generated.
 */
export const flags = pgTable(
  'flags',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    flag: text('flag').notNull(),
    /** Method of comparing answers with the flag. Flags of a DynamicAttachment are always compared exactly. */
    kind: text('kind', { enum: FlagKind.enum }).notNull().default('Exact'),
    /**
     * Points for finding the flag. If at least one flag of the challenge has points, a team must find all flags to solve the
     * challenge.
     */
    points: integer('points'),
    attachmentId: integer('attachment_id').references(() => attachments.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('flags_challenge_id_idx').on(table.challengeId),
    check('flags_kind_check', sql`${table.kind} in ${sqlList(FlagKind.enum)}`),
    check('flags_points_check', sql`${table.points} >= 0`),
  ],
)

/**
 * Assignments of challenges to participations, with the flag and the file that the team gets. A row is created when the
 * participation is accepted or the challenge is enabled. The flag is determined when the row is first read. The API of the
 * reference platform, which we implement (ADR 54), calls an assignment `instance`.
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
    /** Assigned flag and file of a DynamicAttachment, unique to this participation. */
    flagId: integer('flag_id').references(() => flags.id, { onDelete: 'set null' }),
    /** Text of the flag: generated for a DynamicContainer, and copied from the row `flagId` for a DynamicAttachment. */
    flag: text('flag'),
    /** Time at which the team last started or stopped its instance, for the cool-down. */
    lastInstanceOperationAt: instantColumn('last_instance_operation_at'),
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
    /**
     * Id that orders the submissions of all teams. Players never see it, because it reveals the number of submissions of other
     * teams.
     */
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    /**
     * Number of the submission that players see as its id. It is unique within a participation. The trigger `number_submission`
     * sets it.
     */
    number: integer('number').notNull().default(0),
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
    submittedAt: instantColumn('submitted_at').notNull(),
    /**
     * Id of the call that stored the row. If the outcome of the statement is unknown, the api retries the statement with the same
     * id, which prevents a second row. Null for rows of older versions.
     */
    attempt: uuid('attempt'),
    clientKey: uuid('client_key'),
    /** True if an organizer granted the solve. Such a row is not an attempt, and is never judged. */
    isGranted: boolean('is_granted').notNull().default(false),
    /** True if an organizer took the solve back. The row then does not count as a solve, even if its answer is right. */
    isVoid: boolean('is_void').notNull().default(false),
    /** Flag that the correct answer matched, in a challenge with several flags to find. */
    flagId: integer('flag_id').references(() => flags.id, { onDelete: 'set null' }),
  },
  (table) => [
    unique('submissions_attempt_key').on(table.attempt),
    unique('submissions_participation_id_number_key').on(table.participationId, table.number),
    // Index that finds a submission by the key that the client sent. A client that retries a submission sends the same key again.
    uniqueIndex('submissions_client_key_participation_id_key')
      .on(table.clientKey, table.participationId)
      .where(sql`client_key is not null`),
    index('submissions_game_id_id_idx').on(table.gameId, table.id),
    // Index for lists that are filtered by status. It omits wrong answers, which are the most frequent status. A list of wrong
    // answers uses the index on the game and is still fast.
    index('submissions_game_id_status_id_idx')
      .on(table.gameId, table.status, table.id)
      .where(sql`${table.status} <> 'WrongAnswer'`),
    index('submissions_challenge_id_id_idx').on(table.challengeId, table.id),
    // Index for counting the attempts of a team at a challenge.
    index('submissions_participation_id_challenge_id_idx').on(table.participationId, table.challengeId),
    index('submissions_team_id_id_idx').on(table.teamId, table.id),
    // A BRIN index suffices to find the submissions of the last hour in all games, because rows are stored in the order of time.
    // It needs only a few kilobytes.
    index('submissions_submitted_at_idx').using('brin', table.submittedAt),
    index('submissions_flag_id_idx').on(table.flagId).where(sql`${table.flagId} is not null`),
  ],
)

/** Counters for `submissions.number`, with the last number in each participation. The trigger `number_submission` writes them. */
export const submissionCounters = pgTable('submission_counters', {
  participationId: integer('participation_id')
    .primaryKey()
    .references(() => participations.id, { onDelete: 'cascade' }),
  last: integer('last').notNull(),
})

/** Solves: the first correct submissions before the end of the game, at most one per participation and challenge. */
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
    solvedAt: instantColumn('solved_at').notNull(),
    /**
     * Time at which the solve was added later: by a rejudge, a correction, or a change of the game's end. Null if it was added
     * when its submission was judged.
     */
    countedAt: instantColumn('counted_at'),
    /**
     * Unused since migration 25, because the change feed now reports changes of boards. The column remains, because its index is
     * still used to find the solves of a game.
     */
    boardVersion: bigint('board_version', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    unique('solves_participation_id_challenge_id_key').on(table.participationId, table.challengeId),
    index('solves_game_id_board_version_idx').on(table.gameId, table.boardVersion),
    index('solves_challenge_id_solved_at_idx').on(table.challengeId, table.solvedAt),
    index('solves_submission_id_idx').on(table.submissionId),
    // Index that finds the solves of a user. When the name of a user changes, the boards with these solves change, too.
    index('solves_user_id_idx').on(table.userId),
  ],
)

/** Flags that teams have found in challenges with several flags. Each row refers to the team's first submission of the flag. */
export const foundFlags = pgTable(
  'found_flags',
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
    flagId: integer('flag_id')
      .notNull()
      .references(() => flags.id, { onDelete: 'cascade' }),
    submissionId: integer('submission_id')
      .notNull()
      .references(() => submissions.id, { onDelete: 'cascade' }),
    foundAt: instantColumn('found_at').notNull(),
    /**
     * Time at which the row was added later: by a rejudge, a correction, or a change of the game's end. Null if it was added when
     * its submission was judged.
     */
    countedAt: instantColumn('counted_at'),
  },
  (table) => [
    unique('found_flags_participation_id_flag_id_key').on(table.participationId, table.flagId),
    index('found_flags_game_id_idx').on(table.gameId),
    index('found_flags_challenge_id_participation_id_idx').on(table.challengeId, table.participationId),
    index('found_flags_flag_id_idx').on(table.flagId),
    index('found_flags_submission_id_idx').on(table.submissionId),
  ],
)

/**
 * Last rejudge of a challenge that changed a result, with the data to undo it. The next rejudge replaces the row, and an undo
 * deletes it.
 */
export const rejudgings = pgTable('rejudgings', {
  challengeId: integer('challenge_id')
    .primaryKey()
    .references(() => challenges.id, { onDelete: 'cascade' }),
  rejudgedAt: instantColumn('rejudged_at').notNull(),
  /** End of the game at the time of the rejudge. Only earlier submissions could earn points. */
  gameEndsAt: instantColumn('game_ends_at').notNull(),
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

/**
 * Solves that participations had before a rejudge changed them. `submissionId` is null if the participation had no solve before.
 */
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
    solvedAt: instantColumn('solved_at'),
  },
  (table) => [
    primaryKey({ name: 'rejudged_solves_pkey', columns: [table.participationId, table.challengeId] }),
    index('rejudged_solves_challenge_id_idx').on(table.challengeId),
    index('rejudged_solves_submission_id_idx').on(table.submissionId),
    index('rejudged_solves_user_id_idx').on(table.userId),
  ],
)

/**
 * Awards: points that an organizer gave to a team or took from it. A revoked award no longer counts, but its row remains as
 * history.
 */
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
    awardedAt: instantColumn('awarded_at').notNull(),
    /** True if everyone can read the reason, and false if only organizers can. */
    isReasonShown: boolean('is_reason_shown').notNull().default(true),
    /** Organizer who gave the award. Null for imported awards. */
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    revokedAt: instantColumn('revoked_at'),
    revokerId: uuid('revoker_id').references(() => users.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('awards_game_id_idx').on(table.gameId),
    index('awards_participation_id_idx').on(table.participationId),
    index('awards_author_id_idx').on(table.authorId),
    index('awards_revoker_id_idx').on(table.revokerId),
  ],
)

/** Solves that an organizer granted or took back. A revoked correction has no effect, but its row remains as history. */
export const solveCorrections = pgTable(
  'solve_corrections',
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
    kind: text('kind', { enum: correctionKinds }).notNull(),
    reason: text('reason').notNull(),
    /** Time of the granted or removed solve. */
    solvedAt: instantColumn('solved_at').notNull(),
    /** Row in `submissions` that counts as the solve until the correction is revoked. Used only by the kind Granted. */
    submissionId: integer('submission_id').references(() => submissions.id, { onDelete: 'set null' }),
    /** Id of the last submission that a correction of the kind TakenBack invalidates. Later submissions count again. */
    lastSubmissionId: integer('last_submission_id'),
    authorId: uuid('author_id').references(() => users.id, { onDelete: 'set null' }),
    correctedAt: instantColumn('corrected_at').notNull(),
    revokedAt: instantColumn('revoked_at'),
    revokerId: uuid('revoker_id').references(() => users.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('solve_corrections_game_id_idx').on(table.gameId),
    index('solve_corrections_participation_id_challenge_id_idx').on(table.participationId, table.challengeId),
    index('solve_corrections_challenge_id_idx').on(table.challengeId),
    index('solve_corrections_submission_id_idx').on(table.submissionId),
    index('solve_corrections_author_id_idx').on(table.authorId),
    index('solve_corrections_revoker_id_idx').on(table.revokerId),
    check('solve_corrections_kind_check', sql`${table.kind} in ${sqlList(correctionKinds)}`),
    check('solve_corrections_bound_check', sql`(${table.kind} = 'TakenBack') = (${table.lastSubmissionId} is not null)`),
  ],
)

/** Submissions that contain a flag of another team. */
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

/** Hints that teams bought. A purchase remains when its hint is edited or deleted. */
export const hintPurchases = pgTable(
  'hint_purchases',
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
    /** Id of the hint in `challenges.pricedHints`. */
    hintId: uuid('hint_id').notNull(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Points that the team paid. */
    price: integer('price').notNull(),
    boughtAt: instantColumn('bought_at').notNull(),
  },
  (table) => [
    unique('hint_purchases_participation_id_hint_id_key').on(table.participationId, table.hintId),
    index('hint_purchases_game_id_idx').on(table.gameId),
    index('hint_purchases_challenge_id_idx').on(table.challengeId),
    index('hint_purchases_user_id_idx').on(table.userId),
    check('hint_purchases_price_check', sql`${table.price} >= 0`),
  ],
)

/** Challenges that teams unlocked. They remain unlocked even if a solve is taken back or points decrease. */
export const unlocks = pgTable(
  'unlocks',
  {
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    unlockedAt: instantColumn('unlocked_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'unlocks_pkey', columns: [table.participationId, table.challengeId] }),
    index('unlocks_game_id_idx').on(table.gameId),
    index('unlocks_challenge_id_idx').on(table.challengeId),
  ],
)
