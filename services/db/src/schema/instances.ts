import { ContainerStatus } from '@capstan/contract/challenges'
import { InstanceWay } from '@capstan/contract/reach'
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { challenges } from './challenges.ts'
import { instant } from './columns.ts'
import { games, participations } from './games.ts'

/**
 * Running containers: one live row per participation and challenge (test instances: per challenge), settled by partial unique
 * indexes. The row is written before the ChallengeInstance object and names it.
 */
export const instances = pgTable(
  'instances',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    gameId: integer('game_id')
      .notNull()
      .references(() => games.id, { onDelete: 'cascade' }),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    /** Null: a test instance of an admin. */
    participationId: integer('participation_id').references(() => participations.id, { onDelete: 'cascade' }),
    image: text('image').notNull(),
    status: text('status', { enum: ContainerStatus.enum }).notNull().default('Pending'),
    /** Where it listens, once ready. */
    host: text('host'),
    port: integer('port'),
    /** How players reach it, as it was made, whatever the platform does by now. Null: made before this was noted, and not seen since. */
    exposure: text('exposure', { enum: ['Proxy', 'Direct'] }),
    /**
     * Its name below the domain of instances: random, and nothing that a challenge can see leads to it. It stays when the instance
     * ends, so that a late visitor is told so. Null: made by a version without.
     */
    label: text('label'),
    /** Opens it where strangers are kept out: random, and nothing that a challenge can see leads to it. */
    key: uuid('key').notNull().defaultRandom(),
    /** Its port at the gateways while it lives. Null: none, or none was free. */
    gatewayPort: integer('gateway_port'),
    /** Why it does not run, in a sentence. */
    reason: text('reason'),
    startedAt: instant('started_at').notNull().defaultNow(),
    /** Who of the team started it: the first who was told of it. Null: a test instance, a user who is gone, or made before this was noted. */
    startedBy: uuid('started_by').references(() => users.id, { onDelete: 'set null' }),
    expiresAt: instant('expires_at').notNull(),
    /** When somebody of the team was first told of it. Null: whoever starts it again joins the start that is under way. */
    answeredAt: instant('answered_at'),
    endedAt: instant('ended_at'),
    /** Whether its traffic is to be recorded. */
    capture: boolean('capture').notNull().default(false),
  },
  (table) => [
    index('instances_captured_idx').on(table.gameId, table.startedAt).where(sql`${table.capture}`),
    uniqueIndex('instances_live_key')
      .on(table.participationId, table.challengeId)
      .where(sql`${table.endedAt} is null and ${table.participationId} is not null`),
    uniqueIndex('instances_live_test_key')
      .on(table.challengeId)
      .where(sql`${table.endedAt} is null and ${table.participationId} is null`),
    uniqueIndex('instances_label_key').on(table.label),
    uniqueIndex('instances_gateway_port_key').on(table.gatewayPort).where(sql`${table.endedAt} is null`),
    /** Which port was left longest ago. */
    index('instances_gateway_port_ended_at_idx')
      .on(table.gatewayPort, table.endedAt)
      .where(sql`${table.gatewayPort} is not null`),
    index('instances_live_idx').on(table.startedAt).where(sql`${table.endedAt} is null`),
    index('instances_participation_id_idx').on(table.participationId),
    index('instances_challenge_id_idx').on(table.challengeId),
  ],
)

/**
 * Ports of the gateways that lead to another port of an instance than its entry, each with the instance that it was last given to, and
 * whose it is while that lives. No port is at the same time `gatewayPort` of a live instance: starts choose under a lock of each port.
 */
