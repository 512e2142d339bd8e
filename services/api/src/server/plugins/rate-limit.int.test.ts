import { request } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'

let context: TestApp
/** Recorded delays of calls, in ms. */
const waits: number[] = []
beforeAll(async () => {
  const sleep = async (ms: number) => void waits.push(ms)
  context = await startTestApp({ config: { rateLimits: true, trustedProxies: true }, deps: { sleep } })
  // Limits count calls in segments of ten seconds. The tests begin four seconds after the start of a segment.
  context.clock.set(new Date('2026-01-01T00:00:04Z'))
})
beforeEach(() => void waits.splice(0))
afterAll(() => context.close())

function profileFrom(address: string, { app }: TestApp = context) {
  return app.inject({ url: '/api/account/profile', headers: { 'x-forwarded-for': address } })
}

test('answers 150 calls a minute of one address, delays 60 more calls, and refuses the next call with Retry-After', async () => {
  for (let call = 0; call < 150; call++) expect((await profileFrom('203.0.113.1')).statusCode).toBe(401)
  expect(waits).toEqual([])
  for (let call = 0; call < 60; call++) expect((await profileFrom('203.0.113.1')).statusCode).toBe(401)
  expect(waits).toEqual(Array.from({ length: 60 }, () => 56_000))
  const refused = await profileFrom('203.0.113.1')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '56'])
  expect(refused.json()).toMatchObject({ title: 'Too many requests', status: 429, code: 'request.rate-limited' })
})

test('calls of one address do not count toward the limit of another address', async () => {
  expect((await profileFrom('203.0.113.2')).statusCode).toBe(401)
})

test('all addresses of one IPv6 network share a limit, and other networks have their own limits', async () => {
  for (let call = 0; call < 210; call++) await profileFrom(`2001:db8:0:1::${call.toString(16)}`)
  expect((await profileFrom('2001:db8:0:1:ffff::1')).statusCode).toBe(429)
  expect((await profileFrom('2001:db8:0:2::1')).statusCode).toBe(401)
})

test('all calls without a session from an IPv6 network of 48 bits share a limit of ten addresses', async () => {
  const { client } = await signInAsNewUser(context)
  const statuses: number[] = []
  for (let call = 0; call < 2_101; call++)
    statuses.push((await profileFrom(`2001:db8:1:${(call % 15).toString(16)}::1`)).statusCode)
  // The limiter answers 1,500 calls at once, delays 600 and refuses the last one.
  expect(statuses.indexOf(429)).toBe(2_100)
  const headers = { 'x-forwarded-for': '2001:db8:1:ffff::1' }
  expect((await client.inject({ url: '/api/account/profile', headers })).statusCode).toBe(200)
  expect((await profileFrom('2001:db8:2::1')).statusCode).toBe(401)
})

test('calls from the same machine are not limited', async () => {
  for (let call = 0; call < 220; call++) expect((await context.app.inject('/api/account/profile')).statusCode).toBe(401)
})

test.each([
  ['an untrusted neighbor', '10.0.0.2', '127.0.0.1'],
  ['a client of a trusted proxy', '10.0.0.1', '::1'],
  ['a client of a proxy on this machine', '127.0.0.1', '127.0.0.1'],
])('the rate limit applies to %s that claims to be the same machine', async (_name, remoteAddress, claimed) => {
  const strict = await startTestApp({
    config: { rateLimits: true, trustedProxies: ['10.0.0.1'] },
    deps: { sleep: async () => {} },
  })
  const headers = { 'x-forwarded-for': claimed, 'x-real-ip': claimed, forwarded: `for="[${claimed}]"` }
  const statuses = new Set<number>()
  for (let call = 0; call < 211; call++)
    statuses.add((await strict.app.inject({ url: '/api/account/profile', headers, remoteAddress })).statusCode)
  expect([...statuses]).toEqual([401, 429])
  await strict.close()
})

test('refused calls of a caller are logged only until the caller exceeds the rate limit', async () => {
  const { client, user } = await signInAsNewUser(context)
  const ask = () => client.inject({ url: '/api/admin/users', headers: { 'x-forwarded-for': '203.0.113.7' } })
  const statuses: number[] = []
  for (let call = 0; call < 230; call++) statuses.push((await ask()).statusCode)
  expect(statuses).toEqual([...Array(210).fill(403), ...Array(20).fill(429)])
  expect(context.logLines.filter(({ name, status }) => name === user.userName && status === 'Denied')).toHaveLength(210)
})

test('no calls are limited if rate limits are off', async () => {
  const free = await startTestApp({ config: { rateLimits: false, trustedProxies: true } })
  const statuses = new Set<number>()
  for (let call = 0; call < 220; call++) statuses.add((await profileFrom('203.0.113.9', free)).statusCode)
  expect([...statuses]).toEqual([401])
  await free.close()
})

