import { sessions, users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient, startTestApp, type TestApp } from '../testing/app.ts'
import { aUser } from '../testing/factories.ts'

const dayMs = 86_400_000

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { trustedProxies: true } })
})
afterAll(() => context.close())

const open = async () => {
  const user = await aUser(context.db)
  const { token } = await context.app.sessions.open(user.id)
  const client = createClient(context.app)
  client.cookies.set('capstan_session', token)
  return { user, token, client }
}
const endOf = async (userId: string) =>
  (await context.db.select().from(sessions).where(eq(sessions.userId, userId)))[0]!.expiresAt.getTime()

test('a session is renewed once more than half of its seven days is over', async () => {
  const { user, client } = await open()
  const firstEnd = await endOf(user.id)
  context.clock.advanceMs(3.4 * dayMs)
  expect((await client.get('/api/account/profile')).cookies).toEqual([])
  expect(await endOf(user.id)).toBe(firstEnd)
  context.clock.advanceMs(0.2 * dayMs)
  const renewing = await client.inject({ url: '/api/account/profile' })
  expect(renewing.cookies).toMatchObject([{ name: 'capstan_session', httpOnly: true, sameSite: 'Lax', path: '/' }])
  expect(await endOf(user.id)).toBe(context.clock.now().getTime() + 7 * dayMs)
})

test('a session is over after seven days without a visit', async () => {
  const { client } = await open()
  context.clock.advanceMs(7 * dayMs)
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  await context.app.sessions.deleteExpired()
})

test('only the hash of the cookie is stored', async () => {
  const { user, token } = await open()
  const [row] = await context.db.select().from(sessions).where(eq(sessions.userId, user.id))
  expect(row!.tokenHash).toMatch(/^[0-9a-f]{64}$/)
  expect(row!.tokenHash).not.toContain(token)
})

test('a made-up cookie is nobody', async () => {
  const client = createClient(context.app)
  client.cookies.set('capstan_session', 'made-up')
  const response = await client.get('/api/account/profile')
  expect([response.statusCode, response.json().code]).toEqual([401, 'session.required'])
})

test('the cookie is Secure behind a proxy that speaks HTTPS', async () => {
  const response = await context.app.inject({
    method: 'POST',
    url: '/api/account/register',
    headers: { 'x-forwarded-proto': 'https', 'content-type': 'application/json' },
    payload: { userName: 'secured', email: 'secured@example.org', password: 'Correct1horse' },
  })
  expect(response.cookies[0]).toMatchObject({ secure: true })
})

test('time and address of a visit are stored, at most every five seconds', async () => {
  const { user, client } = await open()
  const visit = (address: string) => client.inject({ url: '/api/account/profile', headers: { 'x-forwarded-for': address } })
  const stored = async () => (await context.db.select().from(users).where(eq(users.id, user.id)))[0]!
  context.clock.advanceMs(dayMs)
  await visit('203.0.113.1')
  const first = context.clock.now()
  context.clock.advanceMs(5_000)
  await visit('203.0.113.2')
  expect(await stored()).toMatchObject({ lastAddress: '203.0.113.1', lastVisitedAt: first })
  context.clock.advanceMs(1)
  await visit('203.0.113.3')
  expect(await stored()).toMatchObject({ lastAddress: '203.0.113.3', lastVisitedAt: context.clock.now() })
})

test('refused access to what admins do is logged', async () => {
  const { client, user } = await open()
  await client.get('/api/admin/users')
  expect(context.logLines.at(-1)).toMatchObject({ level: 'Warning', name: user.userName, status: 'Denied' })
})

test.each([
  ['another site', { origin: 'https://evil.example.net' }, 403],
  ['no site that can be named', { origin: 'null' }, 403],
  ['our own pages', { origin: 'http://ctf.example.org' }, 200],
  ['no browser', {}, 200],
  [
    'another site with the token pair',
    { origin: 'https://evil.example.net', 'x-xsrf-token': 'pair', cookie: 'XSRF-TOKEN=pair' },
    200,
  ],
  ['another site with half a pair', { origin: 'https://evil.example.net', 'x-xsrf-token': 'pair' }, 403],
])('a change sent by %s', async (_name, headers, status) => {
  const { token } = await open()
  const response = await context.app.inject({
    method: 'POST',
    url: '/api/account/logout',
    headers: { host: 'ctf.example.org', ...headers },
    cookies: { capstan_session: token },
  })
  expect(response.statusCode).toBe(status)
})
