import type { AccountSession } from '@capstan/contract/sessions'
import { sessions } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'

const account = { userName: 'owner', email: 'owner@example.org', password: 'Correct1horse' }
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { trustedProxies: true } })
  await createTestClient(context.app).post('/api/account/register', account)
  await context.db.delete(sessions)
})
afterAll(() => context.close())

async function logIn(userAgent: string, address: string): Promise<TestClient> {
  const client = createTestClient(context.app)
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': address }
  const response = await client.inject({ method: 'POST', url: '/api/account/login', headers, payload: account })
  expect(response.statusCode).toBe(200)
  return client
}
async function list(client: TestClient): Promise<AccountSession[]> {
  return (await client.get('/api/account/sessions')).json()
}
async function statusOf(client: TestClient) {
  return (await client.get('/api/account/profile')).statusCode
}

test('users see device, address and last use of their sessions, and can end one session or all other sessions', async () => {
  const first = await logIn(firefox, '203.0.113.1')
  context.clock.advanceMs(60_000)
  const second = await logIn(safari, '203.0.113.2')
  const openedAt = context.clock.now().getTime()
  context.clock.advanceMs(60_000)
  await first.inject({ url: '/api/account/profile', headers: { 'x-forwarded-for': '203.0.113.9' } })
  const usedAt = context.clock.now().getTime()
  const third = await logIn('', '203.0.113.3')
  const rows = await list(second)
  const common = { id: expect.stringMatching(/^[0-9a-f-]{36}$/) }
  expect(rows.toSorted((left, right) => left.openedAt - right.openedAt)).toEqual([
    {
      ...common,
      ...{ isCurrent: false, browser: 'Firefox', system: 'Linux', address: '203.0.113.9' },
      ...{ openedAt: openedAt - 60_000, lastUsedAt: usedAt },
    },
    expect.objectContaining({ isCurrent: true, browser: 'Safari', system: 'iOS', openedAt }),
    expect.objectContaining({ isCurrent: false, browser: null, system: null, address: '203.0.113.3' }),
  ])
  const [{ id } = { id: '' }] = rows.filter(({ browser }) => browser === 'Firefox')
  expect((await second.delete(`/api/account/sessions/${id}`)).statusCode).toBe(200)
  expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([401, 200, 200])
  expect((await second.delete(`/api/account/sessions/${id}`)).json().code).toBe('session.unknown')
  expect((await second.delete('/api/account/sessions')).statusCode).toBe(200)
  expect([await statusOf(second), await statusOf(third)]).toEqual([200, 401])
  expect(await list(second)).toHaveLength(1)
})

test('clears the cookie of a client that ends its own session', async () => {
  const client = await logIn(firefox, '203.0.113.4')
  const own = (await list(client)).find(({ isCurrent }) => isCurrent)
  const ended = await client.delete(`/api/account/sessions/${own?.id}`)
  expect([ended.statusCode, ended.cookies[0]?.value]).toEqual([200, ''])
  expect(await statusOf(client)).toBe(401)
})

test('refuses to end a session of another user', async () => {
  const owner = await logIn(firefox, '203.0.113.5')
  const { client: stranger } = await signInAsNewUser(context)
  const [own] = await list(owner)
  expect((await stranger.delete(`/api/account/sessions/${own?.id}`)).json().code).toBe('session.unknown')
  await stranger.delete('/api/account/sessions')
  expect(await statusOf(owner)).toBe(200)
  expect((await list(stranger)).map(({ isCurrent }) => isCurrent)).toEqual([true])
})

test('a long User-Agent is shortened, and a session of an older version without User-Agent is listed', async () => {
  const client = await logIn('x'.repeat(4_000), '203.0.113.6')
  const { user, client: older } = await signInAsNewUser(context)
  expect((await context.db.select().from(sessions).where(eq(sessions.lastAddress, '203.0.113.6')))[0]?.userAgent).toHaveLength(
    512,
  )
  expect(await statusOf(client)).toBe(200)
  await context.db.update(sessions).set({ userAgent: '' }).where(eq(sessions.userId, user.id))
  expect((await list(older))[0]).toMatchObject({ browser: null, system: null, isCurrent: true })
})

test('lets an admin end all sessions of a user, except the session that makes the call', async () => {
  const { user: boss, client: admin } = await signInAsNewUser(context, 'Admin')
  const { user, client } = await signInAsNewUser(context)
  expect((await admin.delete(`/api/admin/users/${user.id}/sessions`)).statusCode).toBe(200)
  expect(context.logLines.at(-1)).toMatchObject({ message: `Ended the sessions of user "${user.userName}"` })
  expect(await statusOf(client)).toBe(401)
  expect((await admin.delete(`/api/admin/users/${boss.id}/sessions`)).statusCode).toBe(200)
  expect(await statusOf(admin)).toBe(200)
})
