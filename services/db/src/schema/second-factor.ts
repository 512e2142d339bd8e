import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { instantColumn } from './columns.ts'

/** Authenticator apps of users (TOTP, RFC 6238). A user has at most one authenticator app. */
export const totpFactors = pgTable('totp_factors', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** TOTP secret of the authenticator app, sealed for this user. */
  secret: text('secret').notNull(),
  /** Time step (RFC 6238) of the last accepted code. Only codes of later time steps are valid. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull(),
  enabledAt: instantColumn('enabled_at').notNull(),
})

/** Passkeys and security keys of users (WebAuthn). */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Credential id, which the authenticator chose, in base64url. */
    credentialId: text('credential_id').notNull().unique(),
    /** Public key in COSE format, in base64url. */
    publicKey: text('public_key').notNull(),
    /** Signature counter that the authenticator reported last. 0 if the authenticator has no counter. */
    signCount: bigint('sign_count', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    name: text('name').notNull(),
    createdAt: instantColumn('created_at').notNull(),
    /**
     * Time of the last login with the passkey. Only a WebAuthn challenge that was issued later is valid, so that a login cannot
     * be replayed.
     */
    lastUsedAt: instantColumn('last_used_at'),
  },
  (table) => [index('passkeys_by_user').on(table.userId)],
)

/** Unused recovery codes. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the recovery code, in hexadecimal digits. */
    codeHash: text('code_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)
