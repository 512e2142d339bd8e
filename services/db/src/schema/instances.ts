import { ContainerStatus } from '@capstan/contract/challenges'
import { InstanceWay } from '@capstan/contract/reach'
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { challenges } from './challenges.ts'
import { instant } from './columns.ts'
import { games, participations } from './games.ts'

/**
 * Instances. Partial unique indexes allow one live row per participation and challenge, and one test instance per challenge. The
 * row is written before the ChallengeInstance object, whose name is derived from it.
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
    /** Null for a test instance of an admin. */
    participationId: integer('participation_id').references(() => participations.id, { onDelete: 'cascade' }),
    image: text('image').notNull(),
    status: text('status', { enum: ContainerStatus.enum }).notNull().default('Pending'),
    /** Address of the instance once it is ready. Only `storeReadyAddress` of the api writes it. */
    host: text('host'),
    port: integer('port'),
    /**
     * Ports of `host` that lead to ports of the container, as a map from container port to port of `host`. Null if the two are
     * always equal.
     */
    furtherPorts: jsonb('further_ports').$type<Readonly<Record<number, number>>>(),
    /**
     * Addresses of the ports of the other containers, as a map from container name and port, such as `db:5432`, to the address.
     * Null if the other containers have no ports.
     */
    furtherPlaces: jsonb('further_places').$type<Readonly<Record<string, { readonly host: string; readonly port: number }>>>(),
    /**
     * Exposure that the instance was created with, even if the setting changed since. Null for rows of older versions whose
     * instance was never observed.
     */
    exposure: text('exposure', { enum: ['Proxy', 'Direct'] }),
    /**
     * Host label below the domain of instances. It is random, so that a challenge cannot derive it. It is retained after the end,
     * so that late visitors get an explanation. Null for rows of older versions.
     */
    label: text('label'),
    /** Access key of a guarded instance. It is random, so that a challenge cannot derive it. */
    key: uuid('key').notNull().defaultRandom(),
    /** Port at the gateways while the instance lives. Null if the instance needs no port or none was free. */
    gatewayPort: integer('gateway_port'),
    reason: text('reason'),
    startedAt: instant('started_at').notNull().defaultNow(),
    /**
     * Team member whose start call was answered first, and who therefore counts as starter. Null for a test instance, a deleted
     * user, or a row of an older version.
     */
    startedBy: uuid('started_by').references(() => users.id, { onDelete: 'set null' }),
    expiresAt: instant('expires_at').notNull(),
    /** Time at which a start call was first answered. Until then, further start calls of the team wait for the same start. */
    answeredAt: instant('answered_at'),
    endedAt: instant('ended_at'),
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
    /** Finds the port that has been unused for the longest time. */
    index('instances_gateway_port_ended_at_idx')
      .on(table.gatewayPort, table.endedAt)
      .where(sql`${table.gatewayPort} is not null`),
    index('instances_live_idx').on(table.startedAt).where(sql`${table.endedAt} is null`),
    index('instances_participation_id_idx').on(table.participationId),
    index('instances_challenge_id_idx').on(table.challengeId),
  ],
)

/**
 * Gateway ports for the ports of instances besides the entry port, each with the last instance that used it. While that instance
 * lives, it owns the port. The start of an instance locks its ports, so that no other instance gets one of them as `gatewayPort`.
 */
export const furtherGatewayPorts = pgTable(
  'further_gateway_ports',
  {
    gatewayPort: integer('gateway_port').primaryKey(),
    instanceId: uuid('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    port: integer('port').notNull(),
  },
  (table) => [index('further_gateway_ports_instance_id_idx').on(table.instanceId)],
)

/**
 * Connection of a client to an instance through a gateway. Bytes count as sent if the client sent them, and as received if the
 * client received them.
 */
export const proxyConnections = pgTable(
  'proxy_connections',
  {
    id: uuid('id').primaryKey(),
    instanceId: uuid('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    clientAddress: text('client_address').notNull(),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** Way in which the client reached the instance, such as `http`. Null for rows of versions that supported only WebSockets. */
    way: text('way', { enum: InstanceWay.enum }),
    /** Port of the container. Null for the entry port, or for rows of versions that had no other ports. */
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

/** Stored captures of instance traffic. The blob store contains their bytes. */
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
 * State of the collection of an instance's recordings. If the collecting process crashes, another process takes over when the
 * lease has expired.
 */
export const captureCollections = pgTable('capture_collections', {
  instanceId: uuid('instance_id')
    .primaryKey()
    .references(() => instances.id, { onDelete: 'cascade' }),
  /** Process that may collect until `leasedUntil`, which the clock of the database decides. */
  holder: uuid('holder').notNull(),
  leasedUntil: instant('leased_until').notNull(),
  /** Time up to which all finished files are stored. Null if no file was collected yet. */
  collectedAt: instant('collected_at'),
  /** Time of the first failure since the last success. Null if the last attempt succeeded. */
  failingSince: instant('failing_since'),
  /** Number and bytes of files that were not stored, because the instance exceeded its quota. */
  refusedFiles: bigint('refused_files', { mode: 'number' }).notNull().default(0),
  refusedBytes: bigint('refused_bytes', { mode: 'number' }).notNull().default(0),
})

/** Counters of one run of an instance's recorder. A restarted recorder begins another run. */
export const captureRuns = pgTable(
  'capture_runs',
  {
    instanceId: uuid('instance_id')
      .notNull()
      .references(() => instances.id, { onDelete: 'cascade' }),
    /** Id that the recorder chose. */
    run: text('run').notNull(),
    packets: bigint('packets', { mode: 'number' }).notNull(),
    droppedPackets: bigint('dropped_packets', { mode: 'number' }).notNull(),
    lostFiles: bigint('lost_files', { mode: 'number' }).notNull(),
    lostBytes: bigint('lost_bytes', { mode: 'number' }).notNull(),
    seenAt: instant('seen_at').notNull(),
    /** Time of an orderly end, with every file stored. Null until then. */
    finishedAt: instant('finished_at'),
    /** Time at which an unfinished run was recorded as lost. Recordings after `seenAt` may be missing. */
    lostAt: instant('lost_at'),
  },
  (table) => [primaryKey({ name: 'capture_runs_pkey', columns: [table.instanceId, table.run] })],
)

/**
 * Files that are being copied into the blob store. A row is added before the first byte is copied. The transaction that inserts the
 * file into `captures` deletes the row. After a crash, a remaining row identifies a blob without a row in `captures`.
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
