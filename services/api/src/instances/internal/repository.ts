import type { ProxyConnectionReport } from '@capstan/contract/gateway-backend'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges } from '@capstan/db/schema/challenges'
import { games, participationMembers } from '@capstan/db/schema/games'
import { furtherGatewayPorts, instances, proxyConnections } from '@capstan/db/schema/instances'
import { and, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'

const instancesPerStatement = 20

export function createInternalRepository(db: Executor) {
  return {
    async gameExists(id: number): Promise<boolean> {
      return (await db.select({ id: games.id }).from(games).where(eq(games.id, id))).length > 0
    },
    /**
     * Finds the instance by its current or former label, or by its current port. The result includes the protocol of its
     * challenge. For an additional port, the result also includes the port of the container.
     */
    async findBehind(route: { readonly label: string } | { readonly port: number }) {
      const rows = await db
        .select({
          id: instances.id,
          endedAt: instances.endedAt,
          expiresAt: instances.expiresAt,
          speaks: challenges.speaks,
          isRaw: challenges.isRawHttp,
          hasOwnCertificate: challenges.hasOwnCertificate,
          isGuarded: challenges.isGuarded,
          key: instances.key,
          container: challenges.container,
          furtherContainers: challenges.furtherContainers,
          furtherPort: furtherGatewayPorts.port,
        })
        .from(instances)
        .innerJoin(challenges, eq(challenges.id, instances.challengeId))
        .leftJoin(
          furtherGatewayPorts,
          and(
            eq(furtherGatewayPorts.instanceId, instances.id),
            'label' in route ? sql`false` : eq(furtherGatewayPorts.gatewayPort, route.port),
          ),
        )
        .where(
          'label' in route
            ? eq(instances.label, route.label)
            : and(or(eq(instances.gatewayPort, route.port), isNotNull(furtherGatewayPorts.port)), isNull(instances.endedAt)),
        )
      // An api of an earlier version ignores additional ports, so it may assign such a port to a second instance. A port that two
      // instances have leads to neither instance.
      return rows.length === 1 ? rows[0] : undefined
    },
    async listPlayerAddresses(instanceId: string): Promise<string[]> {
      const rows = await db
        .selectDistinct({ address: users.lastAddress })
        .from(instances)
        .innerJoin(participationMembers, eq(participationMembers.participationId, instances.participationId))
        .innerJoin(users, eq(users.id, participationMembers.userId))
        .where(eq(instances.id, instanceId))
      return rows.map(({ address }) => address)
    },
    /** @param now time of the query. An instance is unreachable after its end, even if it is removed late. */
    async findLiveInstance(id: string, now: Date) {
      const [row] = await db
        .select({
          host: instances.host,
          port: instances.port,
          furtherPorts: instances.furtherPorts,
          furtherPlaces: instances.furtherPlaces,
          exposure: instances.exposure,
          participationId: instances.participationId,
        })
        .from(instances)
        .where(and(eq(instances.id, id), isNull(instances.endedAt), gt(instances.expiresAt, now)))
      return row
    },
    /**
     * Inserts connections, or updates connections that were reported before with the same id. Connections of deleted instances
     * are dropped, and a deleted user is stored as null.
     */
    async upsertConnections(reports: readonly ProxyConnectionReport[]): Promise<void> {
      const instanceIds = reports.map(({ instanceId }) => instanceId)
      const userIds = reports.flatMap(({ userId }) => userId ?? [])
      const knownInstances = await db.select({ id: instances.id }).from(instances).where(inArray(instances.id, instanceIds))
      const knownUsers = await db.select({ id: users.id }).from(users).where(inArray(users.id, userIds))
      const known = new Set([...knownInstances, ...knownUsers].map(({ id }) => id))
      // One statement cannot write a row twice, so only the newest report of each connection is written.
      const latest = new Map<string, ProxyConnectionReport>()
      for (const report of reports.filter(({ instanceId }) => known.has(instanceId)))
        latest.set(report.id, { ...report, userId: report.userId ?? latest.get(report.id)?.userId ?? null })
      const rows = [...latest.values()].map((report) => ({
        ...report,
        way: report.way ?? null,
        port: report.port ?? null,
        userId: report.userId !== null && known.has(report.userId) ? report.userId : null,
        openedAt: new Date(report.openedAt),
        closedAt: report.closedAt === null ? null : new Date(report.closedAt),
      }))
      if (rows.length === 0) return
      await db
        .insert(proxyConnections)
        .values(rows)
        .onConflictDoUpdate({
          target: proxyConnections.id,
          set: {
            userId: sql`coalesce(excluded.user_id, ${proxyConnections.userId})`,
            bytesSent: sql`greatest(${proxyConnections.bytesSent}, excluded.bytes_sent)`,
            bytesReceived: sql`greatest(${proxyConnections.bytesReceived}, excluded.bytes_received)`,
            closedAt: sql`coalesce(excluded.closed_at, ${proxyConnections.closedAt})`,
          },
        })
    },
    /** Deletes up to `count` connections that were opened before `before`. @returns the number of deleted rows */
    async deleteConnectionsBefore(before: Date, count: number): Promise<number> {
      const old = db.select({ id: proxyConnections.id }).from(proxyConnections).where(lt(proxyConnections.openedAt, before))
      return (await db.delete(proxyConnections).where(inArray(proxyConnections.id, old.limit(count)))).count
    },
    /**
     * Deletes surplus log rows of instances with more than `maxRows` ended connections. Clients with the most connections lose rows
     * first.
     * @param count maximum number of rows to delete
     * @param endedAfter excludes instances that ended before this time
     * @param overBefore connections that were opened before this time count as ended
     * @returns the number of deleted rows
     */
    async deleteSurplusConnections(
      maxRows: number,
      { endedAfter, overBefore, count }: Readonly<{ endedAfter: Date; overBefore: Date; count: number }>,
    ): Promise<number> {
      const isOver = sql`(closed_at is not null or opened_at < ${overBefore.toISOString()}::timestamptz)`
      const result = await db.execute(sql`
      with crowded as (
        select id from ${instances}
        where (ended_at is null or ended_at > ${endedAfter.toISOString()}::timestamptz) and exists (
          select 1 from ${proxyConnections}
          where instance_id = ${instances.id} and ${isOver} offset ${maxRows}::integer limit 1)
        limit ${instancesPerStatement}
      ), of_clients as (
        select id, instance_id, opened_at,
          row_number() over (partition by instance_id, client_address, user_id order by opened_at desc, id) as place
        from ${proxyConnections} where instance_id in (select id from crowded) and ${isOver}
      ), of_instances as (
        select id, row_number() over (partition by instance_id order by place, opened_at desc, id) as place from of_clients
      )
      delete from ${proxyConnections}
      where id in (select id from of_instances where place > ${maxRows}::integer limit ${count}::integer)`)
      return result.count
    },
  }
}
