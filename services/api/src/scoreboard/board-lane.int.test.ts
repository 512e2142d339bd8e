import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Problem } from '@capstan/contract/problems'
import { createClientWriter } from '@capstan/http/client'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../testing/app.ts'
import { aChallenge, aGame } from '../testing/organizing-factories.ts'
import { aPlayer } from '../testing/playing-factories.ts'

const internalToken = 'a secret for tests only'
let context: TestApp
beforeAll(async () => {
  context = await startTestApp({ config: { production: true, internalToken, rateLimits: true } })
  await context.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => context.close())

/** Over a connection, as clients come; `inject` would go past what is asked here. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const { port } = context.app.server.address() as AddressInfo
    httpRequest({ port, host: '127.0.0.1', path, headers, method }, async (response) => {
      const { date: _, ...rest } = response.headers
      resolve({ status: response.statusCode, headers: rest, body: await buffer(response) })
    })
      .once('error', reject)
      .end()
  })

/** Calls that went through the framework since the last look. */
const routed = vi.fn()
beforeAll(() => {
  const routing = context.app.scoreboards.read
  vi.spyOn(context.app.scoreboards, 'read').mockImplementation((gameId) => {
    routed(gameId)
    return routing(gameId)
  })
})
beforeEach(() => routed.mockClear())

const behindOurWeb = (protocol: 'http' | 'https'): Record<string, string> => {
  const request = { headers: {} as Record<string, string>, socket: { remoteAddress: '127.0.0.1' } }
  createClientWriter(internalToken)(request as never, { address: '203.0.113.9', protocol, host: undefined, isLocal: false })
  return request.headers
}

const aReadBoard = async () => {
  const game = await aGame(context.db)
  await aChallenge(context.db, { gameId: game.id, category: 'Pwn', title: 'Stack' })
  await aPlayer(context, { gameId: game.id })
  const path = `/api/game/${game.id}/scoreboard`
  // What is compressed for the first time is awaited, which the lane leaves to the framework.
  for (const encoding of ['identity', 'gzip', 'br', 'zstd']) await ask(path, { 'accept-encoding': encoding })
  routed.mockClear()
  return { game, path, etag: String((await ask(path)).headers.etag) }
}

test('answers to the byte and the header as the framework does', async () => {
  const { path, etag } = await aReadBoard()
  const asked: Record<string, string>[] = [
    {},
    { 'accept-encoding': 'gzip, deflate, br, zstd', 'accept-language': 'de-AT,de;q=0.9' },
    { 'accept-encoding': 'br' },
    { 'accept-encoding': 'gzip;q=0.5' },
    { 'if-none-match': etag },
    { 'if-none-match': '"other"' },
    behindOurWeb('https'),
    behindOurWeb('http'),
  ]
  for (const headers of asked) {
    const [direct, again] = [await ask(path, headers), await ask(path, headers)]
    expect(routed).not.toHaveBeenCalled()
    const framework = await ask(`${path}?`, headers)
    expect(routed).toHaveBeenCalledOnce()
    routed.mockClear()
    expect([direct, again]).toEqual([framework, framework])
  }
})

test('a board that has changed has another head, for whoever asked for the last one as well', async () => {
  const { game, path, etag } = await aReadBoard()
  expect((await ask(path, { 'if-none-match': etag })).status).toBe(304)
  await aPlayer(context, { gameId: game.id })
  context.app.scoreboards.markStale(game.id)
  await expect.poll(async () => (await ask(path, { 'if-none-match': etag })).status).toBe(200)
  routed.mockClear()
  const [direct, framework] = [await ask(path), await ask(`${path}?`)]
  expect(routed).toHaveBeenCalledOnce()
  expect(direct).toEqual(framework)
})

test('counts in /metrics as any call does', async () => {
  const { path, etag } = await aReadBoard()
  const countOf = async (status: number): Promise<number> => {
    const labels = `{method="GET",route="/api/game/:id/scoreboard",status="${status}"}`
    const line = new RegExp(`^capstan_api_http_request_duration_seconds_count${labels} (\\d+)$`, 'm')
    return Number(line.exec(await context.app.metrics.registry.metrics())?.[1] ?? 0)
  }
  const [whole, unchanged] = [await countOf(200), await countOf(304)]
  await ask(path)
  await ask(`${path}?`)
  await ask(path, { 'if-none-match': etag })
  await expect.poll(() => countOf(200)).toBe(whole + 2)
  await expect.poll(() => countOf(304)).toBe(unchanged + 1)
  expect(routed).toHaveBeenCalledOnce()
})

test('a session, a token, a body, any other method and the end of a connection take the long way', async () => {
  const { path } = await aReadBoard()
  await ask(path, { cookie: 'theme=dark' })
  expect(routed).toHaveBeenCalledTimes(1)
  await ask(path, { authorization: 'Basic bm9ib2R5' })
  expect(routed).toHaveBeenCalledTimes(2)
  await ask(path, { 'content-length': '0' })
  expect(routed).toHaveBeenCalledTimes(3)
  expect((await ask(path, {}, 'HEAD')).body).toHaveLength(0)
  expect(routed).toHaveBeenCalledTimes(4)
  await ask(path, { connection: 'close' })
  expect(routed).toHaveBeenCalledTimes(5)
  expect((await ask(path, {}, 'POST')).status).toBe(405)
})

test('an unknown game and one that has not begun are refused as ever', async () => {
  expect((await ask('/api/game/99999999/scoreboard')).status).toBe(404)
  const upcoming = await aGame(context.db, { phase: 'upcoming' })
  for (let turn = 0; turn < 2; turn += 1) expect((await ask(`/api/game/${upcoming.id}/scoreboard`)).status).toBe(400)
})

test('counts for the address as any call does, and whoever asks too often is refused in the usual words', async () => {
  const { path } = await aReadBoard()
  const take = vi.spyOn(context.app.rateLimiter, 'take')
  const visitor = behindOurWeb('https')
  expect((await ask(path, visitor)).status).toBe(200)
  expect(routed).not.toHaveBeenCalled()
  const [key] = take.mock.lastCall ?? []
  expect(key).toBe('global:address:203.0.113.9')
  await ask(`${path}?`, visitor)
  expect(take.mock.lastCall).toEqual(take.mock.calls[0])
  take.mockRejectedValue(new Problem('request.rate-limited', { retryAfterSeconds: 7 }))
  const [refused, framework] = [await ask(path, visitor), await ask(`${path}?`, visitor)]
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7'])
  expect({ ...refused, body: JSON.parse(String(refused.body)).code }).toMatchObject({
    status: framework.status,
    body: JSON.parse(String(framework.body)).code,
  })
})

test('what goes out counts for what clients leave untaken, here and by the framework', async () => {
  const { path } = await aReadBoard()
  const { heldAnswers } = context.app
  const [rest, whole] = [vi.spyOn(heldAnswers, 'holdRest'), vi.spyOn(heldAnswers, 'hold')]
  await ask(path)
  await ask(`${path}?`)
  expect(rest.mock.calls.map(([, bytes]) => bytes)).toEqual(whole.mock.calls.map(([, bytes]) => bytes))
  expect(whole).toHaveBeenCalledOnce()
})
