import { randomUUID } from 'node:crypto'
import { proxyConnections } from '@capstan/db/schema/instances'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, anInstance } from '../../testing/organizing-factories.ts'
import { pruneConnections, pruneLiveConnections } from './connection-upkeep.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())
beforeEach(() => context.sql`delete from proxy_connections`)

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
function ago(ms: number) {
  return new Date(context.clock.now().getTime() - ms)
}

function withLog(connectionLog: { days: number; rowsPerInstance: number }) {
  return { ...context.deps, config: { ...context.deps.config, connectionLog } }
}

async function aTarget(values: Partial<Parameters<typeof anInstance>[1]> = {}) {
  const { gameId, id: challengeId } = await aChallenge(context.db, { type: 'StaticContainer' })
  return anInstance(context.db, { gameId, challengeId, ...values })
}

/** Inserts a connection. By default, the connection closes after a second. @returns the id of the connection */
async function aConnection(
  instanceId: string,
  openedAt: Date,
  values: Partial<typeof proxyConnections.$inferInsert> = {},
): Promise<string> {
  const id = randomUUID()
  const closedAt = new Date(openedAt.getTime() + 1_000)
  await context.db
    .insert(proxyConnections)
    .values({ id, instanceId, clientAddress: '203.0.113.5', openedAt, closedAt, ...values })
  return id
}

/**
 * Inserts connections of one client. Each connection is a second older than the previous connection.
 * @returns the ids of the connections, newest first
 */
async function connections(instanceId: string, count: number, values: Partial<typeof proxyConnections.$inferInsert> = {}) {
  const ids: string[] = []
  for (let number = 0; number < count; number += 1)
    ids.push(await aConnection(instanceId, ago(minuteMs + number * 1_000), values))
  return ids
}

async function storedIds(instanceId?: string): Promise<string[]> {
  const rows = await context.db
    .select({ id: proxyConnections.id })
    .from(proxyConnections)
    .where(instanceId === undefined ? undefined : eq(proxyConnections.instanceId, instanceId))
  return rows.map(({ id }) => id).sort()
}

test('deletes connections that are older than the configured number of days', async () => {
  const { id } = await aTarget()
  await aConnection(id, ago(7 * dayMs + 1))
  await aConnection(id, ago(9 * dayMs), { closedAt: null })
  const young = await aConnection(id, ago(7 * dayMs - minuteMs))
  await pruneConnections(withLog({ days: 7, rowsPerInstance: 100 }))
  expect(await storedIds()).toEqual([young])
})

test('retains the newest connections of each instance and all connections that are not closed', async () => {
  const { id } = await aTarget()
  const { id: other } = await aTarget()
  const rows = await connections(id, 8)
  const open = await aConnection(id, ago(20 * minuteMs), { closedAt: null })
  const ofOther = await connections(other, 5)
  await pruneLiveConnections(withLog({ days: 90, rowsPerInstance: 5 }))
  expect(await storedIds(id)).toEqual([...rows.slice(0, 5), open].sort())
  expect(await storedIds(other)).toEqual([...ofOther].sort())
})

test('if a client floods the log, only connections of this client are deleted', async () => {
  const { id } = await aTarget()
  const { user } = await signInAsNewUser(context)
  const other = { clientAddress: '198.51.100.7' }
  const traces = [await aConnection(id, ago(5 * hourMs), other), await aConnection(id, ago(4 * hourMs), other)]
  // This connection comes from the address that floods the log, but belongs to a signed-in user.
  const ofUser = await aConnection(id, ago(5 * hourMs), { userId: user.id })
  const flood = await connections(id, 30)
  await pruneLiveConnections(withLog({ days: 90, rowsPerInstance: 10 }))
  expect(await storedIds(id)).toEqual([...traces, ofUser, ...flood.slice(0, 7)].sort())
})

test('treats a connection without a reported end as closed after its maximum time', async () => {
  const { id } = await aTarget()
  for (let number = 0; number < 3; number += 1) await aConnection(id, ago(2 * hourMs + number), { closedAt: null })
  const [newest] = await connections(id, 1)
  await pruneLiveConnections(withLog({ days: 90, rowsPerInstance: 1 }))
  expect(await storedIds(id)).toEqual([newest])
})

test('the hourly run prunes connections of instances that ended long ago, but the frequent run does not', async () => {
  const { id } = await aTarget({ endedAt: ago(3 * hourMs), status: 'Destroyed' })
  const rows = await connections(id, 3)
  const deps = withLog({ days: 90, rowsPerInstance: 2 })
  await pruneLiveConnections(deps)
  expect(await storedIds(id)).toHaveLength(3)
  await pruneConnections(deps)
  expect(await storedIds(id)).toEqual(rows.slice(0, 2).sort())
})

test('prunes thousands of connections of 25 instances in one run', async () => {
  const targets = await Promise.all(Array.from({ length: 25 }, () => aTarget()))
  for (const { id } of targets)
    await context.sql`insert into proxy_connections (id, instance_id, client_address, opened_at, closed_at)
      select gen_random_uuid(), ${id}, '203.0.113.5', ${ago(hourMs).toISOString()}::timestamptz + number * interval '1 ms', now()
      from generate_series(1, 400) as number`
  await pruneLiveConnections(withLog({ days: 90, rowsPerInstance: 10 }))
  expect(await storedIds()).toHaveLength(250)
})
