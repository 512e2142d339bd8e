import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { RouteTarget } from '@capstan/contract/gateway-backend'
import { afterEach, describe, expect, it } from 'vitest'
import { openRawWebSocket } from '../testing/raw-client.ts'
import {
  createReadyRouteTarget,
  hostOf,
  instanceId,
  label,
  provideReachGateway,
  sendHttpRequest,
  waiting,
} from '../testing/reach-world.ts'

/**
 * Instances that serve few connections at a time. Strangers occupy all connections through a plain port, and players
 * still get in. The gateway recognizes players by their addresses (all of 127.0.0.0/8 belongs to this machine), or by
 * the label or UUID that they use.
 */

const { start } = provideReachGateway()
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

const strangers = ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6']
const owner = '127.0.0.1'

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function serveWith(server: Server): Socket[] {
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  undo.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return sockets
}

function greet(socket: Socket): void {
  socket.write('welcome\n')
  socket.on('data', (bytes) => socket.write(`echo ${bytes}`))
}

/** Starts an instance that closes each connection above its limit at once, as a server with `maxConnections` does. */
async function startClosingInstance(maxConnections: number): Promise<number> {
  const server = createServer(greet)
  server.maxConnections = maxConnections
  serveWith(server)
  return listen(server)
}

/** Starts an instance that does not listen while it has the maximum number of connections. */
async function startDeafInstance(maxConnections: number): Promise<number> {
  const server = createServer(greet)
  const sockets = serveWith(server)
  const countOpen = () => sockets.filter((socket) => !socket.destroyed).length
  server.on('connection', (socket: Socket) => {
    if (countOpen() >= maxConnections) server.close()
    socket.once('close', () => {
      if (countOpen() < maxConnections && !server.listening) server.listen(port, '127.0.0.1')
    })
  })
  const port = await listen(server)
  return port
}

/** Starts an instance that serves one client after another. Further clients are connected but read nothing. */
async function startSerialInstance(): Promise<number> {
  const queue: Socket[] = []
  const serveNext = () => {
    const [first] = queue
    if (first === undefined) return
    if (first.destroyed) leave(first)
    else greet(first)
  }
  const leave = (socket: Socket) => {
    const place = queue.indexOf(socket)
    queue.splice(place, 1)
    if (place === 0) serveNext()
  }
  const server = createServer((socket) => {
    queue.push(socket)
    socket.once('close', () => queue.includes(socket) && leave(socket))
    if (queue.length === 1) serveNext()
  })
  serveWith(server)
  return listen(server)
}

/** Connection of a client, with the received text. */
type Client = Readonly<{ socket: Socket; text: () => string }>

function enter(port: number, localAddress: string): Client {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  let text = ''
  socket.on('data', (bytes) => {
    text += String(bytes)
  })
  socket.on('error', () => {})
  undo.push(() => socket.destroy())
  return { socket, text: () => text }
}

/** Waits until the client has received the text. Rejects if its connection is closed first. */
async function hear({ socket, text }: Client, wanted: string): Promise<void> {
  while (!text().includes(wanted)) {
    if (socket.destroyed) throw new Error('The connection was closed')
    await Promise.race([once(socket, 'data'), once(socket, 'close')])
  }
}

async function isClosed({ socket }: Client): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close')
}

async function startAt(
  port: number,
  options: Parameters<typeof start>[0] = {},
  more: Partial<Extract<RouteTarget, { state: 'ready' }>> = {},
) {
  const world = await start({ ...options, timings: { settleMs: 60_000, ...options?.timings } })
  world.backend.routes.set(label, createReadyRouteTarget(port, { speaks: 'tcp', ...more }))
  world.backend.routes.set(world.rawPort, createReadyRouteTarget(port, { speaks: 'tcp', playerAddresses: [owner], ...more }))
  world.backend.targets.set(instanceId, { state: 'ready', host: '127.0.0.1', port, kind: 'team' })
  return world
}

/** Opens `amount` connections of strangers, one after another. The instance must greet each stranger. Returns the connections. */
async function crowd(rawPort: number, amount: number): Promise<Client[]> {
  const entered: Client[] = []
  for (let count = 0; count < amount; count += 1) {
    const client = enter(rawPort, strangers[count % strangers.length]!)
    await hear(client, 'welcome')
    entered.push(client)
  }
  return entered
}

type World = Awaited<ReturnType<typeof startAt>>

const ways: readonly (readonly [way: string, enter: (world: World) => Promise<string>])[] = [
  [
    'the plain port',
    async ({ rawPort }) => {
      const client = enter(rawPort, owner)
      client.socket.write('ahoy')
      await hear(client, 'echo ahoy')
      return client.text()
    },
  ],
  [
    'TLS',
    async ({ tlsPort }) => {
      const socket = connectTls({ port: tlsPort, host: '127.0.0.1', servername: hostOf(label), rejectUnauthorized: false })
      let text = ''
      socket.on('data', (bytes) => {
        text += String(bytes)
      })
      socket.on('error', () => {})
      undo.push(() => socket.destroy())
      socket.write('ahoy')
      await hear({ socket, text: () => text }, 'echo ahoy')
      return text
    },
  ],
  [
    'the WebSocket',
    async ({ gateway }) => {
      const { socket, frames } = await openRawWebSocket(`${gateway.webSocketOrigin}/api/proxy/${instanceId}`)
      undo.push(() => socket.terminate())
      socket.send(Buffer.from('ahoy'))
      await expect.poll(() => Buffer.concat(frames).toString(), waiting).toContain('echo ahoy')
      return Buffer.concat(frames).toString()
    },
  ],
]

