import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { instant } from './columns.ts'

/** Authenticator apps of users (TOTP, RFC 6238). A user has at most one. */
export const totpFactors = pgTable('totp_factors', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Secret, sealed for this user. */
  secret: text('secret').notNull(),
  /** Time step of the last accepted code. Only codes of later steps are valid. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull(),
  enabledAt: instant('enabled_at').notNull(),
})

/** Unused recovery codes. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the code, hex. */
    codeHash: text('code_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)
