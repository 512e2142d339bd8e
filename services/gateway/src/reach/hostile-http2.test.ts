import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants, type Settings } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ListenerLimits } from '@capstan/contract/limits'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  beginning,
  connectRequest,
  continuation,
  createHttp2Frame,
  data,
  endHeaders,
  endStream,
  get,
  headers,
  post,
  priority,
  resetStream,
} from '../testing/http2-frames.ts'
import {
  countRefusals,
  createReadyRouteTarget,
  hostOf,
  label,
  provideReachGateway,
  sendHttpRequest,
  waiting,
} from '../testing/reach-world.ts'

const { start, startHttpServer, startInstance } = provideReachGateway()

function openSession(port: number, settings: Settings = {}, localAddress = '127.0.0.1'): ClientHttp2Session {
  const session = connectHttp2(`https://${hostOf(label)}`, {
    settings,
    createConnection: () =>
      connectTls({
        ...{ port, host: '127.0.0.1', localAddress, servername: hostOf(label) },
        ...{ rejectUnauthorized: false, ALPNProtocols: ['h2'] },
      }),
  })
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  return session
}

function statusOf(stream: ClientHttp2Stream): Promise<number | undefined> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve(undefined))
    stream.once('response', (headers) => resolve(headers[':status']))
    stream.resume()
  })
}

function request(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({ ':path': '/' })
  stream.on('error', () => {})
  return stream
}

/** Sends pings until the session is closed. */
function sendRepeatedPings(session: ClientHttp2Session): void {
  const pings = setInterval(() => !session.destroyed && session.ping(() => {}), 20)
  onTestFinished(() => clearInterval(pings))
}

/** Sends a request and disconnects before the response. */
function askAndLeave(port: number, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(text, () => socket.destroy())
      socket.once('close', () => resolve())
    })
  })
}

/** Starts an instance that responds only after a call of `release`. */
async function startSlow() {
  const open = new Set<Socket>()
  let most = 0
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const asked = new Set<unknown>()
  const { server, port } = await startHttpServer((_request, response) => {
    asked.add(response)
    response.once('close', () => asked.delete(response))
    void released.then(() => response.end('ok'))
  })
  server.on('connection', (socket) => {
    open.add(socket)
    most = Math.max(most, open.size)
    socket.once('close', () => open.delete(socket))
  })
  return { port, release, most: () => most, waiting: () => asked.size }
}

it('HTTP/2 requests that are cancelled at once leak nothing and open few connections', async () => {
  const instance = await startSlow()
  const { gateway, backend, tlsPort } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const session = openSession(tlsPort)
  for (let round = 0; round < 20; round += 1) {
    const streams = Array.from({ length: 30 }, () => request(session))
    const closed = streams.map((stream) => new Promise((resolve) => stream.once('close', resolve)))
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
    await Promise.all(closed)
  }
  await vi.waitFor(() => expect(instance.waiting()).toBe(0), waiting)
  expect(instance.most()).toBeLessThanOrEqual(128)
  instance.release()
  await vi.waitFor(async () => expect(await statusOf(request(session))).toBe(200), waiting)
  expect(await Promise.all(Array.from({ length: 60 }, () => statusOf(request(session))))).toEqual(Array(60).fill(200))
  expect((await sendHttpRequest(gateway.port)).statusCode).toBe(200)
})

it.each(['connect', 'Connect', 'get'])(
  'an HTTP/2 request with the unknown method %s does not reach the instance',
  async (method) => {
    const methods: (string | undefined)[] = []
    const instance = await startHttpServer((asked, response) => {
      methods.push(asked.method)
      response.end('ok')
    })
    instance.server.on('connect', (asked, socket) => {
      methods.push(asked.method)
      socket.end('HTTP/1.1 200 OK\r\n\r\n')
    })
    const { backend, tlsPort } = await start()
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const session = openSession(tlsPort)
    const stream = session.request({ ':path': '/', ':method': method }, { endStream: true })
    expect(await statusOf(stream)).toBe(400)
    expect(await statusOf(request(session))).toBe(200)
    expect(methods).toEqual(['GET'])
  },
)

