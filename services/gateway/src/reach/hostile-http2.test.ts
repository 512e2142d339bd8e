import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants, type Settings } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ListenerLimits } from '@capstan/contract/limits'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  beginning,
  continuation,
  data,
  endHeaders,
  endStream,
  frame,
  get,
  headers,
  post,
  priority,
} from '../testing/http2-frames.ts'
import { ask, hostOf, label, reachWorld, readyDoor, waiting } from '../testing/reach-world.ts'

const { start, startHttpServer, startInstance } = reachWorld()

const openSession = (port: number, settings: Settings = {}): ClientHttp2Session => {
  const session = connectHttp2(`https://${hostOf(label)}`, {
    settings,
    createConnection: () =>
      connectTls({ port, host: '127.0.0.1', servername: hostOf(label), rejectUnauthorized: false, ALPNProtocols: ['h2'] }),
  })
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  return session
}

const statusOf = (stream: ClientHttp2Stream): Promise<number | undefined> =>
  new Promise((resolve) => {
    stream.on('error', () => resolve(undefined))
    stream.once('response', (headers) => resolve(headers[':status']))
    stream.resume()
  })

const request = (session: ClientHttp2Session): ClientHttp2Stream => {
  const stream = session.request({ ':path': '/' })
  stream.on('error', () => {})
  return stream
}

/** Pings, as long as it is open. */
const sayThatItLives = (session: ClientHttp2Session): void => {
  const pings = setInterval(() => !session.destroyed && session.ping(() => {}), 20)
  onTestFinished(() => clearInterval(pings))
}

/** Sends a request and goes away before it is answered. */
const askAndLeave = (port: number, text: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(text, () => socket.destroy())
      socket.once('close', () => resolve())
    })
  })

/** Answers after it was told to. */
const startSlow = async () => {
  const open = new Set<Socket>()
  let most = 0
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const asked = new Set<unknown>()
  const { server, port } = await startHttpServer((_request, response) => {
    asked.add(response)
    response.once('close', () => asked.delete(response))
    void told.then(() => response.end('ok'))
  })
  server.on('connection', (socket) => {
    open.add(socket)
    most = Math.max(most, open.size)
    socket.once('close', () => open.delete(socket))
  })
  return { port, tell, most: () => most, waiting: () => asked.size }
}

it('requests of HTTP/2 that are given up at once leave nothing behind, and open few connections', async () => {
  const instance = await startSlow()
  const { gateway, backend, tlsPort } = await start()
  backend.doors.set(label, readyDoor(instance.port))
  const session = openSession(tlsPort)
  for (let round = 0; round < 20; round += 1) {
    const streams = Array.from({ length: 30 }, () => request(session))
    const closed = streams.map((stream) => new Promise((resolve) => stream.once('close', resolve)))
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
    await Promise.all(closed)
  }
  await vi.waitFor(() => expect(instance.waiting()).toBe(0), waiting)
  expect(instance.most()).toBeLessThanOrEqual(128)
  instance.tell()
  await vi.waitFor(async () => expect(await statusOf(request(session))).toBe(200), waiting)
  expect(await Promise.all(Array.from({ length: 60 }, () => statusOf(request(session))))).toEqual(Array(60).fill(200))
  expect((await ask(gateway.port)).statusCode).toBe(200)
})

it('requests that are given up while the api is asked leave their places, behind a proxy too', async () => {
  const instance = await startSlow()
  const { gateway, backend } = await start({
    config: { trustedProxies: ['loopback'], limits: { instanceConnectionsPerAddress: 2 } },
    timings: { restMs: 300 },
  })
  const { promise: answer, resolve: go } = Promise.withResolvers<void>()
  backend.door = async () => {
    await answer
    return readyDoor(instance.port)
  }
  const asks = Array.from({ length: 2 }, () =>
    askAndLeave(gateway.port, `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nX-Forwarded-For: 203.0.113.1\r\n\r\n`),
  )
  await Promise.all(asks)
  // By then the gateway has heard that they left.
  await ask(gateway.port, { host: 'ctf.test', path: '/livez' })
  go()
  await vi.waitFor(() => expect(backend.reports.size).toBe(1), waiting)
  await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
})

it.each([
  ['has its answer', true],
  ['waits for its answer', false],
])('a client of HTTP/2 that %s and does nothing but close its connection leaves its place', async (_when, isAnswered) => {
  const instance = await startHttpServer((_request, response) => void (isAnswered && response.end('whole')))
  const { gateway, backend, tlsPort } = await start()
  backend.doors.set(label, readyDoor(instance.port))
  const socket = connectTls({
    ...{ port: tlsPort, host: '127.0.0.1', servername: hostOf(label) },
    ...{ rejectUnauthorized: false, ALPNProtocols: ['h2'] },
  })
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1')
  })
  socket.write(Buffer.concat([beginning, frame(headers, endStream | endHeaders, 1, get)]))
  await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(1), waiting)
  if (isAnswered) await vi.waitFor(() => expect(answer).toContain('whole'), waiting)
  socket.end()
  await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
})

