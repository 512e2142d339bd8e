import { mailTokens, users } from '@capstan/db/schema/accounts'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aUser, signInAsNewUser } from '../../testing/factories.ts'
import { deliverQueuedMails, password, setAccountPolicy } from '../../testing/people-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { rateLimits: true, trustedProxies: true } })
  await setAccountPolicy(context.db, { activeOnRegister: false, emailConfirmationRequired: true })
})
beforeEach(async () => {
  await deliverQueuedMails(context)
})
afterAll(() => context.close())

let asked = 0
/** Sends a request from a client address that no other request uses. */
function post(url: string, payload: object) {
  return createTestClient(context.app).inject({
    method: 'POST',
    url,
    payload,
    headers: { 'x-forwarded-for': `203.0.113.${++asked}` },
  })
}
function recover(email: string) {
  return post('/api/account/recovery', { email })
}
async function statusesOf(answers: Promise<{ statusCode: number }>[]) {
  return (await Promise.all(answers)).map(({ statusCode }) => statusCode).sort()
}

test('sends at most three recovery mails an hour to a mailbox, counted over all callers and all spellings of the address', async () => {
  const { email } = await aUser(context.db, { email: 'victim@example.org' })
  const answers = [email, 'VICTIM@example.org', email, 'Victim@Example.org', email].map(recover)
  expect(await statusesOf(answers)).toEqual([200, 200, 200, 429, 429])
  expect(await deliverQueuedMails(context)).toHaveLength(3)
  const refused = await recover(email)
  expect([refused.json().code, refused.headers['retry-after']]).toEqual(['request.rate-limited', '3600'])
  expect((await recover((await aUser(context.db)).email)).statusCode).toBe(200)
  context.clock.advanceMs(3600_000)
  expect((await recover(email)).statusCode).toBe(200)
})

test('allows recovery from the last client address of the owner after other callers used up the limit', async () => {
  const { email } = await aUser(context.db, { email: 'locked-out@example.org', lastAddress: '198.51.100.7' })
  for (let count = 0; count < 4; count += 1) await recover(email)
  expect((await recover(email)).statusCode).toBe(429)
  const headers = { 'x-forwarded-for': '198.51.100.7' }
  const own = { method: 'POST', url: '/api/account/recovery', payload: { email }, headers } as const
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push((await createTestClient(context.app).inject(own)).statusCode)
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('answers with 404, and never with 429, if no account has the address', async () => {
  const answers = Array.from({ length: 5 }, () => recover('nobody@example.org'))
  expect(await statusesOf(answers)).toEqual([404, 404, 404, 404, 404])
})

test('the api refuses the fourth address change to a mailbox, even with another user and another `+tag`', async () => {
  const change = async (newMail: string) => (await signInAsNewUser(context)).client.put('/api/account/changeemail', { newMail })
  const answers = ['target@example.org', 'target+1@example.org', 'Target+2@example.org', 'target+3@example.org'].map(change)
  expect(await statusesOf(answers)).toEqual([200, 200, 200, 429])
  expect(await deliverQueuedMails(context)).toHaveLength(3)
})

test('limits registrations by mailbox, and stores no data of a refused registration', async () => {
  const register = (userName: string, email: string) => post('/api/account/register', { userName, email, password })
  for (const [name, email] of [
    ['first', 'mailbox@example.org'],
    ['again', 'mailbox@example.org'],
    ['second', 'mailbox+2@example.org'],
  ] as const)
    expect((await register(name, email)).statusCode).toBe(200)
  expect((await register('third', 'mailbox+3@example.org')).statusCode).toBe(429)
  expect((await register('again', 'mailbox@example.org')).statusCode).toBe(429)
  expect(await deliverQueuedMails(context)).toHaveLength(3)
  expect(await context.db.$count(users, eq(users.userName, 'third'))).toBe(0)
  const stored = await context.db.select().from(mailTokens).where(eq(mailTokens.email, 'mailbox+3@example.org'))
  expect(stored).toEqual([])
})

test('does not count a registration with a taken name', async () => {
  await aUser(context.db, { userName: 'occupied' })
  const register = (userName: string) => post('/api/account/register', { userName, email: 'fresh@example.org', password })
  for (let index = 0; index < 4; index++) expect((await register('occupied')).json().code).toBe('username.taken')
  expect((await register('freshling')).statusCode).toBe(200)
})