it('a HEAD request that an HTTP/2 client cancels no longer counts for its address', async () => {
  const instance = await startSlow()
  const { backend, tlsPort } = await start({ config: { connectionsPerAddress: 2 } })
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const session = openSession(tlsPort)
  for (let round = 0; round < 3; round += 1) {
    const stream = session.request({ ':path': '/', ':method': 'HEAD' })
    stream.on('error', () => {})
    await vi.waitFor(() => expect(instance.waiting()).toBe(1), waiting)
    stream.close(constants.NGHTTP2_CANCEL)
    await vi.waitFor(() => expect(instance.waiting()).toBe(0), waiting)
  }
  instance.release()
  expect(await statusOf(request(session))).toBe(200)
})

it('requests that are cancelled during the lookup no longer count, even behind a proxy', async () => {
  const instance = await startSlow()
  const { gateway, backend } = await start({
    config: { trustedProxies: ['loopback'], limits: { instanceConnectionsPerAddress: 2 } },
    timings: { restMs: 300 },
  })
  const { promise: answer, resolve: go } = Promise.withResolvers<void>()
  backend.route = async () => {
    await answer
    return createReadyRouteTarget(instance.port)
  }
  const asks = Array.from({ length: 2 }, () =>
    askAndLeave(gateway.port, `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nX-Forwarded-For: 203.0.113.1\r\n\r\n`),
  )
  await Promise.all(asks)
  // This response shows that the gateway has noticed the disconnected clients.
  await sendHttpRequest(gateway.port, { host: 'ctf.test', path: '/livez' })
  go()
  await vi.waitFor(() => expect(backend.reports.size).toBe(1), waiting)
  await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
})

it.each([
  ['has its answer', true],
  ['waits for its answer', false],
])('when an HTTP/2 client %s and closes its sending side, the connection no longer counts', async (_when, isAnswered) => {
  const instance = await startHttpServer((_request, response) => void (isAnswered && response.end('whole')))
  const { gateway, backend, tlsPort } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const socket = connectTls({
    ...{ port: tlsPort, host: '127.0.0.1', servername: hostOf(label) },
    ...{ rejectUnauthorized: false, ALPNProtocols: ['h2'] },
  })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1')
  })
  socket.write(Buffer.concat([beginning, createHttp2Frame(headers, endStream | endHeaders, 1, get)]))
  await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(1), waiting)
  if (isAnswered) await vi.waitFor(() => expect(answer).toContain('whole'), waiting)
  socket.end()
  await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
})

it('concurrent requests of an address are limited in total over all its HTTP/2 connections', async () => {
  const instance = await startSlow()
  const { backend, tlsPort } = await start({ config: { limits: { instanceConnectionsPerAddress: 2 } } })
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const sessions = [openSession(tlsPort), openSession(tlsPort)]
  const answers = sessions.flatMap((session) => Array.from({ length: 8 }, () => statusOf(request(session))))
  const statuses: (number | undefined)[] = []
  for (const each of answers) void each.then((status) => statuses.push(status))
  // The limit for two permitted connections is 10 concurrent requests. So the gateway refuses six of the 16 requests.
  await vi.waitFor(() => expect(statuses).toEqual(Array(6).fill(429)), waiting)
  instance.release()
  await vi.waitFor(() => expect(statuses.filter((status) => status === 200)).toHaveLength(10), waiting)
})

it.each([
  ['an unknown instance', { state: 'unknown' }, 404],
  ['a starting instance', { state: 'starting' }, 503],
  ['a guarded instance without its key', createReadyRouteTarget(1, { key: 'k'.repeat(32) }), 403],
] as const)('unread HTTP/2 pages about %s are limited for each address', async (_name, route, status) => {
  const { gateway, backend, tlsPort } = await start({ config: { connectionsPerAddress: 3 } })
  backend.routes.set(label, route)
  const unread = { initialWindowSize: 0 }
  const [first, second] = [openSession(tlsPort, unread), openSession(tlsPort, unread)]
  const pages = await Promise.all([request(first), request(first), request(second)].map(statusOf))
  expect(pages).toEqual([status, status, status])
  const closed = new Promise((resolve) => second.once('close', resolve))
  let isAnswered = false
  request(second).once('response', () => {
    isAnswered = true
  })
  await closed
  expect(isAnswered).toBe(false)
  expect([await countRefusals(gateway, 'listener-requests'), first.closed]).toEqual([1, false])
  expect(await statusOf(request(openSession(tlsPort, {}, '127.0.0.2')))).toBe(status)
  first.destroy()
  await vi.waitFor(async () => expect(await statusOf(request(openSession(tlsPort)))).toBe(status), waiting)
})

