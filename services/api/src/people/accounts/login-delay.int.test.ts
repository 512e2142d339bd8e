import { setImmediate as nextTurn } from 'node:timers/promises'
import { loginFailures } from '@capstan/db/schema/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { password, registerThroughApi } from '../../testing/people-factories.ts'

let context: TestApp
/** Delays of the login attempts, in ms, as the fake `sleep` recorded them. */
const waits: number[] = []
beforeAll(async () => {
  const sleep = async (ms: number) => {
    waits.push(ms)
    await nextTurn()
  }
  context = await startTestApp({ config: { rateLimits: true, trustedProxies: true }, deps: { sleep } })
  await registerThroughApi(context, 'ada')
})
beforeEach(async () => {
  // Advance the clock by a minute, so that the global rate limit has no effect.
  context.clock.advanceMs(60_000)
  await context.db.delete(loginFailures)
  waits.splice(0)
})
afterAll(() => context.close())

function logIn(userName: string, secret: string, address = '203.0.113.5') {
  return createTestClient(context.app).inject({
    method: 'POST',
    url: '/api/account/login',
    headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
    payload: { userName, password: secret },
  })
}
async function fail(times: number, userName: string, address?: string) {
  for (let time = 0; time < times; time++) expect((await logIn(userName, 'Wrong1word', address)).statusCode).toBe(401)
}

test('delays each attempt after three failures, even with the right password', async () => {
  await fail(6, 'ada')
  expect(waits).toEqual([500, 1000])
  expect((await logIn('ada', password)).statusCode).toBe(200)
  expect(waits).toEqual([500, 1000, 2000])
})

test('forgets the failures of an account after a successful login', async () => {
  await fail(5, 'ada')
  await logIn('ada', password)
  waits.splice(0)
  await fail(3, 'ADA')
  expect(waits).toEqual([])
})

test('delays attempts for unknown names in the same way as attempts for known names', async () => {
  await fail(6, 'nobody')
  expect(waits).toEqual([500, 1000])
})

test('delays all attempts from a client address that has tried many names', async () => {
  for (let index = 0; index < 33; index++) await fail(1, `name${index}`, '203.0.113.77')
  expect(waits).toEqual([500, 1000])
  waits.splice(0)
  await fail(1, 'other', '203.0.113.78')
  expect(waits).toEqual([])
})

test('forgets failures 15 minutes after the last failure', async () => {
  await fail(8, 'ada')
  waits.splice(0)
  context.clock.advanceMs(15 * 60_000)
  await fail(4, 'ada')
  expect(waits).toEqual([])
})

test.each([11, 50])('accepts the right password from an address while %i wrong attempts are pending', async (count) => {
  const guesses = Array.from({ length: count }, () => logIn('ada', 'Wrong1word'))
  const right = await logIn('ada', password)
  expect(right.statusCode).toBe(200)
  const answers = await Promise.all(guesses)
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([401]))
})

test('parallel login attempts get the same delays as sequential login attempts', async () => {
  await Promise.all(Array.from({ length: 10 }, () => logIn('ada', 'Wrong1word')))
  expect(waits.sort((a, b) => a - b)).toEqual([500, 1000, 2000, 4000, 5000, 5000])
})

test('counts failures of all addresses of one IPv6 network together', async () => {
  await Promise.all(Array.from({ length: 31 }, (_, index) => fail(1, `name${index}`, `2001:db8:0:1::${index}`)))
  await fail(1, 'other', '2001:db8:0:1:ffff::')
  await fail(1, 'other', '2001:db8:0:2::1')
  expect(waits).toEqual([500])
})

test('does not store the name that was entered at login', async () => {
  await fail(1, 'My-Passw0rd-by-mistake')
  const rows = await context.db.select().from(loginFailures)
  expect(rows).toHaveLength(2)
  for (const { key } of rows) expect(key).toMatch(/^[0-9a-f]{64}$/)
})
