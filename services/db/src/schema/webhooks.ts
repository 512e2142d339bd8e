import { languageCodes } from '@capstan/contract/languages'
import { webhookServices, webhookStates } from '@capstan/contract/vocabulary'
import type { WebhookKind } from '@capstan/contract/webhooks'
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { textArray } from '../text-array.ts'
import { users } from './accounts.ts'
import { instantColumn, sqlList } from './columns.ts'
import { games } from './games.ts'

/**
 * Webhooks: services outside of the platform to which events are sent. Address, authorization and signing keys are encrypted with
 * the server secret.
 */
export const webhooks = pgTable(
  'webhooks',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    name: text('name').notNull(),
    service: text('service', { enum: webhookServices }).notNull(),
    address: text('address').notNull(),
    /** Host name in the address. Admins see only this part of the address. */
    host: text('host').notNull(),
    authorization: text('authorization'),
    /** Game whose events are sent. Null if the events of all games are sent. */
    gameId: integer('game_id').references(() => games.id, { onDelete: 'cascade' }),
    kinds: textArray('kinds').notNull(),
    isForOrganizers: boolean('is_for_organizers').notNull(),
    language: text('language', { enum: languageCodes }).notNull(),
    template: text('template').notNull(),
    isEnabled: boolean('is_enabled').notNull(),
    disabledReason: text('disabled_reason'),
    signingKey: text('signing_key').notNull(),
    /** Signing key before the last renewal. Until `previousKeyUntil`, events are signed with both keys. */
    previousKey: text('previous_key'),
    previousKeyUntil: instantColumn('previous_key_until'),
    /** Number of failures since the last success. `failingSince` is the time of the first of these failures. */
    failures: integer('failures').notNull().default(0),
    failingSince: instantColumn('failing_since'),
    /** Number of events that the receiver refused since the last success. */
    refusals: integer('refusals').notNull().default(0),
    lastError: text('last_error'),
    nextAttemptAt: instantColumn('next_attempt_at').notNull(),
    creatorId: uuid('creator_id').references(() => users.id, { onDelete: 'set null' }),
    createdAt: instantColumn('created_at').notNull(),
  },
  (table) => [
    index('webhooks_game_id_idx').on(table.gameId),
    index('webhooks_creator_id_idx').on(table.creatorId),
    check('webhooks_service_check', sql`${table.service} in ${sqlList(webhookServices)}`),
  ],
)

/**
 * Events that were or will be sent to webhooks, in the order of their times. When a notice, solve, event or instance changes, a
 * trigger inserts the webhook event in the same transaction. Names are looked up when the webhook event is sent.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    webhookId: uuid('webhook_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    eventId: uuid('event_id').notNull().defaultRandom(),
    kind: text('kind').$type<WebhookKind>().notNull(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id'),
    teamId: integer('team_id'),
    /** Notice or solve that the event reports. If it is removed before the event is sent, the event is dropped. */
    noticeId: integer('notice_id'),
    solveId: integer('solve_id'),
    /** Ticket that the event reports. If it is removed before the event is sent, the event is dropped. */
    ticketId: uuid('ticket_id'),
    /** Reason why an instance failed, for events about failed instances. */
    reason: text('reason'),
    occurredAt: instantColumn('occurred_at').notNull(),
    state: text('state', { enum: webhookStates }).notNull().default('Pending'),
    attempts: integer('attempts').notNull().default(0),
    attemptedAt: instantColumn('attempted_at'),
    /** Body that the first attempt sent. Later attempts send the same body. */
    body: text('body'),
    status: integer('status'),
    answer: text('answer'),
    error: text('error'),
  },
  (table) => [
    index('webhook_deliveries_pending_idx')
      .on(table.webhookId, table.occurredAt, table.id)
      .where(sql`${table.state} = 'Pending'`),
    index('webhook_deliveries_webhook_id_id_idx').on(table.webhookId, table.id),
    index('webhook_deliveries_game_id_idx').on(table.gameId),
    uniqueIndex('webhook_deliveries_phase_key')
      .on(table.webhookId, table.gameId, table.kind, table.occurredAt)
      .where(sql`${table.kind} in ('GameStarted', 'GameEnded', 'BoardFrozen')`),
    check('webhook_deliveries_state_check', sql`${table.state} in ${sqlList(webhookStates.filter((state) => state !== 'Held'))}`),
  ],
)