export const furtherGatewayPorts = pgTable(
  'further_gateway_ports',
  {
    gatewayPort: integer('gateway_port').primaryKey(),
    instanceId: uuid('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** Of the container. */
    port: integer('port').notNull(),
  },
  (table) => [index('further_gateway_ports_instance_id_idx').on(table.instanceId)],
)

/** A client's connection to an instance through a gateway; bytes as seen from the client. */
export const proxyConnections = pgTable(
  'proxy_connections',
  {
    id: uuid('id').primaryKey(),
    instanceId: uuid('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    clientAddress: text('client_address').notNull(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** How the client came. Null: from a version that knew of WebSockets alone. */
    way: text('way', { enum: InstanceWay.enum }),
    /** Of the container. Null: its entry, or from a version that knew no other. */
    port: integer('port'),
    bytesSent: bigint('bytes_sent', { mode: 'number' }).notNull().default(0),
    bytesReceived: bigint('bytes_received', { mode: 'number' }).notNull().default(0),
    openedAt: instant('opened_at').notNull(),
    closedAt: instant('closed_at'),
  },
  (table) => [
    index('proxy_connections_instance_id_idx').on(table.instanceId),
    index('proxy_connections_opened_at_idx').on(table.openedAt),
  ],
)

/** Stored captures of instance traffic; bytes lie in the blob store. */
export const captures = pgTable(
  'captures',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    challengeId: integer('challenge_id')
      .notNull()
      .references(() => challenges.id, { onDelete: 'cascade' }),
    participationId: integer('participation_id')
      .notNull()
      .references(() => participations.id, { onDelete: 'cascade' }),
    instanceId: uuid('instance_id').references(() => instances.id, { onDelete: 'set null' }),
    fileName: text('file_name').notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    packets: bigint('packets', { mode: 'number' }),
    droppedPackets: bigint('dropped_packets', { mode: 'number' }),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('captures_file_key').on(table.challengeId, table.participationId, table.fileName),
    index('captures_instance_id_idx').on(table.instanceId),
    index('captures_participation_id_idx').on(table.participationId),
  ],
)

/**
 * The fetching of an instance's recordings: which process does it, and how well. A lease that has run out may be taken by
 * anybody, so that the death of one process hands its instances to the others.
 */
export const captureCollections = pgTable('capture_collections', {
  instanceId: uuid('instance_id')
    .primaryKey()
    .references(() => instances.id, { onDelete: 'cascade' }),
  /** Process that fetches; by the database's clock until `leasedUntil`. */
  holder: uuid('holder').notNull(),
  leasedUntil: instant('leased_until').notNull(),
  /** Everything that was finished by then is stored; null: never yet. */
  collectedAt: instant('collected_at'),
  /** Since when every attempt has failed; null: the last one succeeded. */
  failingSince: instant('failing_since'),
  /** Files that were not stored because the instance has filled its share, and their bytes. */
  refusedFiles: bigint('refused_files', { mode: 'number' }).notNull().default(0),
  refusedBytes: bigint('refused_bytes', { mode: 'number' }).notNull().default(0),
})

/** Counters of one run of an instance's recorder. A recorder that is started again begins another run. */
export const captureRuns = pgTable(
  'capture_runs',
  {
    instanceId: uuid('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** Chosen by the recorder. */
    run: text('run').notNull(),
    packets: bigint('packets', { mode: 'number' }).notNull(),
    droppedPackets: bigint('dropped_packets', { mode: 'number' }).notNull(),
    lostFiles: bigint('lost_files', { mode: 'number' }).notNull(),
    lostBytes: bigint('lost_bytes', { mode: 'number' }).notNull(),
    seenAt: instant('seen_at').notNull(),
    /** When it ended in order, with every file stored. */
    finishedAt: instant('finished_at'),
    /** When it was found to be gone without that: what it recorded since `seenAt` may be missing. */
    lostAt: instant('lost_at'),
  },
  (table) => [primaryKey({ name: 'capture_runs_pkey', columns: [table.instanceId, table.run] })],
)

/**
 * Files on their way into the blob store. Noted before the first byte and taken back together with the row in `captures`: after a
 * crash in between, the note tells which blob has no row yet.
 */
export const captureArrivals = pgTable(
  'capture_arrivals',
  {
    instanceId: uuid('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    fileName: text('file_name').notNull(),
  },
  (table) => [primaryKey({ name: 'capture_arrivals_pkey', columns: [table.instanceId, table.fileName] })],
)
