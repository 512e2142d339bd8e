import { recordKinds } from '@capstan/contract/vocabulary'
import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { instant, sqlList, transactionId } from './columns.ts'

/**
 * Append-only history of everything that changes scores. The triggers of the migration `score_records` write it in the transaction
 * of the change. The last record of a key is its present state. Records contain ids of teams, and no names of teams or users.
 */
export const scoreRecords = pgTable(
  'score_records',
  {
    /** Order of the records with the same key. Other records can become visible in another order. */
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Game. A trigger deletes its records after everything else of the game. A foreign key could cause deadlocks. */
    gameId: integer('game_id').notNull(),
    transaction: transactionId('transaction').notNull().default(sql`pg_current_xact_id()`),
    /** Number in the game without gaps, from 1. Null until no earlier transaction is open. It is set once. */
    sequence: integer('sequence'),
    /** Time of the change. A solve has the time of its submission. */
    time: instant('time').notNull(),
    kind: text('kind', { enum: recordKinds }).notNull(),
    /** Id of the row, or its two ids with a blank between them. Empty for a game. */
    key: text('key').notNull(),
    /** State of the row after the change. Null if it no longer counts. Shapes: `rules/scoring/records.ts`. */
    value: jsonb('value'),
  },
  (table) => [
    // Index for the records of a game, and for those that became visible since a snapshot.
    index('score_records_game_id_transaction_idx').on(table.gameId, table.transaction),
    uniqueIndex('score_records_game_id_sequence_key').on(table.gameId, table.sequence),
    index('score_records_unnumbered_idx').on(table.gameId).where(sql`${table.sequence} is null`),
    index('score_records_participations_idx').on(table.gameId, table.key, table.id).where(sql`${table.kind} = 'participation'`),
    check('score_records_kind_check', sql`${table.kind} in ${sqlList(recordKinds)}`),
  ],
)
