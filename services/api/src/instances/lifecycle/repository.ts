import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { assignments, challenges } from '@capstan/db/schema/challenges'
import { games, participationMembers, participations } from '@capstan/db/schema/games'
import { furtherGatewayPorts, instances } from '@capstan/db/schema/instances'
import { events } from '@capstan/db/schema/news'
import { teams } from '@capstan/db/schema/teams'
import type { PortRange } from '@capstan/settings/kinds'
import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { createLabel } from './label.ts'
import type { InstanceAddress, InstanceFailure } from './runtime.ts'

export type InstanceRow = typeof instances.$inferSelect
export type PortedRow = InstanceRow & { readonly furtherGatewayPorts: ReadonlyMap<number, number> }
/** Columns with the addresses of an instance. */
export type StoredAddresses = Pick<InstanceRow, 'host' | 'port' | 'furtherPlaces'>
export type ChallengeRow = typeof challenges.$inferSelect

type ListedInstance = Readonly<{
  id: string
  image: string
  host: string | null
  port: number | null
  exposure: InstanceRow['exposure']
  startedAt: string
  expiresAt: string
  teamId: number
  challengeId: number
}>

/**
 * Instances of teams. The data of each team and challenge is included only once, because a challenge may have thousands of
 * instances.
 */
export type InstanceListing = Readonly<{
  instances: readonly ListedInstance[]
  teams: readonly Readonly<{ id: number; name: string; avatarHash: string | null }>[]
  challenges: readonly Readonly<{
    id: number
    title: string
    category: string
    port: number
  }>[]
}>

export type TeamInstanceRow = Readonly<{
  id: string
  challengeId: number
  title: string
  category: ChallengeRow['category']
  unlockRule: ChallengeRow['unlockRule']
  status: InstanceRow['status']
  startedBy: string | null
  startedAt: Date
  expiresAt: Date
}>

/** Selects the live instances to end. With `teamsOnly`, the test instance of the challenge continues. */
export type EndingScope =
  | { readonly gameId: number }
  | Readonly<{ challengeId: number; teamsOnly?: boolean }>
  | { readonly participationId: number }

/** Row of an instance that has not ended, with the data that determines whether the instance may continue. */
export type RepairRow = Readonly<{
  id: string
  status: InstanceRow['status']
  host: string | null
  port: number | null
  furtherPorts: InstanceRow['furtherPorts']
  furtherPlaces: InstanceRow['furtherPlaces']
  exposure: InstanceRow['exposure']
  startedAt: Date
  expiresAt: Date
  /**
   * True if the instance may continue. False if the game has ended without practice mode, if the challenge is disabled, or if the
   * team is not Accepted. Always true for test instances.
   */
  isAllowed: boolean
}>

/**
 * New addresses of an instance. The row retains its value if `address` is undefined, if `furtherPorts` is undefined, or if
 * `exposure` is null.
 */
export type WrittenAddress = Pick<InstanceRow, 'furtherPlaces' | 'exposure'> &
  Readonly<{
    /** True if the instance is ready now. If the value is false, a row with the status Pending does not change. */
    isReady: boolean
    address: InstanceAddress | undefined
    furtherPorts: InstanceRow['furtherPorts'] | undefined
  }>

const isLive = isNull(instances.endedAt)

function conditionOf(scope: EndingScope) {
  if ('gameId' in scope) return eq(instances.gameId, scope.gameId)
  if ('participationId' in scope) return eq(instances.participationId, scope.participationId)
  const ofTeams = scope.teamsOnly ? isNotNull(instances.participationId) : undefined
  return and(eq(instances.challengeId, scope.challengeId), ofTeams)
}

/**
 * Maximum number of attempts to lock a port of the gateway for one instance. If all attempts fail, the instance starts without a
 * gateway port.
 */
const maxPortAttempts = 20

/**
 * Number of candidate ports in addition to the required ports. A start picks candidates at random, so that concurrent starts
 * rarely choose the same port.
 */
export const portChoices = 16

const portLock = 31_000

/**
 * Locks up to `count` free ports until the transaction ends. Ports that were freed longest ago are preferred, so that late clients
 * of the previous team do not reach another team. A lock is needed, because the ports are in two tables, and no unique index covers
 * both.
 */