it.each([
  ['without a body', { ':method': 'GET' }],
  ['that waits for 100 Continue', { ':method': 'POST', expect: '100-continue' }],
  ['with an unknown expectation', { ':method': 'POST', expect: 'wonders' }],
])(
  'if a client behind a proxy has too many requests, an HTTP/2 request %s is refused, and the connection of the proxy continues',
  async (_what, headers) => {
    const instance = await startSlow()
    const { backend, tlsPort } = await start({ config: { connectionsPerAddress: 1, trustedProxies: ['loopback'] } })
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const session = openSession(tlsPort)
    const ask = (client: string, more: object = {}) => {
      const stream = session.request({ ':path': '/', 'x-forwarded-for': client, ...more })
      stream.on('error', () => {})
      return stream
    }
    const first = ask('203.0.113.1')
    await vi.waitFor(() => expect(instance.waiting()).toBe(1), waiting)
    const refused = ask('203.0.113.1', headers)
    expect(await statusOf(refused)).toBeUndefined()
    expect(refused.rstCode).toBe(constants.NGHTTP2_REFUSED_STREAM)
    ask('203.0.113.2')
    await vi.waitFor(() => expect(instance.waiting()).toBe(2), waiting)
    instance.release()
    expect(await statusOf(first)).toBe(200)
  },
)

it.each([
  [
    'cancels more requests than its address may have',
    5,
    createHttp2Frame(resetStream, 0, 1, [0, 0, 0, constants.NGHTTP2_CANCEL]),
  ],
  ['sends a CONNECT request', 1, Buffer.alloc(0)],
])('an HTTP/2 connection is closed at once if its client %s', async (_what, count, next) => {
  const { tlsPort } = await start({ config: { connectionsPerAddress: 3 } })
  const socket = connectTls({
    ...{ port: tlsPort, host: '127.0.0.1', servername: hostOf(label) },
    ...{ rejectUnauthorized: false, ALPNProtocols: ['h2'] },
  })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const requests = Array.from({ length: count }, (_, index) => {
    const frames = [createHttp2Frame(headers, endStream | endHeaders, 1, count === 1 ? connectRequest : get), next]
    for (const frame of frames) if (frame.length > 0) frame.writeUInt32BE(2 * index + 1, 5)
    return Buffer.concat(frames)
  })
  socket.write(Buffer.concat([beginning, ...requests]))
  await closed
})

it('an HTTP/2 connection that carries no request is closed, even if it sends pings', async () => {
  const instance = await startInstance(() => {})
  const { backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200 } })
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const session = openSession(tlsPort)
  const closed = new Promise((resolve) => session.once('close', resolve))
  sendRepeatedPings(session)
  await closed
})

describe.each([
  ['sends no more frames', () => {}],
  ['sends pings', sendRepeatedPings],
])('an HTTP/2 connection whose client %s', (_name, goOn) => {
  it.each([
    ['reads no byte of a page', { initialWindowSize: 0 }, {}],
    ['never ends the body of its request', {}, { endStream: false }],
  ])('an HTTP/2 connection is closed if its client %s', async (_what, settings, options) => {
    const { tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200, stalledMs: 200 } })
    const session = openSession(tlsPort, settings)
    const closed = new Promise((resolve) => session.once('close', resolve))
    const stream = session.request({ ':path': '/', ':method': 'POST' }, options)
    stream.on('error', () => {})
    expect(await new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])))).toBe(404)
    stream.resume()
    goOn(session)
    await closed
  })

  it('an HTTP/2 connection is closed and no longer counts if its client reads no byte of an instance', async () => {
    const instance = await startHttpServer((_request, response) => void response.write('on'))
    const { gateway, backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200, stalledMs: 200 } })
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    const session = openSession(tlsPort, { initialWindowSize: 0 })
    const closed = new Promise((resolve) => session.once('close', resolve))
    expect(await statusOf(request(session))).toBe(200)
    goOn(session)
    await closed
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
  })
})