test('a user can create one team at a time, twenty calls wait, and further calls are refused', async () => {
  const limited = await startTestApp({ config: { rateLimits: true } })
  const { client, user } = await signInAsNewUser(limited)
  // Lock the user's row, so that the first call cannot end before all other calls have arrived.
  const holder = await limited.sql.reserve()
  await holder`begin`
  await holder`select id from users where id = ${user.id} for update`
  let refused = 0
  const calls = Array.from({ length: 30 }, async () => {
    const answer = await client.post('/api/team', { name: 'Crew' })
    if (answer.statusCode === 429) refused++
    return answer
  })
  await vi.waitFor(() => expect(refused).toBe(9), { timeout: 120_000 })
  await holder`rollback`
  holder.release()
  const answers = await Promise.all(calls)
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
  expect([count(200), count(400), count(429)]).toEqual([1, 20, 9])
  expect(answers.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toBe('60')
  expect((await client.post('/api/team', { name: 'Crew' })).statusCode).toBe(400)
  await limited.close()
})

test('limits an address to 20 registrations and related calls in 150 seconds', async () => {
  const recoverFrom = (address: string, path = 'recovery') =>
    context.app.inject({
      method: 'POST',
      url: `/api/account/${path}`,
      headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
      payload: { email: 'nobody@example.org' },
    })
  for (let call = 0; call < 20; call++) expect((await recoverFrom('203.0.113.3')).statusCode).toBe(404)
  const refused = await recoverFrom('203.0.113.3', 'register')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '150'])
  expect((await recoverFrom('203.0.113.4')).statusCode).toBe(404)
  context.clock.advanceMs(150_000)
  expect((await recoverFrom('203.0.113.3')).statusCode).toBe(404)
})

test('registrations and related calls remain possible for an address that has started many sign-ins with providers', async () => {
  const post = (path: string, payload: object) =>
    context.app.inject({
      method: 'POST',
      url: `/api/account/${path}`,
      headers: { 'x-forwarded-for': '203.0.113.5', 'content-type': 'application/json' },
      payload,
    })
  for (let call = 0; call < 100; call++) expect((await post('signin/absent', { purpose: 'LogIn' })).statusCode).toBe(404)
  expect((await post('recovery', { email: 'nobody@example.org' })).statusCode).toBe(404)
  for (let call = 0; call < 20; call++) await post('recovery', { email: 'nobody@example.org' })
  expect((await post('recovery', { email: 'nobody@example.org' })).statusCode).toBe(429)
  expect((await post('signin/absent', { purpose: 'LogIn' })).statusCode).toBe(404)
})

test('a call whose client disconnects occupies its place until its work has ended', async () => {
  const strict = await startTestApp({ config: { rateLimits: true, trustedProxies: true }, deps: { sleep: async () => {} } })
  const { client } = await signInAsNewUser(strict)
  const url = new URL(await strict.app.listen({ port: 0, host: '127.0.0.1' }))
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': '203.0.113.11',
    cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  }
  const openSockets = () => promisify(strict.app.server.getConnections.bind(strict.app.server))()
  const holder = await strict.sql.reserve()
  await holder`begin`
  await holder`lock table teams in access exclusive mode`
  const first = request({ port: url.port, method: 'POST', path: '/api/team', headers }).on('error', () => {})
  first.end(JSON.stringify({ name: 'Left' }))
  const waiting = () => strict.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(waiting).toHaveLength(1)
  first.destroy()
  await expect.poll(openSockets).toBe(0)
  let refused = 0
  const calls = Array.from({ length: 21 }, async (_, index) => {
    const { statusCode } = await strict.app.inject({
      ...{ method: 'POST', url: '/api/team', headers },
      payload: JSON.stringify({ name: `Crew ${index}` }),
    })
    if (statusCode === 429) refused += 1
  })
  await expect.poll(() => refused).toBe(1)
  expect(await waiting()).toHaveLength(1)
  await holder`rollback`
  holder.release()
  await Promise.all(calls)
  await strict.close()
})

test('a client that disconnects during a call can repeat the call, even if only one such call may run at a time', async () => {
  const strict = await startTestApp({ config: { rateLimits: true, trustedProxies: true }, deps: { sleep: async () => {} } })
  const player = await signInAsNewUser(strict)
  const url = new URL(await strict.app.listen({ port: 0, host: '127.0.0.1' }))
  const body = JSON.stringify({ name: 'Nomads' })
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': '203.0.113.9',
    cookie: [...player.client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  }
  const unlock = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const lock = strict.sql.begin(async (transaction) => {
    await transaction`lock table teams in access exclusive mode`
    isLocked.resolve()
    await unlock.promise
  })
  await isLocked.promise
  const first = request({ port: url.port, method: 'POST', path: '/api/team', headers }).on('error', () => {})
  first.end(body)
  const waiting = () => strict.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(waiting).toHaveLength(1)
  first.destroy()
  unlock.resolve()
  await lock
  const again = await strict.app.inject({ method: 'POST', url: '/api/team', headers, payload: body })
  // The first call may have created the team. The player is then captain of this team, and the second call is refused.
  expect([200, 400]).toContain(again.statusCode)
  await strict.close()
})
