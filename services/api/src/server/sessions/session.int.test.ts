import { mailTokens, sessions, users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aUser } from '../../testing/factories.ts'
import { hashToken } from './session-token.ts'

const dayMs = 86_400_000

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { trustedProxies: true } })
})
afterAll(() => context.close())

function openFor({ id, passwordHash }: Awaited<ReturnType<typeof aUser>>) {
  return context.app.sessions.open(id, { passwordHash, hasUsedFactor: false }, { address: '127.0.0.1' })
}
async function open() {
  const user = await aUser(context.db)
  const { token } = await openFor(user)
  const client = createTestClient(context.app)
  client.cookies.set('capstan_session', token)
  return { user, token, client }
}
async function endOf(userId: string) {
  return (await context.db.select().from(sessions).where(eq(sessions.userId, userId)))[0]!.expiresAt.getTime()
}

test('renews a session after half of its lifetime of seven days', async () => {
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

test('expires a session after seven days without a call', async () => {
  const { client } = await open()
  context.clock.advanceMs(7 * dayMs)
  expect((await client.get('/api/account/profile')).statusCode).toBe(401)
  await context.app.sessions.deleteExpired()
})

test('keeps the newest hundred sessions of a user and all sessions of other users', async () => {
  const [first, other] = [await open(), await open()]
  const again = async () => {
    context.clock.advanceMs(1)
    await openFor(first.user)
  }
  const statusOf = async ({ client }: typeof first) => (await client.get('/api/account/profile')).statusCode
  for (let count = 1; count < 100; count += 1) await again()
  expect(await statusOf(first)).toBe(200)
  await again()
  expect([await statusOf(first), await statusOf(other)]).toEqual([401, 200])
  expect(await context.db.$count(sessions, eq(sessions.userId, first.user.id))).toBe(100)
})

test('only the hash of a session cookie is stored', async () => {
  const { user, token } = await open()
  const [row] = await context.db.select().from(sessions).where(eq(sessions.userId, user.id))
  expect(row!.tokenHash).toMatch(/^[0-9a-f]{64}$/)
  expect(row!.tokenHash).not.toContain(token)
})

test('treats a request with an invented cookie as anonymous', async () => {
  const client = createTestClient(context.app)
  client.cookies.set('capstan_session', 'made-up')
  const response = await client.get('/api/account/profile')
  expect([response.statusCode, response.json().code]).toEqual([401, 'session.required'])
})

const https = { 'x-forwarded-proto': 'https' }

test('sets a cookie over HTTPS that other ports and sibling hosts cannot replace', async () => {
  const client = createTestClient(context.app)
  const visit = (method: 'GET' | 'POST', url: string, payload?: object) =>
    client.inject({ method, url, headers: https, ...(payload && { payload }) })
  const account = { userName: 'secured', email: 'secured@example.org', password: 'Correct1horse' }
  const registered = await visit('POST', '/api/account/register', account)
  expect(registered.cookies).toEqual([
    {
      ...{ name: '__Host-capstan_session', value: expect.stringMatching(/^[\w-]{43}$/), expires: expect.any(Date) },
      ...{ path: '/', httpOnly: true, secure: true, sameSite: 'Lax' },
    },
  ])
  context.clock.advanceMs(3.6 * dayMs)
  const renewing = await visit('GET', '/api/account/profile')
  expect([renewing.statusCode, renewing.cookies]).toMatchObject([200, [{ name: '__Host-capstan_session', secure: true }]])
  const left = await visit('POST', '/api/account/logout')
  expect(left.cookies).toMatchObject([{ name: '__Host-capstan_session', value: '', path: '/', secure: true }])
  expect((await visit('GET', '/api/account/profile')).statusCode).toBe(401)
})

test('over HTTPS, a cookie with the name for HTTP is ignored', async () => {
  const planted = await open()
  const own = await open()
  const profile = (cookies: Record<string, string>) =>
    context.app.inject({ url: '/api/account/profile', headers: https, cookies })
  expect((await profile({ capstan_session: planted.token })).statusCode).toBe(401)
  const both = await profile({ capstan_session: planted.token, '__Host-capstan_session': own.token })
  expect(both.json().userName).toBe(own.user.userName)
})

test('the cookie for HTTPS is set if the public origin has HTTPS, even if the request has HTTP', async () => {
  const config = { ...context.deps.config, publicOrigin: 'https://ctf.example.org' }
  const app = await buildApp({ ...context.deps, config })
  const { token, user } = await open()
  const profile = (cookies: Record<string, string>) => app.inject({ url: '/api/account/profile', cookies })
  expect((await profile({ capstan_session: token })).statusCode).toBe(401)
  expect((await profile({ '__Host-capstan_session': token })).json().userName).toBe(user.userName)
  const entered = await app.inject({
    method: 'POST',
    url: '/api/account/register',
    payload: { userName: 'inside', email: 'inside@example.org', password: 'Correct1horse' },
  })
  expect(entered.cookies).toMatchObject([{ name: '__Host-capstan_session', secure: true }])
  const document = (await app.inject('/api/openapi.json')).json()
  expect(document.components.securitySchemes.session.name).toBe('__Host-capstan_session')
  await app.close()
})

test('the cookie for HTTP is set if the site has no HTTPS', async () => {
  const entered = await createTestClient(context.app).post('/api/account/register', {
    ...{ userName: 'plain', email: 'plain@example.org', password: 'Correct1horse' },
  })
  expect(entered.cookies).toMatchObject([{ name: 'capstan_session' }])
  expect(entered.cookies[0]).not.toHaveProperty('secure')
})

test('the time and address of the last call are stored at most every five seconds', async () => {
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

test('the time and address of registration, log-in and activation are stored', async () => {
  const from = (address: string, url: string, payload: object) =>
    context.app.inject({
      method: 'POST',
      url,
      headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
      payload,
    })
  const stored = async () => (await context.db.select().from(users).where(eq(users.userName, 'visited')))[0]!
  const account = { userName: 'visited', email: 'visited@example.org', password: 'Correct1horse' }
  expect((await from('203.0.113.20', '/api/account/register', account)).statusCode).toBe(200)
  expect(await stored()).toMatchObject({ lastAddress: '203.0.113.20', lastVisitedAt: context.clock.now() })

  // Less than five seconds pass between these calls, so an ordinary call would not store a visit.
  context.clock.advanceMs(1_000)
  expect((await from('203.0.113.21', '/api/account/login', account)).statusCode).toBe(200)
  expect(await stored()).toMatchObject({ lastAddress: '203.0.113.21', lastVisitedAt: context.clock.now() })

  context.clock.advanceMs(1_000)
  const { id, email } = await stored()
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  await context.db.update(users).set({ emailConfirmed: false }).where(eq(users.id, id))
  await context.db.insert(mailTokens).values({
    tokenHash: hashToken('activation-token'),
    userId: id,
    purpose: 'activation',
    email,
    expiresAt: new Date(context.clock.now().getTime() + dayMs),
  })
  const link = { token: base64('activation-token'), email: base64(email) }
  expect((await from('203.0.113.22', '/api/account/verify', link)).statusCode).toBe(200)
  expect(await stored()).toMatchObject({ lastAddress: '203.0.113.22', lastVisitedAt: context.clock.now() })
})

test('stores the address of the first log-in of an account that an admin created', async () => {
  const password = 'Correct1horse'
  const { user, client: admin } = await open()
  await context.db.update(users).set({ role: 'Admin' }).where(eq(users.id, user.id))
  await admin.post('/api/admin/users', [{ userName: 'imported', email: 'imported@example.org', password }])
  await context.app.inject({
    method: 'POST',
    url: '/api/account/login',
    headers: { 'x-forwarded-for': '203.0.113.30' },
    payload: { userName: 'imported', password },
  })
  const found = (await admin.post('/api/admin/users/search?hint=imported')).json().data[0]
  expect(found).toMatchObject({ ip: '203.0.113.30', lastVisitedUtc: context.clock.now().toISOString() })
})

test('refused calls to routes for admins are logged', async () => {
  const { client, user } = await open()
  await client.get('/api/admin/users')
  expect(context.logLines.at(-1)).toMatchObject({ level: 'Warning', name: user.userName, status: 'Denied' })
})

test.each([
  ['another site', { origin: 'https://evil.example.net' }, 403],
  ['an opaque origin', { origin: 'null' }, 403],
  ['our own pages', { origin: 'http://ctf.example.org' }, 200],
  ['a client that is not a browser', {}, 200],
  ['another port of our host', { origin: 'http://ctf.example.org:30001' }, 403],
  [
    'another port with a token pair, whose cookie it may have set',
    { origin: 'http://ctf.example.org:30001', 'x-xsrf-token': 'pair', cookie: 'XSRF-TOKEN=pair' },
    403,
  ],
])('decides by the origin whether a change is accepted: %s', async (_name, headers, status) => {
  const { token } = await open()
  const response = await context.app.inject({
    method: 'POST',
    url: '/api/account/logout',
    headers: { host: 'ctf.example.org', ...headers },
    cookies: { capstan_session: token },
  })
  expect(response.statusCode).toBe(status)
})