it('an HTTP/2 connection is closed after its session ended, even if the client does not close it', async () => {
  const instance = await startInstance(() => {})
  const { backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200 } })
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const tcp = connect({ port: tlsPort, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void tcp.destroy())
  const closed = new Promise((resolve) => tcp.once('close', resolve))
  const socket = connectTls({ socket: tcp, servername: hostOf(label), rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  socket.on('error', () => {})
  socket.resume()
  socket.write(beginning)
  await new Promise((resolve) => socket.once('end', resolve))
  // A write shows whether the peer is still connected.
  const pushes = setInterval(() => tcp.write('\0'), 20)
  onTestFinished(() => clearInterval(pushes))
  tcp.on('error', () => {})
  await closed
})

it('an HTTP/2 stream continues if it makes occasional progress', async () => {
  const instance = await startHttpServer((_request, response) => {
    const events = setInterval(() => response.write('data: on\n\n'), 200)
    response.once('close', () => clearInterval(events))
  })
  const { backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200, stalledMs: 2_000 } })
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const stream = request(openSession(tlsPort))
  let heard = 0
  stream.on('data', () => {
    heard += 1
  })
  await vi.waitFor(() => expect(heard).toBeGreaterThan(25), { timeout: 120_000, interval: 50 })
  expect(stream.destroyed).toBe(false)
})

it('an HTTP/2 request with too many small pieces is cancelled even if the gateway does not read the body yet', async () => {
  const { backend, tlsPort } = await start()
  backend.routes.set(label, createReadyRouteTarget(1))
  let lookups = 0
  const { route } = backend
  // The lookup for the handshake succeeds. The lookup for the request never ends.
  backend.route = async (asked) => {
    lookups += 1
    return lookups === 1 ? route(asked) : new Promise(() => {})
  }
  const socket = connectTls({
    ...{ port: tlsPort, host: '127.0.0.1', servername: hostOf(label) },
    ...{ rejectUnauthorized: false, ALPNProtocols: ['h2'] },
  })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1')
  })
  // These 60,000 bytes are less than the flow control window of the stream.
  const pieces = Array<Buffer>(3_000).fill(createHttp2Frame(data, 0, 1, Array(20).fill(7)))
  socket.write(Buffer.concat([beginning, createHttp2Frame(headers, endHeaders, 1, post), ...pieces]))
  const cancel = createHttp2Frame(resetStream, 0, 1, [0, 0, 0, constants.NGHTTP2_CANCEL]).toString('latin1')
  await vi.waitFor(() => expect(answer).toContain(cancel), waiting)
})

it('an HTTP/2 request is cancelled if its body has more than a thousand small pieces', async () => {
  const instance = await startInstance(() => {})
  const { backend, tlsPort } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const socket = connectTls({
    ...{ port: tlsPort, host: '127.0.0.1', servername: hostOf(label) },
    ...{ rejectUnauthorized: false, ALPNProtocols: ['h2'] },
  })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1')
  })
  const pieces = Array<Buffer>(1_100).fill(createHttp2Frame(data, 0, 1, [0]))
  socket.write(Buffer.concat([beginning, createHttp2Frame(headers, endHeaders, 1, post), ...pieces]))
  const cancel = createHttp2Frame(resetStream, 0, 1, [0, 0, 0, constants.NGHTTP2_CANCEL]).toString('latin1')
  await vi.waitFor(() => expect(answer).toContain(cancel), waiting)
})

it.each([
  [
    'endless headers',
    createHttp2Frame(headers, endStream, 1, get),
    createHttp2Frame(continuation, 0, 1, [0x40, 1, 0x78, 1, 0x79]),
  ],
  ['empty pieces of a body', createHttp2Frame(headers, endHeaders, 1, post), createHttp2Frame(data, 0, 1, [])],
  ['priorities', Buffer.alloc(0), createHttp2Frame(priority, 0, 1, [0, 0, 0, 3, 7])],
])('an HTTP/2 connection is closed if it floods the gateway with %s', async (_name, first, next) => {
  const instance = await startInstance(() => {})
  const { gateway, backend, tlsPort } = await start()
  backend.routes.set(label, createReadyRouteTarget(instance.port))
  const socket = connectTls({
    ...{ port: tlsPort, host: '127.0.0.1', servername: hostOf(label) },
    ...{ rejectUnauthorized: false, ALPNProtocols: ['h2'] },
  })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(Buffer.concat([beginning, first]))
  const flood = Buffer.concat(Array<Buffer>(100).fill(next))
  const pour = (): void => {
    while (!socket.destroyed && socket.write(flood));
  }
  socket.on('drain', pour)
  pour()
  await closed
  expect((await sendHttpRequest(gateway.port, { host: 'ctf.test', path: '/livez' })).statusCode).toBe(200)
})
