import { users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { trustedProxies: true } })
})
afterAll(() => context.close())

test.each([
  ['of a dual-stack socket', { remoteAddress: '::ffff:192.0.2.7' }, '192.0.2.7'],
  ['in the headers of a proxy', { headers: { 'x-forwarded-for': '::ffff:198.51.100.4' } }, '198.51.100.4'],
  ['of IPv6', { remoteAddress: '2001:db8::5' }, '2001:db8::5'],
])('the client address is stored and logged in its plain form: %s', async (_name, from, shown) => {
  const { user, client } = await signInAsNewUser(context, 'User', { lastVisitedAt: context.clock.now() })
  context.clock.advanceMs(6_000)
  const answer = await client.inject({
    method: 'POST',
    url: '/api/team',
    ...from,
    headers: { 'content-type': 'application/json', ...('headers' in from ? from.headers : {}) },
    payload: JSON.stringify({ name: `Crew of ${user.userName}`.slice(0, 20) }),
  })
  expect(answer.statusCode).toBe(200)
  await expect.poll(async () => (await context.db.select().from(users).where(eq(users.id, user.id)))[0]?.lastAddress).toBe(shown)
  expect(context.logLines.at(-1)).toMatchObject({ name: user.userName, address: shown })
})

test('forwarded address, host and protocol of an untrusted caller are ignored', async () => {
  const config = { ...context.deps.config, trustedProxies: ['10.0.0.1'] }
  const app = await buildApp({ ...context.deps, config })
  app.get('/seen', async ({ ip, host, hostname, protocol }) => ({ ip, host, hostname, protocol }))
  const claims = {
    host: 'ctf.example',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'evil.example:1',
    'x-forwarded-proto': 'https',
    forwarded: 'for=203.0.113.9;host=evil.example;proto=https',
  }
  const seenFrom = async (remoteAddress: string) => (await app.inject({ url: '/seen', headers: claims, remoteAddress })).json()
  expect(await seenFrom('10.0.0.2')).toEqual({ ip: '10.0.0.2', host: 'ctf.example', hostname: 'ctf.example', protocol: 'http' })
  expect(await seenFrom('10.0.0.1')).toEqual({
    ip: '203.0.113.9',
    host: 'evil.example:1',
    hostname: 'evil.example',
    protocol: 'https',
  })
  await app.close()
})
