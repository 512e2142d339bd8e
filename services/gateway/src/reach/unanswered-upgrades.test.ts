import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ListenerLimits } from '@capstan/contract/limits'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { countRefusals, createReadyRouteTarget, hostOf, label, provideReachGateway, waiting } from '../testing/reach-world.ts'

const { start, startInstance } = provideReachGateway()

const host = '127.0.0.1'
const ask = [
  'GET /socket HTTP/1.1',
  `Host: ${hostOf(label)}`,
  'Connection: keep-alive, Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')
const accepted = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

/** Starts an instance that responds to each request with `answer`, and a gateway in front of the instance. */
async function startWorld(answer: string | Buffer, stalledMs: number = ListenerLimits.stalledMs) {
  const asked: Socket[] = []
  const instance = await startInstance((socket) => {
    socket.once('data', () => {
      asked.push(socket)
      socket.write(answer)
    })
    socket.on('end', () => socket.end())
  })
  const world = await start({ limits: { ...ListenerLimits, stalledMs, sweepMs: 20 } })
  world.backend.routes.set(label, createReadyRouteTarget(instance.port))
  const openCount = () => world.gateway.gateway.health().proxyConnections
  return { ...world, instance, asked, openCount }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** Connects a client that does not close its sending direction when the gateway does. */
function connectPlain({ gateway }: World): Socket {
  return connect({ host, port: gateway.port, allowHalfOpen: true })
}

function connectSecure({ tlsPort }: World): Socket {
  const socket = connect({ host, port: tlsPort, allowHalfOpen: true })
  return connectTls({ socket, servername: hostOf(label), ALPNProtocols: ['http/1.1'], rejectUnauthorized: false })
}

function follow(socket: Socket) {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return { heard: () => text }
}

const ways = [
  ['plain HTTP', connectPlain],
  ['HTTPS', connectSecure],
] as const

describe.each(ways)('an upgrade over %s', (_way, open) => {
  it('ends at the instance if the client disconnects before the instance responds', async () => {
    const world = await startWorld('')
    const client = open(world)
    follow(client)
    client.write(`${ask}sent ahead`)
    await vi.waitFor(() => expect(world.asked).toHaveLength(1), waiting)
    expect(world.openCount()).toBe(1)
    client.end()
    await vi.waitFor(() => expect([world.asked[0]?.destroyed, world.openCount()]).toEqual([true, 0]), waiting)
  })

  it('ends at the instance if the client disconnects during a refusal whose body never ends', async () => {
    const world = await startWorld('HTTP/1.1 403 Forbidden\r\nContent-Length: 9000\r\n\r\nstart')
    const client = open(world)
    const { heard } = follow(client)
    client.write(ask)
    await vi.waitFor(() => expect(heard()).toContain('start'), waiting)
    client.end('data that no instance reads')
    await vi.waitFor(() => expect([world.asked[0]?.destroyed, world.openCount()]).toEqual([true, 0]), waiting)
  })

  it('ends after a complete refusal, even if the client does not close its side', async () => {
    const world = await startWorld('HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope')
    const client = open(world)
    const { heard } = follow(client)
    client.write(ask)
    await vi.waitFor(() => expect(heard()).toMatch(/403 .*nope$/s), waiting)
    await vi.waitFor(() => expect(world.openCount()).toBe(0), waiting)
    expect(client.writable).toBe(true)
  })

  it('ends after the time limit of a call if neither side does anything', async () => {
    const world = await startWorld('', 300)
    const client = open(world)
    follow(client)
    client.write(ask)
    await vi.waitFor(() => expect([world.asked[0]?.destroyed, world.openCount()]).toEqual([true, 0]), waiting)
    expect(await countRefusals(world.gateway, 'stalled')).toBe(1)
  })

  it('continues without a time limit once the instance has accepted it', async () => {
    const world = await startWorld(accepted, 300)
    const client = open(world)
    const { heard } = follow(client)
    client.write(ask)
    await vi.waitFor(() => expect(heard()).toContain('101'), waiting)
    // The second connection is newer. Its instance never responds, so the time limit ends the second connection, but
    // not the first connection.
    const other = await startInstance(() => {})
    world.backend.routes.set(label, createReadyRouteTarget(other.port, { instanceId: 'cccccccc-bbbb-4ccc-8ddd-eeeeeeeeeeee' }))
    const second = open(world)
    follow(second)
    second.write(ask)
    await vi.waitFor(() => expect(second.closed || second.readableEnded).toBe(true), waiting)
    world.asked[0]?.write('still here')
    await vi.waitFor(() => expect(heard()).toContain('still here'), waiting)
  })

  it('delivers a large refusal completely', async () => {
    const length = 3_000_000
    const world = await startWorld(`HTTP/1.1 404 Not Found\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length - 3)}end`)
    const client = open(world)
    const { heard } = follow(client)
    client.write(ask)
    await vi.waitFor(() => expect(heard()).toMatch(/xend$/), waiting)
  })

  it('delivers data that the client sends before the instance accepts', async () => {
    const received: Buffer[] = []
    const instance = await startInstance((socket) => void socket.on('data', (bytes) => received.push(bytes)))
    const world = await startWorld('')
    world.backend.routes.set(label, createReadyRouteTarget(instance.port))
    const client = open(world)
    const { heard } = follow(client)
    client.write(`${ask}first `)
    await vi.waitFor(() => expect(String(Buffer.concat(received))).toContain('GET /socket'), waiting)
    const early = `second ${'e'.repeat(300_000)} third`
    client.write(early)
    instance.sockets[0]?.write(accepted)
    await vi.waitFor(() => expect(heard()).toContain('101'), waiting)
    await vi.waitFor(() => expect(String(Buffer.concat(received)).split('\r\n\r\n').at(-1)).toBe(`first ${early}`), waiting)
  })
})
