import { sql } from 'drizzle-orm'
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant, transactionId } from './columns.ts'

/**
 * Changes of rows that api processes cache. Triggers write these rows in the transaction of the change. A process reads all
 * changes that became visible since its last read, even if they were committed in another order. Old rows are deleted.
 */
export const changes = pgTable(
  'changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    transaction: transactionId('transaction').notNull().default(sql`pg_current_xact_id()`),
    /**
     * Kind and id of the changed row: attachment, challenge, game, participation, session, team, token or user; or
     * `board {game} [{team} [name]]`. The triggers of the migrations write them.
     */
    key: text('key').notNull(),
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (table) => [index('changes_transaction_idx').on(table.transaction)],
)
