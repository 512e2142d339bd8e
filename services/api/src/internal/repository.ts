import type { ProxyConnectionReport } from '@capstan/contract/gateway-backend'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { games } from '@capstan/db/schema/games'
import { instances, proxyConnections } from '@capstan/db/schema/instances'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'

export const internalRepository = (db: Executor) => ({
  async gameExists(id: number): Promise<boolean> {
    return (await db.select({ id: games.id }).from(games).where(eq(games.id, id))).length > 0
  },
  async findLiveInstance(id: string) {
    const [row] = await db
      .select({ host: instances.host, port: instances.port, participationId: instances.participationId })
      .from(instances)
      .where(and(eq(instances.id, id), isNull(instances.endedAt)))
    return row
  },
  /**
   * Writes connections by their id; a later report adds to what earlier ones said. Those of instances that are gone are left
   * out, and so are users who are gone.
   */
  async upsertConnections(reports: readonly ProxyConnectionReport[]): Promise<void> {
    const instanceIds = reports.map(({ instanceId }) => instanceId)
    const userIds = reports.flatMap(({ userId }) => userId ?? [])
    const knownInstances = await db.select({ id: instances.id }).from(instances).where(inArray(instances.id, instanceIds))
    const knownUsers = await db.select({ id: users.id }).from(users).where(inArray(users.id, userIds))
    const known = new Set([...knownInstances, ...knownUsers].map(({ id }) => id))
    // One statement cannot write a row twice: of several reports on a connection the last one counts.
    const latest = new Map<string, ProxyConnectionReport>()
    for (const report of reports.filter(({ instanceId }) => known.has(instanceId)))
      latest.set(report.id, { ...report, userId: report.userId ?? latest.get(report.id)?.userId ?? null })
    const rows = [...latest.values()].map((report) => ({
      ...report,
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
})
