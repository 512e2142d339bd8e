import { recordKinds } from '@capstan/contract/vocabulary'
import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { instantColumn, sqlList, transactionId } from './columns.ts'
import { games } from './games.ts'

/**
 * Append-only history of everything that changes scores. Triggers of the migration `score_records` add a record in the
 * transaction that changes a row. The last record with a row's key contains the current state of the row. Records contain ids of
 * teams, but no names of teams or users.
 */
export const scoreRecords = pgTable(
  'score_records',
  {
    /** Id that orders the records with the same key. Records with different keys may become visible in another order. */
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /**
     * Game of the record. The column has no foreign key, because a foreign key could cause deadlocks. When a game is deleted, a
     * trigger deletes its records after all other rows of the game.
     */
    gameId: integer('game_id').notNull(),
    transaction: transactionId('transaction').notNull().default(sql`pg_current_xact_id()`),
    /**
     * Number of the record in the public chain of the game. Numbers start at 1 and have no gaps. Null until the record becomes
     * public, and 0 if it never becomes public. The number is set only once.
     */
    sequence: integer('sequence'),
    /** Time of the change. Records of a solve have the time of its submission. */
    time: instantColumn('time').notNull(),
    kind: text('kind', { enum: recordKinds }).notNull(),
    /** Id of the changed row, or two ids with a space between them. Empty if the changed row is a game. */
    key: text('key').notNull(),
    /** State of the row after the change. `rules/scoring/records.ts` defines its type. Null if the row no longer counts. */
    value: jsonb('value'),
  },
  (table) => [
    // Index that finds all records of a game, or only the records that became visible after a snapshot.
    index('score_records_game_id_transaction_idx').on(table.gameId, table.transaction),
    index('score_records_participations_idx').on(table.gameId, table.key, table.id).where(sql`${table.kind} = 'participation'`),
    uniqueIndex('score_records_chain_key').on(table.gameId, table.sequence).where(sql`${table.sequence} > 0`),
    // Index for the newest public record with a given kind and key.
    index('score_records_chain_rows_idx').on(table.gameId, table.kind, table.key, table.id).where(sql`${table.sequence} > 0`),
    index('score_records_unnumbered_idx').on(table.gameId).where(sql`${table.sequence} is null`),
    check('score_records_kind_check', sql`${table.kind} in ${sqlList(recordKinds)}`),
  ],
)

/**
 * Signed hashes of the public chains of games. A hash covers the records from the first one to the record `sequence`. Rules:
 * `docs/verifying.md`.
 */
export const boardSeals = pgTable(
  'board_seals',
  {
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    /** Number of the last record that the hash covers. */
    sequence: integer('sequence').notNull(),
    /** Hash of the chain, in hexadecimal digits. */
    hash: text('hash').notNull(),
    /** Signature of the hash with the private key of the game, in hexadecimal digits. */
    signature: text('signature').notNull(),
    sealedAt: instantColumn('sealed_at').notNull(),
  },
  (table) => [primaryKey({ name: 'board_seals_pkey', columns: [table.gameId, table.sequence] })],
)
