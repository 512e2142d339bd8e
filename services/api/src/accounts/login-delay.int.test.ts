import { setImmediate as nextTurn } from 'node:timers/promises'
import { loginFailures } from '@capstan/db/schema/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClient, startTestApp, type TestApp } from '../testing/app.ts'
import { password, register } from '../testing/people-factories.ts'

let context: TestApp
/** What attempts were told to wait, in ms. */
const waits: number[] = []
beforeAll(async () => {
  const sleep = async (ms: number) => {
    waits.push(ms)
    await nextTurn()
  }
  context = await startTestApp({ config: { rateLimits: true, trustedProxies: true }, deps: { sleep } })
  await register(context, 'ada')
})
beforeEach(async () => {
  // A minute later, so that the global limit plays no part.
  context.clock.advanceMs(60_000)
  await context.db.delete(loginFailures)
  waits.splice(0)
})
afterAll(() => context.close())

const logIn = (userName: string, secret: string, address = '203.0.113.5') =>
  createClient(context.app).inject({
    method: 'POST',
    url: '/api/account/login',
    headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
    payload: { userName, password: secret },
  })
const fail = async (times: number, userName: string, address?: string) => {
  for (let time = 0; time < times; time++) expect((await logIn(userName, 'Wrong1word', address)).statusCode).toBe(401)
}

test('after three failures each further attempt waits longer, the right one too', async () => {
  await fail(6, 'ada')
  expect(waits).toEqual([500, 1000])
  expect((await logIn('ada', password)).statusCode).toBe(200)
  expect(waits).toEqual([500, 1000, 2000])
})

test('a success forgets the failures of the account', async () => {
  await fail(5, 'ada')
  await logIn('ada', password)
  waits.splice(0)
  await fail(3, 'ADA')
  expect(waits).toEqual([])
})

test('names that do not exist are slowed down alike', async () => {
  await fail(6, 'nobody')
  expect(waits).toEqual([500, 1000])
})

test('an address that tries many names is slowed down', async () => {
  for (let index = 0; index < 33; index++) await fail(1, `name${index}`, '203.0.113.77')
  expect(waits).toEqual([500, 1000])
  waits.splice(0)
  await fail(1, 'other', '203.0.113.78')
  expect(waits).toEqual([])
})

test('failures are forgotten after a quarter of an hour', async () => {
  await fail(8, 'ada')
  waits.splice(0)
  context.clock.advanceMs(15 * 60_000)
  await fail(4, 'ada')
  expect(waits).toEqual([])
})

test('parallel guesses at one account follow each other, and too many are refused', async () => {
  const answers = await Promise.all(Array.from({ length: 16 }, () => logIn('ada', 'Wrong1word')))
  const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
  expect([count(401), count(429)]).toEqual([11, 5])
  // Three free ones, then 0.5, 1, 2, 4 and 5 s.
  expect(waits.filter((ms) => ms >= 500)).toEqual([500, 1000, 2000, 4000, 5000, 5000, 5000])
})

test('what was typed is not stored', async () => {
  await fail(1, 'My-Passw0rd-by-mistake')
  const rows = await context.db.select().from(loginFailures)
  expect(rows).toHaveLength(2)
  for (const { key } of rows) expect(key).toMatch(/^[0-9a-f]{64}$/)
})
