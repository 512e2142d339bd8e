import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { serverTexts } from '@capstan/contract/server-texts'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultTimings } from '../gateway.ts'
import { createHttp2ClientPreface, createHttp2Frame, endHeaders, endStream, get, headers, ping } from '../testing/http2-frames.ts'
import {
  createReadyRouteTarget,
  hostOf,
  instanceId,
  label,
  otherInstanceId,
  otherLabel,
  provideReachGateway,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'

const { start, startInstance } = provideReachGateway()

const host = '127.0.0.1'
const endMs = 200
/** Text on the error page for an ended instance. It is decoded as Latin-1, like the data that the test clients receive. */
const endedText = Buffer.from(serverTexts['en-US'].pages.ended.text).toString('latin1')

function startNamed(name: string) {
  return startInstance((socket) => {
    socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`))
    socket.on('end', () => socket.end())
  })
}

async function startWorld(options: Parameters<typeof start>[0] = {}) {
  const [mine, others] = [await startNamed('of mine'), await startNamed('of others')]
  const world = await start({ ...options, timings: { endMs, ...options.timings } })
  const { backend, gateway } = world
  const entry = { host, port: mine.port }
  backend.routes.set(label, createReadyRouteTarget(mine.port))
  backend.routes.set(otherLabel, createReadyRouteTarget(others.port, { instanceId: otherInstanceId }))
  const end = (id: string, name: string) => {
    backend.routes.set(name, { state: 'ended' })
    gateway.bus.publish({ kind: 'instance-ended', instanceId: id })
  }
  return {
    ...world,
    mine,
    others,
    entry,
    endMine: () => end(instanceId, label),
    endOthers: () => end(otherInstanceId, otherLabel),
  }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** Client that never closes its sending direction. */
type Client = Readonly<{
  socket: Socket
  /** Returns all text received so far. */
  heard(): string
  /** Sends one more request, and waits until the client receives this text. */
  ask(answer: string): Promise<void>
  /** Sends data, and waits for no response. */
  poke(): void
}>

/**
 * Creates a client that uses a connection.
 * @param first data that the client sends before its first request, such as the preface of HTTP/2
 */
function follow(socket: Socket, request: (turn: number) => string | Buffer, first?: Buffer): Client {
  let text = ''
  let turn = 0
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  if (first) socket.write(first)
  onTestFinished(() => void socket.destroy())
  return {
    socket,
    heard: () => text,
    async ask(answer) {
      const before = text.length
      socket.write(request(turn))
      turn += 1
      await vi.waitFor(() => expect(text.slice(before)).toContain(answer), waiting)
    },
    poke: () => void socket.write(first ? createHttp2Frame(ping, 0, 0, Array(8).fill(0)) : '\r\n'),
  }
}

function getOf(name: string, more = '') {
  return `GET / HTTP/1.1\r\nHost: ${hostOf(name)}\r\n${more}\r\n`
}
function secure(port: number, protocol: string) {
  return connectTls({
    ...{ port, host, servername: hostOf(label), ALPNProtocols: [protocol] },
    ...{ rejectUnauthorized: false, allowHalfOpen: true },
  })
}
function requestHttp2(turn: number): Buffer {
  return createHttp2Frame(headers, endStream | endHeaders, 2 * turn + 1, get)
}

const ways: Readonly<Record<string, (world: World) => Client>> = {
  'HTTP/1.1': ({ gateway }) => follow(connect({ port: gateway.port, host, allowHalfOpen: true }), () => getOf(label)),
  'HTTP/1.1 in TLS': ({ tlsPort }) => follow(secure(tlsPort, 'http/1.1'), () => getOf(label)),
  'HTTP/2': ({ tlsPort }) => follow(secure(tlsPort, 'h2'), requestHttp2, createHttp2ClientPreface()),
}

/**
 * Waits until the gateway has closed the connection completely. A client that does not close its side notices the end
 * of the connection only when the client sends data.
 */
async function closing({ socket, poke }: Client): Promise<void> {
  if (!socket.readableEnded && !socket.closed) await new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
  await vi.waitFor(() => {
    if (!socket.closed) poke()
    expect(socket.closed).toBe(true)
  }, waiting)
}

/**
 * Opens one more connection. The gateway closes connections in the order in which they were opened. When this
 * connection is closed, all earlier connections are therefore closed too.
 */
async function aWitness(world: World): Promise<Client> {
  const witness = ways['HTTP/1.1 in TLS']!(world)
  await witness.ask('of mine')
  return witness
}

it('clients have less than a second to confirm the end of a connection', () => {
  expect(defaultTimings.endMs).toBeLessThan(1_000)
})

describe.each(Object.entries(ways))('an idle connection of %s', (_way, open) => {
  it.each<[string, (world: World) => void]>([
    ['has ended', ({ endMine }) => endMine()],
    ['has moved', ({ gateway, entry }) => gateway.bus.publish({ kind: 'instance-moved', instanceId, from: entry })],
  ])('a connection ends once the instance of its last request %s, even if its client does not confirm', async (_how, happens) => {
    const world = await startWorld()
    const client = open(world)
    await client.ask('of mine')
    happens(world)
    await closing(client)
  })

  it('an idle connection ends if its instance moves, even if the message about the move is lost', async () => {
    const world = await startWorld({ timings: { recheckMs: 20 } })
    const { targets } = world.gateway.backend
    targets.set(instanceId, { state: 'ready', ...world.entry, kind: 'team' })
    const client = open(world)
    await client.ask('of mine')
    targets.set(instanceId, { state: 'ready', host, port: 1, kind: 'team' })
    await closing(client)
  })

  it('an idle connection remains open if another instance ends', async () => {
    const world = await startWorld()
    const client = open(world)
    await client.ask('of mine')
    const ofOthers = follow(connect({ port: world.gateway.port, host, allowHalfOpen: true }), () => getOf(otherLabel))
    await ofOthers.ask('of others')
    world.endOthers()
    await closing(ofOthers)
    await client.ask('of mine')
  })
})

/** Starts the test setup with a long `endMs`. So a slow client can send more requests before its connection ends. */
async function startUnhurried() {
  const world = await startWorld({ timings: { endMs: 4_000 } })
  const { gateway } = world.gateway
  const endMine = async () => {
    world.endMine()
    await vi.waitFor(() => expect(gateway.health().proxyConnections).toBe(0), waiting)
  }
  return { ...world, endMine }
}

it.each(['HTTP/1.1', 'HTTP/1.1 in TLS'])(
  'an ending connection of %s accepts one more request, and the response is marked as the last response',
  async (way) => {
    const world = await startUnhurried()
    const client = ways[way]!(world)
    await client.ask('of mine')
    await world.endMine()
    await client.ask(endedText)
    await closing(client)
    expect(client.heard()).toMatch(/HTTP\/1\.1 410 Gone\r\n(?:.+\r\n)*connection: close\r\n/i)
  },
)

it('an HTTP/2 client learns the last request that the gateway accepted before the gateway ended the connection', async () => {
  const world = await startWorld()
  const session = connectHttp2(`https://${hostOf(label)}`, { createConnection: () => secure(world.tlsPort, 'h2') })
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  const stream = session.request({ ':path': '/' })
  stream.resume()
  await new Promise((resolve) => stream.once('end', resolve))
  const goaway = new Promise<unknown[]>((resolve) => session.once('goaway', (code, last) => resolve([code, last])))
  const closed = new Promise((resolve) => session.once('close', resolve))
  world.endMine()
  expect(await goaway).toEqual([0, 1])
  await closed
})

it('a client that sends a long body on an ending connection receives the complete response', async () => {
  const world = await startUnhurried()
  const client = ways['HTTP/1.1']!(world)
  const errors: Error[] = []
  client.socket.on('error', (error) => errors.push(error))
  await client.ask('of mine')
  await world.endMine()
  const piece = Buffer.alloc(256 * 1024)
  client.socket.write(`POST / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nContent-Length: ${4 * piece.length}\r\n\r\n`)
  client.socket.write(piece)
  await vi.waitFor(() => expect(client.heard()).toContain(endedText), waiting)
  for (let sent = 1; sent < 4; sent += 1) client.socket.write(piece)
  client.socket.end()
  await closing(client)
  expect(errors).toEqual([])
})

it('an HTTP/2 client that does not read the response loses its connection when the instance ends', async () => {
  const world = await startWorld()
  // The preface sets a flow-control window of 0, so the gateway cannot send the body.
  const client = follow(secure(world.tlsPort, 'h2'), requestHttp2, createHttp2ClientPreface([0, 4, 0, 0, 0, 0]))
  client.socket.write(requestHttp2(0))
  const { gateway } = world.gateway
  await vi.waitFor(() => expect(gateway.health().proxyConnections).toBe(1), waiting)
  await vi.waitFor(() => expect(client.heard()).toContain('\x88'), waiting)
  world.endMine()
  await closing(client)
})

describe('a plain HTTP connection that served two instances', () => {
  it('the connection ends when the instance of its last request ends, but not when an earlier instance ends', async () => {
    const world = await startWorld()
    const names = [label, otherLabel, otherLabel]
    const client = follow(connect({ port: world.gateway.port, host, allowHalfOpen: true }), (turn) => getOf(names[turn]!))
    await client.ask('of mine')
    await client.ask('of others')
    const witness = await aWitness(world)
    world.endMine()
    await closing(witness)
    await client.ask('of others')
    world.endOthers()
    await closing(client)
  })

  it('a connection of a proxy remains open when an instance ends, because other clients use the connection', async () => {
    const world = await startWorld({ config: { trustedProxies: ['loopback'] } })
    const names = [label, otherLabel]
    const forwarded = 'X-Forwarded-For: 203.0.113.1\r\n'
    const client = follow(connect({ port: world.gateway.port, host }), (turn) => getOf(names[turn]!, forwarded))
    await client.ask('of mine')
    const witness = await aWitness(world)
    world.endMine()
    await closing(witness)
    await client.ask('of others')
  })
})

it('a connection remains open when an instance ends if the client’s last request was for the platform', async () => {
  const world = await startWorld()
  const { targets } = world.gateway.backend
  targets.set(otherInstanceId, { state: 'ready', host, port: world.others.port, kind: 'team' })
  const tunnel =
    `GET /api/proxy/${otherInstanceId} HTTP/1.1\r\nHost: ctf.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  const text = Buffer.from([0x82, 0x80 | 2, 0, 0, 0, 0, 0x68, 0x69])
  const requests = [getOf(label), tunnel, text]
  const client = follow(connect({ port: world.gateway.port, host, allowHalfOpen: true }), (turn) => requests[turn]!)
  await client.ask('of mine')
  await client.ask('101 Switching Protocols')
  const witness = await aWitness(world)
  world.endMine()
  await closing(witness)
  await client.ask('of others')
})

it('a connection remains open if its instance moves and the client’s next request uses the new address', async () => {
  const world = await startUnhurried()
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  const requests = [getOf(label), getOf(label, upgrade), 'still here']
  const client = follow(connect({ port: world.gateway.port, host, allowHalfOpen: true }), (turn) => requests[turn]!)
  await client.ask('of mine')
  const witness = await aWitness(world)
  world.mine.serve((socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}\r\n`)
      socket.pipe(socket)
    })
  })
  world.gateway.bus.publish({ kind: 'instance-moved', instanceId, from: world.entry })
  await vi.waitFor(() => expect(world.gateway.gateway.health().proxyConnections).toBe(0), waiting)
  await client.ask('101 Switching Protocols')
  await closing(witness)
  await client.ask('still here')
})

it('a stopping gateway ends idle connections at once and notifies their clients', async () => {
  const world = await startWorld()
  const clients = Object.values(ways).map((open) => open(world))
  for (const client of clients) await client.ask('of mine')
  const closed = world.gateway.close({ drainMs: 600_000 })
  await Promise.all(clients.map(closing))
  expect(await sendTextAndReadResponse(world.rawPort, 'anybody')).toBe('')
  await closed
})