describe('a player of an instance whose connections strangers have taken', () => {
  it.each(ways)('a player gets in by %s if the instance closes connections above its limit', async (_way, enterBy) => {
    const world = await startAt(await startClosingInstance(6))
    const crowding = await crowd(world.rawPort, 6)
    expect(await enterBy(world)).toBe('welcome\necho ahoy')
    await Promise.all(crowding.map(isClosed))
  })

  it.each(ways)('a player gets in by %s if the instance refuses connections above its limit', async (_way, enterBy) => {
    const world = await startAt(await startDeafInstance(3))
    await crowd(world.rawPort, 3)
    expect(await enterBy(world)).toBe('welcome\necho ahoy')
  })

  it('a player gets in by the host name of an HTTP instance', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine'))
    })
    server.maxConnections = 2
    const sockets = serveWith(server)
    const world = await startAt(await listen(server), { timings: { settleMs: 2_000 } }, { speaks: 'http' })
    const crowding = [enter(world.rawPort, '127.0.0.3'), enter(world.rawPort, '127.0.0.4')]
    await expect.poll(() => sockets.length, waiting).toBe(2)
    expect((await sendHttpRequest(world.gateway.port)).text).toBe('mine')
    await Promise.all(crowding.map(isClosed))
  })

  it('a player gets in at a further attempt if the instance serves only one client at a time', async () => {
    const world = await startAt(await startSerialInstance(), { timings: { settleMs: 1, connectMs: 500 } })
    await crowd(world.rawPort, 1)
    const tryOnce = async () => {
      const client = enter(world.rawPort, owner)
      client.socket.setTimeout(1_000, () => client.socket.destroy())
      await Promise.race([once(client.socket, 'data'), once(client.socket, 'close')])
      return client.text()
    }
    await expect.poll(tryOnce, waiting).toBe('welcome\n')
  })

  it('strangers cannot connect again directly after a player took their places', async () => {
    const world = await startAt(await startClosingInstance(4))
    await crowd(world.rawPort, 4)
    for (let count = 0; count < 4; count += 1) await hear(enter(world.rawPort, owner), 'welcome')
    const stranger = enter(world.rawPort, '127.0.0.7')
    await isClosed(stranger)
    expect(stranger.text()).toBe('')
  })

  it('all gateways close the connections of strangers if a player needs room', async () => {
    const bus = createInProcessBus()
    undo.push(() => bus.close())
    const port = await startClosingInstance(4)
    const [one, other] = [await startAt(port, { bus }), await startAt(port, { bus })]
    const crowding = [...(await crowd(one.rawPort, 3)), ...(await crowd(other.rawPort, 1))]
    await hear(enter(other.rawPort, owner), 'welcome')
    await Promise.all(crowding.map(isClosed))
  })
})

describe('players from addresses that the gateway does not know', () => {
  it('four members in four networks play together if only one of them is known', async () => {
    const world = await startAt(await startClosingInstance(8))
    const members = [owner, '127.0.0.11', '127.0.0.12', '127.0.0.13'].map((address) => enter(world.rawPort, address))
    for (const member of members) await hear(member, 'welcome')
    for (const member of members) member.socket.write('ahoy')
    for (const member of members) await hear(member, 'echo ahoy')
  })

  it('eight members behind one unknown address play together', async () => {
    const world = await startAt(await startClosingInstance(20))
    const members = Array.from({ length: 8 }, () => enter(world.rawPort, '127.0.0.21'))
    for (const member of members) await hear(member, 'welcome')
  })

  it('an unknown member stays connected while a known member opens and closes connections to an instance that is not full', async () => {
    const world = await startAt(await startClosingInstance(8))
    const unknown = enter(world.rawPort, '127.0.0.31')
    await hear(unknown, 'welcome')
    for (let count = 0; count < 20; count += 1) {
      const known = enter(world.rawPort, owner)
      await hear(known, 'welcome')
      known.socket.destroy()
    }
    unknown.socket.write('ahoy')
    await hear(unknown, 'echo ahoy')
  })

  it('an unknown member stays connected even if the program closes connections of a known member without a response', async () => {
    const server = createServer((socket) => {
      socket.on('data', (bytes) => (String(bytes) === 'crash' ? socket.destroy() : socket.write(`echo ${bytes}`)))
    })
    serveWith(server)
    const world = await startAt(await listen(server), { timings: { settleMs: 20 } })
    const unknown = enter(world.rawPort, '127.0.0.41')
    unknown.socket.write('one')
    await hear(unknown, 'echo one')
    for (let count = 0; count < 5; count += 1) {
      const known = enter(world.rawPort, owner)
      known.socket.write('crash')
      await isClosed(known)
    }
    unknown.socket.write('two')
    await hear(unknown, 'echo two')
  })
})
