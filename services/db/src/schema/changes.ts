import { sql } from 'drizzle-orm'
import { bigint, customType, index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * What has changed of the rows that api processes keep in memory, written by triggers in the transaction of the change itself. A
 * process reads what became visible since it last looked, whatever the order of commits was. Rows are deleted after a while.
 */
export const changes = pgTable(
  'changes',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    transaction: transactionId('transaction').notNull().default(sql`pg_current_xact_id()`),
    /** Kind and id of the changed row: `team 12`. */
    key: text('key').notNull(),
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (table) => [index('changes_transaction_idx').on(table.transaction)],
)