async function lockFreePorts(db: Executor, range: PortRange, count: number): Promise<number[]> {
  for (let tries = 0; tries < maxPortAttempts; tries += 1) {
    const ports = await lockPorts(db, range, count)
    // A concurrent transaction may have taken a port after our snapshot, and then released the lock on the port. The next attempt
    // sees that the port is taken.
    if (!(await isAnyTaken(db, ports))) return ports
  }
  return []
}

async function lockPorts(db: Executor, { first, last }: PortRange, count: number): Promise<number[]> {
  const choices = portChoices + count
  const locked = await db.execute<{ readonly port: number }>(sql`
    select port from (select port from (
      select candidate.port from generate_series(${first}::integer, ${last}::integer) as candidate (port)
      left join lateral (
        select id, ended_at from ${instances} where gateway_port = candidate.port order by ended_at desc nulls first limit 1
      ) as latest on true
      left join ${furtherGatewayPorts} as given on given.gateway_port = candidate.port
      left join ${instances} as holder on holder.id = given.instance_id
      where (latest.id is null or latest.ended_at is not null) and (holder.id is null or holder.ended_at is not null)
      order by greatest(latest.ended_at, holder.ended_at) nulls first limit ${choices}::integer
    ) as free order by random() limit ${choices}::integer
    ) as mixed where pg_try_advisory_xact_lock(${portLock}::integer, port) limit ${count}::integer`)
  return locked.map(({ port }) => port)
}

async function isAnyTaken(db: Executor, ports: readonly number[]): Promise<boolean> {
  const [taken] = await db
    .select({ id: instances.id })
    .from(instances)
    .leftJoin(furtherGatewayPorts, eq(furtherGatewayPorts.instanceId, instances.id))
    .where(and(isLive, or(inArray(instances.gatewayPort, [...ports]), inArray(furtherGatewayPorts.gatewayPort, [...ports]))))
    .limit(1)
  return taken !== undefined
}

export type PlainPorts = Readonly<{
  /** True if the instance needs a gateway port besides the ports in `further`. */
  hasFirst: boolean
  /** Additional container ports. Each of these ports needs a separate gateway port. */
  further: readonly number[]
}>

