import { randomUUID } from 'node:crypto'
import { liveCheckGameId, type RealtimeMessage } from '@capstan/contract/events'
import { challenges } from '@capstan/db/schema/challenges'
import { games } from '@capstan/db/schema/games'
import { instances, proxyConnections } from '@capstan/db/schema/instances'
import { platformSettings } from '@capstan/db/schema/platform'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { anInstanceSpec } from '../lifecycle/testing/instance-spec.ts'
import { createGatewayBackend } from './gateway-backend.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { internalToken: 'shared secret' } })
})
afterAll(() => context.close())

const authorization = 'Bearer shared secret'
async function ask(url: string, headers: Record<string, string> = {}) {
  return (await createTestClient(context.app).inject({ url, headers: { authorization, ...headers } })).json()
}

async function anInstance(values: Partial<typeof instances.$inferInsert> = {}) {
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

test('answers 404 to a caller without the shared secret', async () => {
  const client = createTestClient(context.app)
  for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
    const response = await client.inject({ url: '/internal/session', headers })
    expect([response.statusCode, response.json().code]).toEqual([404, 'route.not-found'])
  }
})

test('the session query returns the user to whom the session cookie belongs', async () => {
  const { user, client } = await signInAsNewUser(context, 'Monitor')
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  expect(await ask('/internal/session', { cookie })).toEqual({ userId: user.id, role: 'Monitor' })
  expect(await ask('/internal/session')).toBeNull()
  expect(await ask('/internal/session', { cookie: 'capstan_session=forged' })).toBeNull()
})

test('if the client or the public origin uses HTTPS, the session query accepts only the cookie name for HTTPS', async () => {
  const { user, client } = await signInAsNewUser(context)
  const token = client.cookies.get('capstan_session')
  const nameOf = async (cookie: string, protocol: string) =>
    (await ask('/internal/session', { cookie, 'x-capstan-client-protocol': protocol }))?.userId ?? null
  expect(await nameOf(`capstan_session=${token}`, 'https')).toBeNull()
  expect(await nameOf(`__Host-capstan_session=${token}`, 'https')).toBe(user.id)
  expect(await nameOf(`capstan_session=${token}`, 'http')).toBe(user.id)
  const config = { ...context.deps.config, publicOrigin: 'https://ctf.example.org' }
  const app = await buildApp({ ...context.deps, config })
  const backend = createGatewayBackend(app)
  expect(await backend.session({ cookie: `capstan_session=${token}`, protocol: 'http' })).toBeNull()
  await app.close()
})

test('the installation check publishes a notice with a random word in the reserved game', async () => {
  expect(await ask(`/internal/games/${liveCheckGameId}`)).toBe(true)
  const heard: RealtimeMessage[] = []
  const end = context.app.deps.bus.subscribe((message) => heard.push(message))
  const url = '/internal/live-check'
  const client = createTestClient(context.app)
  const { word } = (await client.inject({ method: 'POST', url, headers: { authorization } })).json()
  await expect.poll(() => heard).toMatchObject([{ kind: 'notice', gameId: liveCheckGameId, payload: { values: [word] } }])
  end()
  expect((await client.inject({ method: 'POST', url })).statusCode).toBe(404)
})

test('the game query returns whether a game exists', async () => {
  const { game } = await anInstance()
  expect(await ask(`/internal/games/${game.id}`)).toBe(true)
  expect(await ask('/internal/games/999999')).toBe(false)
  expect(await ask('/internal/games/1e99')).toBe(false)
})

test('an instance is unreachable when it starts, ready once it listens, and unknown after its end', async () => {
  const { instance: starting } = await anInstance()
  expect(await ask(`/internal/proxy/${starting.id}`)).toEqual({ state: 'unreachable', kind: 'test' })
  const { instance } = await anInstance({ host: '10.0.0.9', port: 1337, status: 'Running' })
  expect(await ask(`/internal/proxy/${instance.id}`)).toEqual({ state: 'ready', host: '10.0.0.9', port: 1337, kind: 'test' })
  await context.db.update(instances).set({ endedAt: new Date() }).where(eq(instances.id, instance.id))
  expect(await ask(`/internal/proxy/${instance.id}`)).toEqual({ state: 'unknown' })
  expect(await ask('/internal/proxy/not-a-uuid')).toEqual({ state: 'unknown' })
})

