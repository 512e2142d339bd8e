import { randomUUID } from 'node:crypto'
import { challenges } from '@capstan/db/schema/challenges'
import { games } from '@capstan/db/schema/games'
import { instances, proxyConnections } from '@capstan/db/schema/instances'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, startTestApp, type TestApp } from '../testing/app.ts'
import { signIn } from '../testing/factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { internalToken: 'shared secret' } })
})
afterAll(() => context.close())

const authorization = 'Bearer shared secret'
const ask = async (url: string, headers: Record<string, string> = {}) =>
  (await createClient(context.app).inject({ url, headers: { authorization, ...headers } })).json()

const anInstance = async (values: Partial<typeof instances.$inferInsert> = {}) => {
  const now = new Date()
  const [game] = await context.db
    .insert(games)
    .values({
      title: 'G',
      startsAt: now,
      endsAt: new Date(now.getTime() + 1e6),
      writeupDeadline: now,
      publicKey: 'k',
      privateKey: 'k',
    })
    .returning()
  const [challenge] = await context.db
    .insert(challenges)
    .values({ gameId: game!.id, title: 'C', category: 'Misc', type: 'DynamicContainer' })
    .returning()
  const [instance] = await context.db
    .insert(instances)
    .values({ gameId: game!.id, challengeId: challenge!.id, image: 'i', expiresAt: new Date(now.getTime() + 1e6), ...values })
    .returning()
  return { game: game!, instance: instance! }
}

test('without the shared secret there is nothing here', async () => {
  const client = createClient(context.app)
  for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
    const response = await client.inject({ url: '/internal/session', headers })
    expect([response.statusCode, response.json().code]).toEqual([404, 'route.not-found'])
  }
})

test('a cookie tells who is behind it at this moment', async () => {
  const { user, client } = await signIn(context, 'Monitor')
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  expect(await ask('/internal/session', { cookie })).toEqual({ userId: user.id, role: 'Monitor' })
  expect(await ask('/internal/session')).toBeNull()
  expect(await ask('/internal/session', { cookie: 'capstan_session=forged' })).toBeNull()
})

test('a game exists or not', async () => {
  const { game } = await anInstance()
  expect(await ask(`/internal/games/${game.id}`)).toBe(true)
  expect(await ask('/internal/games/999999')).toBe(false)
  expect(await ask('/internal/games/1e99')).toBe(false)
})

test('an instance is found once it listens, and not after its end', async () => {
  const { instance: starting } = await anInstance()
  expect(await ask(`/internal/proxy/${starting.id}`)).toEqual({ state: 'unknown' })
  const { instance } = await anInstance({ host: '10.0.0.9', port: 1337, status: 'Running' })
  expect(await ask(`/internal/proxy/${instance.id}`)).toEqual({ state: 'ready', host: '10.0.0.9', port: 1337, kind: 'test' })
  await context.db.update(instances).set({ endedAt: new Date() }).where(eq(instances.id, instance.id))
  expect(await ask(`/internal/proxy/${instance.id}`)).toEqual({ state: 'unknown' })
  expect(await ask('/internal/proxy/not-a-uuid')).toEqual({ state: 'unknown' })
})

test('connections are kept by their id: a report may come again, bytes never shrink', async () => {
  const { instance } = await anInstance({ host: '10.0.0.9', port: 1337 })
  const id = randomUUID()
  const report = (bytesSent: number, closedAt: string | null) => ({
    ...{ id, instanceId: instance.id, clientAddress: '203.0.113.5', userId: null },
    ...{ bytesSent, bytesReceived: 5, openedAt: '2026-05-01T10:00:00.000Z', closedAt },
  })
  const send = (payload: object[]) =>
    createClient(context.app).inject({ method: 'POST', url: '/internal/proxy-connections', headers: { authorization }, payload })
  expect(
    (await send([report(10, null), report(20, null), { ...report(1, null), id: randomUUID(), instanceId: randomUUID() }]))
      .statusCode,
  ).toBe(204)
  expect((await send([report(30, '2026-05-01T10:05:00.000Z')])).statusCode).toBe(204)
  expect((await send([report(15, null)])).statusCode).toBe(204)
  const rows = await context.db.select().from(proxyConnections).where(eq(proxyConnections.instanceId, instance.id))
  expect(rows).toMatchObject([{ id, bytesSent: 30, bytesReceived: 5, closedAt: new Date('2026-05-01T10:05:00.000Z') }])
})

test('whose connection it is stays known once it was said, and somebody who is gone is nobody', async () => {
  const { instance } = await anInstance({ host: '10.0.0.9', port: 1337 })
  const { user } = await signIn(context)
  const report = (id: string, userId: string | null) => ({
    ...{ id, instanceId: instance.id, clientAddress: '203.0.113.5', userId, bytesSent: 1, bytesReceived: 1 },
    ...{ openedAt: '2026-05-01T10:00:00.000Z', closedAt: null },
  })
  const send = async (...payload: object[]) => {
    const headers = { authorization }
    const answer = await createClient(context.app).inject({
      method: 'POST',
      url: '/internal/proxy-connections',
      headers,
      payload,
    })
    expect(answer.statusCode).toBe(204)
  }
  const userOf = async (id: string) =>
    (await context.db.select().from(proxyConnections).where(eq(proxyConnections.id, id)))[0]?.userId
  const [early, late, together, orphan] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  await send(report(early, user.id))
  await send(report(early, null))
  await send(report(late, null))
  await send(report(late, user.id))
  await send(report(together, user.id), report(together, null))
  await send(report(orphan, randomUUID()))
  expect(await Promise.all([early, late, together, orphan].map(userOf))).toEqual([user.id, user.id, user.id, null])
})

test('the index page learns title and description', async () => {
  expect(await ask('/internal/page-settings')).toEqual({ title: 'CS', description: '' })
})
