import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, request as send } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
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
  const connections = () => promisify(app.server.getConnections).call(app.server)
  return { url, port: (app.server.address() as AddressInfo).port, connections, close: () => app.close() }
}

/** Starts an api with this handler, and a web process in front of the api. Stops both processes after the test. */
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

/** Creates a server that responds to the first request on each connection, and resets the connection at the second request. */
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

/**
 * Starts a gateway that responds to upgrades with `answer`, and a web process in front of the gateway. The web process
 * ends stalled calls after 300 ms.
 */
async function startUpgrades(answer: (socket: Socket, url: string) => void) {
  const upstream = await startUpstream((request, response) => void response.writeHead(404).end(request.url))
  const sockets: Socket[] = []
  const urls: string[] = []
  upstream.server.on('upgrade', ({ url = '' }, socket: Socket) => {
    socket.on('error', () => {})
    sockets.push(socket)
    urls.push(url)
    answer(socket, url)
  })
  const pages = await startPages(`http://127.0.0.1:${upstream.port}`, {
    limits: { ...ListenerLimits, stalledMs: 300, sweepMs: 50 },
  })
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await upstream.close()
  }
  cleanups.push(close, pages.close)
  /** Opens a connection and requests a WebSocket. The client itself never ends the connection. */
  const open = (path: string) => {
    const client = connect({ port: pages.port, host: '127.0.0.1', allowHalfOpen: true })
    client.on('error', () => {})
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    cleanups.push(async () => void client.destroy())
    return client
  }
  return { open, sockets, urls, connections: () => pages.connections() }
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

test.each([
  ['is refused', (socket: Socket) => void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'), 'no'],
  [
    'is refused in chunks',
    (socket: Socket) => void socket.end('HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n'),
    '0\r\n\r\n',
  ],
  [
    'is refused with an unfinished body',
    (socket: Socket) => void socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nno'),
    'no',
  ],
  ['gets no answer', () => {}, ''],
  ['ends', (socket: Socket) => void socket.end(`${switching}bye`), 'bye'],
])('closes the connection of an upgrade that %s, although the client does not', async (_case, answer, received) => {
  const { open, connections } = await startUpgrades(answer)
  const client = open('/api/proxy/1')
  let text = ''
  client.on('data', (piece) => {
    text += piece
  })
  await once(client, 'end')
  await expect.poll(connections).toBe(0)
  expect(text.endsWith(received)).toBe(true)
})

test('closes the connection of a refused upgrade if the client does not read the response', async () => {
  const body = 'x'.repeat(16 * 1024 * 1024)
  const { open, connections, sockets } = await startUpgrades((socket) => {
    socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  })
  open('/hub/user').pause()
  await expect.poll(() => sockets.length).toBe(1)
  await expect.poll(connections).toBe(0)
})

test('ends a pending upgrade at the gateway if the client ends its connection', async () => {
  const { open, sockets, connections } = await startUpgrades(() => {})
  const client = open('/hub/monitor')
  await expect.poll(() => sockets.length).toBe(1)
  client.end()
  await once(sockets[0]!.resume(), 'end')
  await expect.poll(connections).toBe(0)
})

test('a WebSocket whose client leaves data unread stays open longer than a call without a response', async () => {
  const { open, sockets } = await startUpgrades((socket, url) => {
    if (url !== '/api/proxy/1') return
    socket.write(switching)
    socket.write(Buffer.alloc(32 * 1024 * 1024))
  })
  const client = open('/api/proxy/1')
  await once(client, 'readable')
  await expect.poll(() => sockets[0]!.writableLength).toBeGreaterThan(0)
  await once(open('/api/proxy/2').resume(), 'end')
  let received = 0
  client.on('data', (bytes: Buffer) => {
    received += bytes.length
  })
  await expect.poll(() => received).toBe(switching.length + 32 * 1024 * 1024)
  sockets[0]!.destroy()
})

test('closes the connection to the gateway if a client leaves data unread and resets its connection', async () => {
  const { open, sockets } = await startUpgrades((socket) => {
    socket.write(switching)
    socket.write(Buffer.alloc(32 * 1024 * 1024))
    socket.resume()
    // Send further data, because only then the system reports that the other side has closed the connection.
    const sending = setInterval(() => socket.write('more'), 20)
    socket.once('close', () => clearInterval(sending))
  })
  const client = open('/api/proxy/1')
  await once(client, 'readable')
  const closed = new Promise((resolve) => sockets[0]!.once('close', resolve))
  client.resetAndDestroy()
  await closed
})

test('a WebSocket without traffic stays open longer than a call without a response', async () => {
  const { open } = await startUpgrades((socket, url) => {
    if (url !== '/hub/user') return
    socket.write(switching)
    socket.pipe(socket)
  })
  const client = open('/hub/user')
  await once(client, 'data')
  const stalled = open('/api/proxy/2').resume()
  await once(stalled, 'end')
  client.write('still here')
  expect(String((await once(client, 'data'))[0])).toBe('still here')
})

test('forwards upgrades only to hubs, instances and terminals', async () => {
  const { open, urls } = await startUpgrades((socket) => void socket.end(switching))
  const accepted = ['/hub/user?game=1', '/HUB/admin', '/api/proxy/7', '/api/admin/instances/7/containers/web/terminal?x=1']
  const refused = [
    '/api/game',
    '/assets/ab/logo',
    '/api/admin/instances/7/containers/web',
    '/api/proxying',
    '/hub/..',
    '/games',
    '/favicon.webp',
  ]
  for (const path of [...accepted, ...refused]) await once(open(path).resume(), 'end')
  expect(urls).toEqual(accepted)
})
