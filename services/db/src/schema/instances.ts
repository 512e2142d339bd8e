import { ContainerStatus } from '@capstan/contract/challenges'
import { InstanceWay } from '@capstan/contract/reach'
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { challenges } from './challenges.ts'
import { instantColumn } from './columns.ts'
import { games, participations } from './games.ts'

/**
 * Instances. Partial unique indexes allow one running instance per participation and challenge, and one running test instance per
 * challenge. The row is written before the ChallengeInstance object is created, because the object's name is derived from the
 * row's id.
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
    /**
     * Images of the additional containers of a test instance, in the order of the containers. Null for instances of teams, and for
     * rows from an older version.
     */
    furtherImages: jsonb('further_images').$type<readonly string[]>(),
    status: text('status', { enum: ContainerStatus.enum }).notNull().default('Pending'),
    /** Address of the instance. Null until the instance is ready. Only `storeInstanceAddress` of the api writes it. */
    host: text('host'),
    port: integer('port'),
    /**
     * Map from each container port to the port of `host` that forwards to it. Null if each container port equals its forwarding
     * port.
     */
    furtherPorts: jsonb('further_ports').$type<Readonly<Record<number, number>>>(),
    /**
     * Addresses of ports of the additional containers. The key consists of container name and port, such as `db:5432`. Null if
     * the additional containers have no ports.
     */
    furtherPlaces: jsonb('further_places').$type<Readonly<Record<string, Readonly<{ host: string; port: number }>>>>(),
    /**
     * Exposure with which the instance was created. It remains the same even if an admin changes the setting later. Null if an
     * older version created the row and the instance was not observed since then.
     */
    exposure: text('exposure', { enum: ['Proxy', 'Direct'] }),
    /**
     * First label of the instance's host name. It is random, so that a challenge cannot compute the labels of other instances.
     * The row retains the label after the end of the instance, so that the gateway can explain to visitors that the instance has
     * ended. Null for rows of older versions.
     */
    label: text('label'),
    /**
     * Access key, which clients need if the instance is guarded. It is random, so that a challenge cannot compute the keys of
     * other instances.
     */
    key: uuid('key').notNull().defaultRandom(),
    /**
     * Plain port of the gateways, which leads to the instance while it is running. Null if the instance needs no plain port, or
     * if no port was free.
     */
    gatewayPort: integer('gateway_port'),
    /** Why the instance failed, as an English sentence. */
    reason: text('reason'),
    /** Reason of the failure as one PascalCase word. Null for rows of older versions. */
    reasonCode: text('reason_code'),
    startedAt: instantColumn('started_at').notNull().defaultNow(),
    /**
     * Team member who counts as the starter of the instance: the member whose start call got the first response. Null for a test
     * instance, a deleted user, or a row of an older version.
     */
    startedBy: uuid('started_by').references(() => users.id, { onDelete: 'set null' }),
    expiresAt: instantColumn('expires_at').notNull(),
    /**
     * Time of the first response to a call that starts the instance. Until this time, other start calls of the team wait for the
     * same start.
     */
    answeredAt: instantColumn('answered_at'),
    endedAt: instantColumn('ended_at'),
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
    /** Index that finds the plain port that has been unused for the longest time. */
    index('instances_gateway_port_ended_at_idx')
      .on(table.gatewayPort, table.endedAt)
      .where(sql`${table.gatewayPort} is not null`),
    index('instances_live_idx').on(table.startedAt).where(sql`${table.endedAt} is null`),
    index('instances_participation_id_idx').on(table.participationId),
    index('instances_challenge_id_idx').on(table.challengeId),
  ],
)

/**
 * Plain ports of the gateways that lead to additional ports of instances. Each row names the last instance that used the port.
 * While that instance is running, it owns the port. The start of an instance locks the rows of its ports, so that no other
 * instance gets one of these ports as `gatewayPort`.
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
 * Connections of clients to instances through a gateway. Bytes count as sent if the client sent them, and as received if the
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
    /** Kind of address that the client used, such as `http`. Null for rows from older versions, which supported only WebSockets. */
    way: text('way', { enum: InstanceWay.enum }),
    /** Port of the container. Null for the entry port. Older versions supported only the entry port, so their rows contain null. */
    port: integer('port'),
    bytesSent: bigint('bytes_sent', { mode: 'number' }).notNull().default(0),
    bytesReceived: bigint('bytes_received', { mode: 'number' }).notNull().default(0),
    openedAt: instantColumn('opened_at').notNull(),
    closedAt: instantColumn('closed_at'),
  },
  (table) => [
    index('proxy_connections_instance_id_idx').on(table.instanceId),
    index('proxy_connections_opened_at_idx').on(table.openedAt),
  ],
)

/** Stored files with captured traffic of instances. The blob store contains their bytes. */
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
    updatedAt: instantColumn('updated_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('captures_file_key').on(table.challengeId, table.participationId, table.fileName),
    index('captures_instance_id_idx').on(table.instanceId),
    index('captures_participation_id_idx').on(table.participationId),
  ],
)

/**
 * State of the collection of an instance's capture files. If the api process that collects crashes, another process continues
 * after the lease has expired.
 */
export const captureCollections = pgTable('capture_collections', {
  instanceId: uuid('instance_id')
    .primaryKey()
    .references(() => instances.id, { onDelete: 'cascade' }),
  /** Api process that may collect until `leasedUntil`. The clock of the database decides when this time has passed. */
  holder: uuid('holder').notNull(),
  leasedUntil: instantColumn('leased_until').notNull(),
  /** Time up to which all finished capture files are stored. Null before the first collection. */
  collectedAt: instantColumn('collected_at'),
  /** Time of the first failed collection after the last successful one. Null if the last attempt to collect succeeded. */
  failingSince: instantColumn('failing_since'),
  /** Number and total size of files that were not stored, because they were invalid or exceeded the team's quota of the challenge. */
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
    /** Id of the run, which the recorder chose. */
    run: text('run').notNull(),
    packets: bigint('packets', { mode: 'number' }).notNull(),
    droppedPackets: bigint('dropped_packets', { mode: 'number' }).notNull(),
    lostFiles: bigint('lost_files', { mode: 'number' }).notNull(),
    lostBytes: bigint('lost_bytes', { mode: 'number' }).notNull(),
    seenAt: instantColumn('seen_at').notNull(),
    /** Time of the orderly end of the run, after every file was stored. Null until then. */
    finishedAt: instantColumn('finished_at'),
    /** Time at which the run was marked as lost, because it had no orderly end. Traffic after `seenAt` may be missing. */
    lostAt: instantColumn('lost_at'),
  },
  (table) => [primaryKey({ name: 'capture_runs_pkey', columns: [table.instanceId, table.run] })],
)

/**
 * Files that are being copied into the blob store. A row is added before the first byte is copied. The transaction that inserts
 * the file into `captures` deletes the row. A row that remains after a crash identifies a blob without a row in `captures`.
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
