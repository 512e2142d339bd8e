import { roles } from '@capstan/contract/roles'
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { instantColumn, nameKeyColumns, sqlList } from './columns.ts'

/** Value that is stored instead of a password hash for accounts without a password. No password matches it. */
export const noPassword = 'none'

/** Accounts. User names and email addresses are unique regardless of case. */
export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userName: text('user_name').notNull(),
    ...nameKeyColumns,
    email: text('email').notNull(),
    /** Argon2id hash in PHC string format. Imported accounts have the hash of their former platform until the first login. */
    passwordHash: text('password_hash').notNull(),
    role: text('role', { enum: roles }).notNull().default('User'),
    /** True if the account is active. Other accounts cannot log in. */
    emailConfirmed: boolean('email_confirmed').notNull().default(false),
    realName: text('real_name').notNull().default(''),
    stdNumber: text('std_number').notNull().default(''),
    phone: text('phone'),
    bio: text('bio').notNull().default(''),
    avatarHash: text('avatar_hash'),
    /** True if other users can see the player's page. */
    hasPublicPage: boolean('has_public_page').notNull().default(true),
    /** True if the user gets the mails that organizers send to participants of games. */
    hasGameMail: boolean('has_game_mail').notNull().default(true),
    /**
     * Email address for which the mail server last refused a mail to the user. The value is ignored once the user has another
     * address.
     */
    refusedEmail: text('refused_email'),
    /**
     * Email address that is proven to belong to the user. The proof is a mailed link, a provider that verified the address, or a
     * bulk list from an admin. A migration set the address for older accounts that no provider had created. The address is ignored
     * once the user has another address.
     */
    provenEmail: text('proven_email'),
    registeredAt: instantColumn('registered_at').notNull().defaultNow(),
    lastVisitedAt: instantColumn('last_visited_at').notNull().defaultNow(),
    lastAddress: text('last_address').notNull().default('0.0.0.0'),
  },
  (table) => [
    uniqueIndex('users_user_name_key').on(sql`lower(${table.userName})`),
    uniqueIndex('users_name_skeleton_key').on(table.nameSkeleton),
    uniqueIndex('users_name_shape_key').on(table.nameShape),
    uniqueIndex('users_name_reading_key').on(table.nameReading),
    uniqueIndex('users_email_key').on(sql`lower(${table.email})`),
    index('users_registered_at_idx').on(table.registeredAt),
    index('users_imported_idx').on(table.id).where(sql`${table.passwordHash} like 'imported:%'`),
    check('users_role_check', sql`${table.role} in ${sqlList(roles)}`),
  ],
)

/**
 * SQL condition that selects accounts with a password hash of another platform. The index `users_imported_idx` finds these
 * accounts.
 */
export const isImported = sql`${users.passwordHash} like 'imported:%'`

/** Sessions. Only the hash of the opaque cookie value is stored. Deleting the row ends the session at once. */
export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 of the cookie value, hex. */
    tokenHash: text('token_hash').primaryKey(),
    /** Id of the session in API calls. It is random, so it reveals nothing about the cookie. */
    id: uuid('id').notNull().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: instantColumn('created_at').notNull().defaultNow(),
    expiresAt: instantColumn('expires_at').notNull(),
    /** Beginning of the `User-Agent` header of the log-in. */
    userAgent: text('user_agent').notNull().default(''),
    lastUsedAt: instantColumn('last_used_at').notNull().defaultNow(),
    lastAddress: text('last_address').notNull().default('0.0.0.0'),
    /** Identity provider of the log-in. Null for other log-in methods. The provider may have been deleted since the log-in. */
    providerId: uuid('provider_id'),
  },
  (table) => [index('sessions_user_id_idx').on(table.userId), index('sessions_expires_at_idx').on(table.expiresAt)],
)

/** Tokens of links in mails. Each token works once, and expires after `Limits.mailTokenHours`. Expired rows remain for a week. */
export const mailTokens = pgTable(
  'mail_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    purpose: text('purpose', { enum: ['activation', 'reset', 'address-change'] }).notNull(),
    email: text('email').notNull(),
    /**
     * Hash of the password of the registration that sent the link. Null for a sign-in with an identity provider. The link activates
     * this password only if no other request for the account had other credentials.
     */
    passwordHash: text('password_hash'),
    expiresAt: instantColumn('expires_at').notNull(),
  },
  (table) => [index('mail_tokens_user_id_idx').on(table.userId), index('mail_tokens_expires_at_idx').on(table.expiresAt)],
)

/** Mails that wait to be sent. A row is deleted once the mail server has accepted the mail. */
export const mailQueue = pgTable(
  'mail_queue',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    html: text('html').notNull(),
    text: text('text').notNull(),
    /** Address for the one-click unsubscribe (RFC 8058). Only mails to the participants of games have such an address. */
    unsubscribeUrl: text('unsubscribe_url'),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: instantColumn('next_attempt_at').notNull().defaultNow(),
    createdAt: instantColumn('created_at').notNull().defaultNow(),
  },
  (table) => [index('mail_queue_next_attempt_at_idx').on(table.nextAttemptAt)],
)

export const loginFailures = pgTable('login_failures', {
  key: text('key').primaryKey(),
  failures: integer('failures').notNull().default(0),
  lastFailureAt: instantColumn('last_failure_at').notNull().defaultNow(),
})