it('one address has so many requests under way to an instance, however many connections of HTTP/2 it spreads them over', async () => {
  const instance = await startSlow()
  const { backend, tlsPort } = await start({ config: { limits: { instanceConnectionsPerAddress: 2 } } })
  backend.doors.set(label, readyDoor(instance.port))
  const sessions = [openSession(tlsPort), openSession(tlsPort)]
  const answers = sessions.flatMap((session) => Array.from({ length: 8 }, () => statusOf(request(session))))
  const statuses: (number | undefined)[] = []
  for (const each of answers) void each.then((status) => statuses.push(status))
  // One of each connection, and four further ones for each connection that the address may have.
  await vi.waitFor(() => expect(statuses).toEqual(Array(6).fill(429)), waiting)
  instance.tell()
  await vi.waitFor(() => expect(statuses.filter((status) => status === 200)).toHaveLength(10), waiting)
})

it('a connection of HTTP/2 without a request ends, although it says that it lives', async () => {
  const instance = await startInstance(() => {})
  const { backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200 } })
  backend.doors.set(label, readyDoor(instance.port))
  const session = openSession(tlsPort)
  const closed = new Promise((resolve) => session.once('close', resolve))
  sayThatItLives(session)
  await closed
})

describe.each([
  ['says nothing more', () => {}],
  ['says that it lives', sayThatItLives],
])('a connection of HTTP/2 whose client %s', (_name, goOn) => {
  it.each([
    ['takes no byte of a page', { initialWindowSize: 0 }, {}],
    ['never ends the body of its request', {}, { endStream: false }],
  ])('and %s ends', async (_what, settings, options) => {
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

  it('and takes no byte of an instance ends, and leaves its place', async () => {
    const instance = await startHttpServer((_request, response) => void response.write('on'))
    const { gateway, backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200, stalledMs: 200 } })
    backend.doors.set(label, readyDoor(instance.port))
    const session = openSession(tlsPort, { initialWindowSize: 0 })
    const closed = new Promise((resolve) => session.once('close', resolve))
    expect(await statusOf(request(session))).toBe(200)
    goOn(session)
    await closed
    await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
  })
})

it('a connection of HTTP/2 that its client does not close after its end is closed', async () => {
  const instance = await startInstance(() => {})
  const { backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200 } })
  backend.doors.set(label, readyDoor(instance.port))
  const tcp = connect({ port: tlsPort, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void tcp.destroy())
  const closed = new Promise((resolve) => tcp.once('close', resolve))
  const socket = connectTls({ socket: tcp, servername: hostOf(label), rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  socket.on('error', () => {})
  socket.resume()
  socket.write(beginning)
  await new Promise((resolve) => socket.once('end', resolve))
  // Whether the other end is there shows when something is sent to it.
  const pushes = setInterval(() => tcp.write('\0'), 20)
  onTestFinished(() => clearInterval(pushes))
  tcp.on('error', () => {})
  await closed
})

it('a stream of HTTP/2 on which something moves now and then lives on', async () => {
  const instance = await startHttpServer((_request, response) => {
    const events = setInterval(() => response.write('data: on\n\n'), 200)
    response.once('close', () => clearInterval(events))
  })
  const { backend, tlsPort } = await start({ limits: { ...ListenerLimits, idleMs: 200, stalledMs: 2_000 } })
  backend.doors.set(label, readyDoor(instance.port))
  const stream = request(openSession(tlsPort))
  let heard = 0
  stream.on('data', () => {
    heard += 1
  })
  await vi.waitFor(() => expect(heard).toBeGreaterThan(25), { timeout: 120_000, interval: 50 })
  expect(stream.destroyed).toBe(false)
})

it.each([
  ['headers that go on and on', frame(headers, endStream, 1, get), frame(continuation, 0, 1, [0x40, 1, 0x78, 1, 0x79])],
  ['pieces of a body without a byte', frame(headers, endHeaders, 1, post), frame(data, 0, 1, [])],
  ['priorities', Buffer.alloc(0), frame(priority, 0, 1, [0, 0, 0, 3, 7])],
])('a connection of HTTP/2 that floods the gateway with %s ends', async (_name, first, next) => {
  const instance = await startInstance(() => {})
  const { gateway, backend, tlsPort } = await start()
  backend.doors.set(label, readyDoor(instance.port))
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
  expect((await ask(gateway.port, { host: 'ctf.test', path: '/livez' })).statusCode).toBe(200)
})
