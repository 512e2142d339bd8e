import { createHook } from 'node:async_hooks'
import type { StatementCounter } from '@capstan/db/client'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemoryBlobStore, createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'

let context: TestApp
const counter: StatementCounter = { statements: 0 }
const blobs = createMemoryBlobStore()
let opened = 0
beforeAll(async () => {
  const get: typeof blobs.get = (...asked) => {
    opened += 1
    return blobs.get(...asked)
  }
  context = await startTestApp({ counter, deps: { blobs: { ...blobs, get } } })
})
afterAll(() => context.close())

/** Sends a hundred concurrent requests. @returns the different statuses of the responses */
async function flood(url: string, headers: Record<string, string> = {}): Promise<number[]> {
  counter.statements = 0
  const visitor = createTestClient(context.app)
  const answers = await Promise.all(Array.from({ length: 100 }, () => visitor.inject({ url, headers })))
  return [...new Set(answers.map(({ statusCode }) => statusCode))]
}

test.each(['/healthz', '/readyz'])('a hundred concurrent calls of %s need one or two database queries', async (url) => {
  expect(await flood(url)).toEqual([200])
  expect(counter.statements).toBeLessThanOrEqual(2)
})

test('a hundred concurrent calls of the favicon need one or two database queries, and one read of the file', async () => {
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const content = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const logo = await admin.upload('POST', '/api/admin/config/logo', [{ name: 'logo.png', type: 'image/png', content }])
  expect(logo.statusCode).toBe(200)
  opened = 0
  expect(await flood('/favicon.webp')).toEqual([200])
  expect([counter.statements <= 2, opened]).toEqual([true, 1])
})

test('compresses the API description only once', async () => {
  const headers = { 'accept-encoding': 'br' }
  expect(await flood('/api/openapi.json', headers)).toEqual([200])
  let compressions = 0
  const hook = createHook({ init: (_id, type) => void (type === 'ZLIB' && compressions++) }).enable()
  expect(await flood('/api/openapi.json', headers)).toEqual([200])
  hook.disable()
  expect(compressions).toBe(0)
})