test('an instance is unreachable while the database and the runtime have different addresses', async () => {
  const { instance } = await anInstance({ host: '10.0.0.9', port: 1337, status: 'Running' })
  const target = () => ask(`/internal/proxy/${instance.id}`)
  await context.runtime.runtime.create(anInstanceSpec({ id: instance.id, expiresAt: instance.expiresAt }))
  context.runtime.setState(instance.id, { kind: 'ready', host: '10.0.0.9', port: 1337 })
  expect(await target()).toEqual({ state: 'ready', host: '10.0.0.9', port: 1337, kind: 'test' })
  const restarting = { kind: 'pending', reason: 'Restarting', message: 'It restarts.' } as const
  // The pod remains, and will listen at this address again.
  context.runtime.setState(instance.id, { ...restarting, address: { host: '10.0.0.9', port: 1337 } })
  expect(await target()).toMatchObject({ state: 'ready', host: '10.0.0.9' })
  context.runtime.setState(instance.id, restarting)
  expect(await target()).toEqual({ state: 'unreachable', kind: 'test' })
  // Row and runtime disagree, and either of them may be stale.
  context.runtime.setState(instance.id, { kind: 'ready', host: '10.0.0.10', port: 1337 })
  expect(await target()).toEqual({ state: 'unreachable', kind: 'test' })
  await context.db.update(instances).set({ host: '10.0.0.10' }).where(eq(instances.id, instance.id))
  expect(await target()).toMatchObject({ state: 'ready', host: '10.0.0.10' })
})

test('repeated reports about a connection update one row, and the stored byte counts never decrease', async () => {
  const { instance } = await anInstance({ host: '10.0.0.9', port: 1337 })
  const id = randomUUID()
  const report = (bytesSent: number, closedAt: string | null) => ({
    ...{ id, instanceId: instance.id, clientAddress: '203.0.113.5', userId: null },
    ...{ bytesSent, bytesReceived: 5, openedAt: '2026-05-01T10:00:00.000Z', closedAt },
  })
  const send = (payload: object[]) =>
    createTestClient(context.app).inject({
      method: 'POST',
      url: '/internal/proxy-connections',
      headers: { authorization },
      payload,
    })
  expect(
    (await send([report(10, null), report(20, null), { ...report(1, null), id: randomUUID(), instanceId: randomUUID() }]))
      .statusCode,
  ).toBe(204)
  expect((await send([report(30, '2026-05-01T10:05:00.000Z')])).statusCode).toBe(204)
  expect((await send([report(15, null)])).statusCode).toBe(204)
  const rows = await context.db.select().from(proxyConnections).where(eq(proxyConnections.instanceId, instance.id))
  expect(rows).toMatchObject([{ id, bytesSent: 30, bytesReceived: 5, closedAt: new Date('2026-05-01T10:05:00.000Z') }])
})

test('if only one report about a connection names the user, the connection log stores that user', async () => {
  const { instance } = await anInstance({ host: '10.0.0.9', port: 1337 })
  const { user } = await signInAsNewUser(context)
  const report = (id: string, userId: string | null) => ({
    ...{ id, instanceId: instance.id, clientAddress: '203.0.113.5', userId, bytesSent: 1, bytesReceived: 1 },
    ...{ openedAt: '2026-05-01T10:00:00.000Z', closedAt: null },
  })
  const send = async (...payload: object[]) => {
    const headers = { authorization }
    const answer = await createTestClient(context.app).inject({
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

test('the index page receives previews of public games, but not of hidden games', async () => {
  const [{ game: shown }, { game: hidden }] = [await anInstance(), await anInstance()]
  const posterHash = 'ab'.repeat(32)
  await context.db.update(games).set({ summary: 'Six boats', posterHash }).where(eq(games.id, shown.id))
  await context.db.update(games).set({ hidden: true }).where(eq(games.id, hidden.id))
  const { games: previews }: { games: { id: number }[] } = await ask('/internal/page-settings')
  expect(previews.filter(({ id }) => [shown.id, hidden.id].includes(id))).toEqual([
    { id: shown.id, title: 'G', summary: 'Six boats', poster: `/assets/${posterHash}/poster` },
  ])
})

test('the index page receives title, description and the public settings', async () => {
  const config = (await context.app.inject('/api/config')).json()
  expect(config.title).toBe('CS')
  expect(await ask('/internal/page-settings')).toEqual({ title: 'CS', description: '', config, games: expect.any(Array) })
  const repositoryUrl = 'https://git.example.org/fork'
  await context.db.insert(platformSettings).values({ section: 'project', value: { repositoryUrl } })
  expect(await ask('/internal/page-settings')).toMatchObject({ title: 'CS', repository: repositoryUrl })
})