export function createInstanceRepository(db: Executor) {
  return {
    /** Locks the game against its deletion. Concurrent starts may hold the same lock. */
    async lockGameAgainstDeletion(id: number) {
      const [row] = await db.select().from(games).where(eq(games.id, id)).for('key share')
      return row
    },
    async findChallenge(gameId: number, id: number): Promise<ChallengeRow | undefined> {
      const [row] = await db
        .select()
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
      return row
    },
    /** Locks the challenge against changes. Concurrent starts may hold the same lock. */
    async lockChallengeAgainstChanges(gameId: number, id: number): Promise<ChallengeRow | undefined> {
      const [row] = await db
        .select()
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
        .for('share')
      return row
    },
    async lockParticipation(id: number) {
      const [row] = await db
        .select({ id: participations.id, status: participations.status, token: participations.token })
        .from(participations)
        .where(eq(participations.id, id))
        .for('no key update')
      return row
    },
    /** Locks the challenge, so that starts and stops of its test instance run one after another. */
    async lockChallenge(gameId: number, id: number): Promise<ChallengeRow | undefined> {
      const [row] = await db
        .select()
        .from(challenges)
        .where(and(eq(challenges.gameId, gameId), eq(challenges.id, id)))
        .for('no key update')
      return row
    },
    async findAssignment(participationId: number, challengeId: number) {
      const [row] = await db
        .select()
        .from(assignments)
        .where(and(eq(assignments.participationId, participationId), eq(assignments.challengeId, challengeId)))
      return row
    },
    async setLastOperation(participationId: number, challengeId: number, at: Date): Promise<void> {
      await db
        .insert(assignments)
        .values({ participationId, challengeId, lastInstanceOperationAt: at })
        .onConflictDoUpdate({
          target: [assignments.participationId, assignments.challengeId],
          set: { lastInstanceOperationAt: at },
        })
    },
    /** Removes the cool-down that a start or stop at the time `at` caused. The cool-down of a later start or stop remains. */
    async forgetOperation(participationId: number, challengeId: number, at: Date): Promise<void> {
      await db
        .update(assignments)
        .set({ lastInstanceOperationAt: null })
        .where(
          and(
            eq(assignments.participationId, participationId),
            eq(assignments.challengeId, challengeId),
            eq(assignments.lastInstanceOperationAt, at),
          ),
        )
    },
    listLiveOf: (participationId: number): Promise<{ instance: InstanceRow; challengeTitle: string }[]> =>
      db
        .select({ instance: instances, challengeTitle: challenges.title })
        .from(instances)
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .where(and(eq(instances.participationId, participationId), isLive))
        .orderBy(asc(instances.startedAt), asc(instances.id)),
    listOfTeam: (participationId: number): Promise<TeamInstanceRow[]> =>
      db
        .select({
          id: instances.id,
          challengeId: instances.challengeId,
          title: challenges.title,
          category: challenges.category,
          unlockRule: challenges.unlockRule,
          status: instances.status,
          startedBy: users.userName,
          startedAt: instances.startedAt,
          expiresAt: instances.expiresAt,
        })
        .from(instances)
        .innerJoin(challenges, and(eq(challenges.id, instances.challengeId), challenges.isShown))
        .leftJoin(users, eq(users.id, instances.startedBy))
        .where(and(eq(instances.participationId, participationId), isLive))
        .orderBy(asc(instances.startedAt), asc(instances.id)),
    /** Returns the members of the teams to which these instances belong. The instances may have ended. */
    listPlayersOf: (ids: readonly string[]): Promise<{ gameId: number; userIds: string[] }[]> =>
      db
        .select({
          gameId: participationMembers.gameId,
          userIds: sql<string[]>`json_agg(distinct ${participationMembers.userId})`,
        })
        .from(instances)
        .innerJoin(participationMembers, eq(participationMembers.participationId, instances.participationId))
        .where(inArray(instances.id, [...ids]))
        .groupBy(participationMembers.gameId),
    async findLive(participationId: number, challengeId: number): Promise<InstanceRow | undefined> {
      const [row] = await db
        .select()
        .from(instances)
        .where(and(eq(instances.participationId, participationId), eq(instances.challengeId, challengeId), isLive))
      return row
    },
    async findLiveTest(challengeId: number): Promise<InstanceRow | undefined> {
      const [row] = await db
        .select()
        .from(instances)
        .where(and(eq(instances.challengeId, challengeId), isNull(instances.participationId), isLive))
      return row
    },
    /** Returns the newest test instance, which may have ended. */
    async findLastTest(challengeId: number): Promise<InstanceRow | undefined> {
      const [row] = await db
        .select()
        .from(instances)
        .where(and(eq(instances.challengeId, challengeId), isNull(instances.participationId)))
        .orderBy(desc(instances.startedAt))
        .limit(1)
      return row
    },
    /**
     * Returns the challenges that ever had a ready test instance with the current images. An instance that was ready has an
     * address, even after its end. A row of an older version contains only the first image.
     */
    async listTested(challengeIds: readonly number[]): Promise<number[]> {
      const images = sql`jsonb_path_query_array(${challenges.furtherContainers}, '$[*].image')`
      const rows = await db
        .selectDistinct({ id: challenges.id })
        .from(challenges)
        .innerJoin(instances, eq(instances.challengeId, challenges.id))
        .where(
          and(
            inArray(challenges.id, [...challengeIds]),
            isNull(instances.participationId),
            eq(instances.image, challenges.containerImage),
            or(isNull(instances.furtherImages), eq(instances.furtherImages, images)),
            isNotNull(instances.host),
          ),
        )
      return rows.map(({ id }) => id)
    },
    async find(id: string): Promise<InstanceRow | undefined> {
      const [row] = await db.select().from(instances).where(eq(instances.id, id))
      return row
    },
    /**
     * Inserts a row with a new label, and with the required gateway ports if enough of them are free.
     * @param ports range of the gateways, or undefined if the gateways have no ports
     */
    async insert(
      values: typeof instances.$inferInsert,
      ports?: PortRange,
      { hasFirst, further }: PlainPorts = { hasFirst: true, further: [] },
    ): Promise<PortedRow> {
      const wanted = (hasFirst ? 1 : 0) + further.length
      const label = createLabel()
      for (let tries = 0; ; tries += 1) {
        const free = ports && wanted > 0 && tries < maxPortAttempts ? await lockFreePorts(db, ports, wanted) : []
        const gatewayPort = hasFirst ? free[0] : undefined
        const others = hasFirst ? free.slice(1) : free
        const [row] = await db
          .insert(instances)
          .values({ ...values, label, gatewayPort: gatewayPort ?? null })
          // A concurrent start may have taken the port.
          .onConflictDoNothing({ target: instances.gatewayPort, where: isLive })
          .returning()
        if (row) return { ...row, furtherGatewayPorts: await takeFurther(row.id, others) }
        if (gatewayPort === undefined) throw new Error('Inserting an instance returned no row')
      }

      async function takeFurther(instanceId: string, free: readonly number[]): Promise<ReadonlyMap<number, number>> {
        const given = further.slice(0, free.length).map((port, index) => ({ instanceId, port, gatewayPort: free[index] ?? 0 }))
        if (given.length > 0)
          await db
            .insert(furtherGatewayPorts)
            .values(given)
            .onConflictDoUpdate({
              target: furtherGatewayPorts.gatewayPort,
              set: { instanceId: sql`excluded.instance_id`, port: sql`excluded.port` },
            })
        return new Map(given.map(({ port, gatewayPort }) => [port, gatewayPort]))
      }
    },
    async withPorts(row: InstanceRow): Promise<PortedRow> {
      const given = await db.select().from(furtherGatewayPorts).where(eq(furtherGatewayPorts.instanceId, row.id))
      return { ...row, furtherGatewayPorts: new Map(given.map(({ port, gatewayPort }) => [port, gatewayPort])) }
    },
    async setExpiry(id: string, expiresAt: Date): Promise<InstanceRow | undefined> {
      const [row] = await db
        .update(instances)
        .set({ expiresAt })
        .where(and(eq(instances.id, id), isLive))
        .returning()
      return row
    },
    /**
     * Records the first team member who received the started instance.
     * @returns false if a member was already recorded or the instance has ended
     */
    async setAnswered(id: string, userId: string, now: Date): Promise<boolean> {
      const rows = await db
        .update(instances)
        .set({ answeredAt: now, startedBy: userId })
        .where(and(eq(instances.id, id), isLive, isNull(instances.answeredAt)))
        .returning({ id: instances.id })
      return rows.length > 0
    },
    /**
     * Marks a live instance as running at an address. Only `storeInstanceAddress` calls this.
     * @returns the row and its former addresses, or undefined if nothing differs or the instance has ended
     */
    async writeAddress(
      id: string,
      { isReady, address, furtherPorts, furtherPlaces, exposure }: WrittenAddress,
    ): Promise<Readonly<{ row: InstanceRow; former: StoredAddresses }> | undefined> {
      const jsonOf = (value: object | null) => sql`${value && JSON.stringify(value)}::jsonb`
      const after = {
        host: sql`coalesce(${address?.host ?? null}::text, ${instances.host})`,
        port: sql`coalesce(${address?.port ?? null}::integer, ${instances.port})`,
        furtherPorts: furtherPorts === undefined ? sql`${instances.furtherPorts}` : jsonOf(furtherPorts),
        furtherPlaces: jsonOf(furtherPlaces),
        exposure: sql`coalesce(${exposure}::text, ${instances.exposure})`,
      }
      const differs = sql`(${instances.status}, ${instances.host}, ${instances.port}, ${instances.furtherPorts},
        ${instances.furtherPlaces}, ${instances.exposure}) is distinct from ('Running', ${after.host}, ${after.port},
        ${after.furtherPorts}, ${after.furtherPlaces}, ${after.exposure})`
      // The condition excludes a row that already matches, so that it is neither locked nor written.
      const before = db
        .select({ id: instances.id, host: instances.host, port: instances.port, furtherPlaces: instances.furtherPlaces })
        .from(instances)
        .where(and(eq(instances.id, id), isLive, isReady ? undefined : eq(instances.status, 'Running'), differs))
        .for('update')
        .as('before')
      const [changed] = await db
        .update(instances)
        .set({ status: 'Running', ...after })
        .from(before)
        .where(eq(instances.id, before.id))
        .returning({
          row: getTableColumns(instances),
          former: { host: before.host, port: before.port, furtherPlaces: before.furtherPlaces },
        })
      return changed
    },
    /** Closes a live row. @returns the closed row, or undefined if there is no such live row */
    async end(id: string, now: Date, failure?: InstanceFailure): Promise<InstanceRow | undefined> {
      const [row] = await db
        .update(instances)
        .set({ status: 'Destroyed', endedAt: now, ...(failure && { reason: failure.message, reasonCode: failure.reason }) })
        .where(and(eq(instances.id, id), isLive))
        .returning()
      return row
    },
    /** Closes all live rows of the scope. @returns their ids */
    async endAll(scope: EndingScope, now: Date): Promise<string[]> {
      const ended = await db
        .update(instances)
        .set({ status: 'Destroyed', endedAt: now })
        .where(and(conditionOf(scope), isLive))
        .returning({ id: instances.id })
      return ended.map(({ id }) => id)
    },
    async listOfTeams(): Promise<InstanceListing> {
      // Use the raw rows of the driver, because mapping ten thousand rows would take as long as reading them.
      const listed = await db.execute<ListedInstance>(sql`
      select ${instances.id}, ${instances.image}, ${instances.host}, ${instances.port}, ${instances.exposure},
        ${instances.startedAt} as "startedAt", ${instances.expiresAt} as "expiresAt",
        ${participations.teamId} as "teamId", ${instances.challengeId} as "challengeId"
      from ${instances} join ${participations} on ${participations.id} = ${instances.participationId}
      where ${isLive} order by ${instances.startedAt}, ${instances.id}`)
      const ofLive = db
        .select({ teamId: participations.teamId })
        .from(participations)
        .innerJoin(instances, and(eq(instances.participationId, participations.id), isLive))
      const live = db.select({ challengeId: instances.challengeId }).from(instances).where(isLive)
      // Read teams and challenges after the instances. An instance whose team or challenge is not found has ended or was deleted
      // between the queries.
      const [listedTeams, listedChallenges] = await Promise.all([
        db.select({ id: teams.id, name: teams.name, avatarHash: teams.avatarHash }).from(teams).where(inArray(teams.id, ofLive)),
        db
          .select({
            id: challenges.id,
            title: challenges.title,
            category: challenges.category,
            port: challenges.port,
          })
          .from(challenges)
          .where(inArray(challenges.id, live)),
      ])
      return { instances: listed, teams: listedTeams, challenges: listedChallenges }
    },
    listLiveOfTeams: () =>
      db
        .select({ id: instances.id, status: instances.status })
        .from(instances)
        .where(and(isLive, isNotNull(instances.participationId))),
    listLimitsOfTeams: () =>
      db
        .select({ id: instances.id, cpuTenths: challenges.cpuTenths, memoryMb: challenges.memoryMb })
        .from(instances)
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .where(and(isLive, isNotNull(instances.participationId))),
    listLiveForRepair: (now: Date): Promise<RepairRow[]> =>
      db
        .select({
          id: instances.id,
          status: instances.status,
          host: instances.host,
          port: instances.port,
          furtherPorts: instances.furtherPorts,
          furtherPlaces: instances.furtherPlaces,
          exposure: instances.exposure,
          startedAt: instances.startedAt,
          expiresAt: instances.expiresAt,
          isAllowed: sql<boolean>`(${instances.participationId} is null or (
          ${challenges.isShown} and ${participations.status} = 'Accepted'
          and (${games.practiceMode} or ${games.endsAt} >= ${now.toISOString()}::timestamptz)))`,
        })
        .from(instances)
        .innerJoin(games, eq(games.id, instances.gameId))
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .leftJoin(participations, eq(participations.id, instances.participationId))
        .where(isLive),
    async insertEvent(
      event: Readonly<{
        gameId: number
        type: 'ContainerStart' | 'ContainerDestroy'
        values: string[]
        occurredAt: Date
        userId: string
        teamId: number
      }>,
    ): Promise<void> {
      await db.insert(events).values(event)
    },
  }
}
