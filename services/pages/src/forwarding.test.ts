import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, request as send } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hopIdleMs, ListenerLimits } from '@capstan/contract/limits'
import { describeListenerLimits } from '@capstan/http/testing/describe-limits'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { buildPagesApp } from './app.ts'
import { readConfig } from './config.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'capstan-pages-'))
  await writeFile(path.join(folder, 'index.html'), '<title>%title%</title>')
})

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function startUpstream(answer: RequestListener) {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { server, port: (server.address() as AddressInfo).port, close }
}

/** Starts a web process that forwards calls to this api address. */
async function startPages(upstream: string, limits?: Parameters<typeof buildPagesApp>[1]) {
  const env = {
    CAPSTAN_API_URL: upstream,
    CAPSTAN_GATEWAY_URL: upstream,
    CAPSTAN_INTERNAL_TOKEN: 'a token of the tests',
    CAPSTAN_WEB_FOLDER: folder,
  }
  const { app } = await buildPagesApp(readConfig(env), limits)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

/** Starts an api with this handler and a web process in front of it, and stops both after the test. */
async function start(answer: RequestListener, host = '127.0.0.1') {
  const upstream = await startUpstream(answer)
  const pages = await startPages(`http://${host}:${upstream.port}`)
  cleanups.push(upstream.close, pages.close)
  return { upstream, url: pages.url }
}

const readToTheEnd: RequestListener = (request, response) => {
  request.on('error', () => {})
  request.on('end', () => response.end('read'))
  request.resume()
}

describeListenerLimits(
  'the web process',
  async (limits) => {
    const upstream = await startUpstream(readToTheEnd)
    const pages = await startPages(`http://127.0.0.1:${upstream.port}`, { limits })
    return { port: pages.port, close: () => Promise.all([pages.close(), upstream.close()]) }
  },
  { postPath: '/api/account/login', getPath: '/livez' },
)

/** Creates a server that answers the first request on each connection, and resets the connection at the second. */
function endUsedConnections() {
  const used = new Set<Socket>()
  const seen: string[] = []
  const answer: RequestListener = (request, response) => {
    seen.push(request.method ?? '')
    if (used.has(request.socket)) request.socket.destroy()
    else response.end('fresh')
    used.add(request.socket)
  }
  return { answer, seen }
}

test('retries a safe request if its connection ends before the response', async () => {
  const { answer, seen } = endUsedConnections()
  const { url } = await start(answer)
  for (let call = 0; call < 2; call += 1) expect(await (await fetch(`${url}/api/game`)).text()).toBe('fresh')
  expect(seen).toEqual(['GET', 'GET', 'GET'])
})

test('does not retry an unsafe request if its connection ends before the response', async () => {
  const { answer, seen } = endUsedConnections()
  const { url } = await start(answer)
  await (await fetch(`${url}/api/game`)).text()
  expect((await fetch(`${url}/api/team`, { method: 'POST', body: '{}' })).status).toBe(503)
  expect(seen).toEqual(['GET', 'POST'])
})

test('retries any request if no part of it was sent', async () => {
  const bodies: string[] = []
  const { url } = await start(async (request, response) => {
    bodies.push((await Array.fromAsync(request, String)).join(''))
    response.end('taken')
  }, 'api.test')
  type Found = (error: Error | null, found?: readonly { address: string; family: number }[]) => void
  const lookup = vi.spyOn(dns, 'lookup') as unknown as ReturnType<typeof vi.fn>
  lookup.mockImplementationOnce((_name: string, _options: object, found: Found) => found(new Error('not yet')))
  lookup.mockImplementation((_name: string, _options: object, found: Found) => found(null, [{ address: '127.0.0.1', family: 4 }]))
  const body = 'x'.repeat(100_000)
  expect(await (await fetch(`${url}/api/team`, { method: 'POST', body })).text()).toBe('taken')
  expect(bodies).toEqual([body])
})

test('the web process ends idle connections to the api before the api does, but not while a request is pending', async () => {
  const defaults = readConfig({
    CAPSTAN_API_URL: 'http://a',
    CAPSTAN_GATEWAY_URL: 'http://b',
    CAPSTAN_INTERNAL_TOKEN: 'a token of the tests',
  })
  expect(hopIdleMs).toBeLessThan(defaults.shutdownDelayMs)
  expect(defaults.shutdownDelayMs).toBeLessThan(ListenerLimits.idleMs)
  const slow = Promise.withResolvers<void>()
  const { upstream, url } = await start(async (request, response) => {
    if (request.url === '/api/slow') await slow.promise
    response.end('done')
  })
  const answer = fetch(`${url}/api/slow`)
  await once(upstream.server, 'request')
  const connected = once(upstream.server, 'connection')
  await (await fetch(`${url}/api/game`)).text()
  const [idle] = await connected
  await once(idle, 'close')
  slow.resolve()
  expect(await (await answer).text()).toBe('done')
})

test('slow requests do not delay other requests', async () => {
  const slow = Promise.withResolvers<void>()
  let waiting = 0
  const { url } = await start(async (request, response) => {
    if (request.url === '/api/slow') {
      waiting += 1
      await slow.promise
    }
    response.end('done')
  })
  const answers = Array.from({ length: 300 }, async () => (await fetch(`${url}/api/slow`)).text())
  await expect.poll(() => waiting).toBe(300)
  expect(await (await fetch(`${url}/api/game`)).text()).toBe('done')
  slow.resolve()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['done']))
})

test('forwards the body of a request with "Expect: 100-continue"', async () => {
  const { url } = await start(readToTheEnd)
  const outgoing = send(`${url}/api/team`, { method: 'POST', headers: { expect: '100-continue', 'content-length': '2' } })
  const answered = once(outgoing, 'response')
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.end('{}')
  const [answer] = await answered
  expect((await Array.fromAsync(answer, String)).join('')).toBe('read')
})
