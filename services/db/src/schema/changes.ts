import { sql } from 'drizzle-orm'
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'
import { instantColumn, transactionId } from './columns.ts'

/**
 * Change feed, which lists changes of rows that api processes cache. Triggers add an entry in the transaction that changes a row.
 * Transactions may commit in a different order than they add entries. A process reads each entry after its commit, even if it has
 * already read entries that were added later. Old entries are deleted.
 */
export const changes = pgTable(
  'changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    transaction: transactionId('transaction').notNull().default(sql`pg_current_xact_id()`),
    /**
     * Kind and id of the changed row: attachment, challenge, game, participation, session, team, token or user. For a changed
     * scoreboard: `board {game} [{team} [name]]`.
     */
    key: text('key').notNull(),
    changedAt: instantColumn('changed_at').notNull().defaultNow(),
  },
  (table) => [index('changes_transaction_idx').on(table.transaction)],
)
