import { Agent } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  aCertificate,
  createReadyRouteTarget,
  hostOf,
  instanceId,
  label,
  provideReachGateway,
  sendHttpRequest,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'
import type { TestGateway } from '../testing/test-gateway.ts'

const { start, startInstance } = provideReachGateway()

function secure(port: number, ALPNProtocols?: string[]) {
  return connectTls({
    port,
    host: '127.0.0.1',
    servername: hostOf(label),
    rejectUnauthorized: false,
    ...(ALPNProtocols && { ALPNProtocols }),
  })
}

type World = Readonly<{
  gateway: TestGateway
  tlsPort: number
  rawPort: number
  /**
   * Starts an instance to which clients connect by `label` and `rawPort`. The instance sends `hello` and then echoes all data.
   * @returns the port of the instance
   */
  behind(more?: Parameters<typeof createReadyRouteTarget>[1]): Promise<number>
}>

async function aWorld(options: Parameters<typeof start>[0] = {}): Promise<World> {
  const { gateway, backend, tlsPort, rawPort } = await start(options)
  return {
    gateway,
    tlsPort,
    rawPort,
    async behind(more = {}) {
      const instance = await startInstance((socket) => {
        socket.write('hello')
        socket.pipe(socket)
      })
      for (const route of [label, rawPort])
        backend.routes.set(route, createReadyRouteTarget(instance.port, { speaks: 'tcp', ...more }))
      return instance.port
    },
  }
}

/** Functions that open a connection in different ways, read the first response, and leave the connection open. */
const ways: Readonly<Record<string, (world: World) => Promise<Duplex>>> = {
  'a port': async (world) => {
    await world.behind()
    return greeted(connect({ port: world.rawPort, host: '127.0.0.1' }))
  },
  'TLS that ends at the gateway': async (world) => {
    await world.behind()
    return greeted(secure(world.tlsPort))
  },
  'TLS that passes through': async ({ gateway, tlsPort }) => {
    const { certificate: cert, key } = await aCertificate()
    const instance = createTlsServer({ cert, key }, (socket) => {
      socket.on('error', () => {})
      socket.write('hello')
      socket.pipe(socket)
    })
    await new Promise<void>((resolve) => instance.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void instance.close())
    const { port } = instance.address() as { port: number }
    gateway.backend.routes.set(label, createReadyRouteTarget(port, { speaks: 'tcp', hasOwnCertificate: true }))
    return greeted(secure(tlsPort))
  },
  'HTTP/2': async ({ gateway, tlsPort }) => {
    const instance = await startInstance((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'))
    })
    gateway.backend.routes.set(label, createReadyRouteTarget(instance.port))
    const session = connectHttp2(`https://${hostOf(label)}`, { createConnection: () => secure(tlsPort, ['h2']) })
    session.on('error', () => {})
    onTestFinished(() => session.destroy())
    return greeted(session.request({ ':path': '/' }))
  },
}

async function greeted<Client extends Duplex>(client: Client): Promise<Client> {
  client.on('error', () => {})
  onTestFinished(() => void client.destroy())
  expect(String(await new Promise((resolve) => client.once('data', resolve)))).toBe('hello')
  return client
}

function closing(client: Duplex): Promise<void> {
  return new Promise((resolve) => {
    if (client.closed) resolve()
    client.resume()
    client.once('close', () => resolve())
  })
}

describe.each(Object.entries(ways))('a connection through %s', (_way, open) => {
  it('the connection ends with its instance', async () => {
    const world = await aWorld()
    const client = await open(world)
    expect(world.gateway.gateway.health().proxyConnections).toBe(1)
    world.gateway.bus.publish({ kind: 'instance-ended', instanceId })
    await closing(client)
    await vi.waitFor(() => expect(world.gateway.gateway.health().proxyConnections).toBe(0), waiting)
  })

  it('the connection continues while the gateway stops, until its instance ends', async () => {
    const world = await aWorld()
    const client = await open(world)
    const closed = world.gateway.close({ drainMs: 600_000 })
    // Wait until the stopping gateway refuses a new client. By then, it has closed all connections that do not survive a
    // shutdown.
    expect(await sendTextAndReadResponse(world.rawPort, 'anybody')).toBe('')
    expect(client.closed).toBe(false)
    world.gateway.bus.publish({ kind: 'instance-ended', instanceId })
    await closing(client)
    await closed
  })

  it('the connection ends after the drain time of a stopping gateway', async () => {
    const world = await aWorld()
    const client = await open(world)
    await world.gateway.close({ drainMs: 20 })
    await closing(client)
  })
})

describe('a connection to an additional port', () => {
  const host = '127.0.0.1'
  const entry = { host, port: 4444 }
  const elsewhere = { host, port: 5555 }
  const openTo = async (world: World) => {
    await world.behind({ entryPort: entry.port })
    return greeted(connect({ port: world.rawPort, host }))
  }

  it('a connection to an additional port ends only if a message says that the instance left its entry address', async () => {
    const world = await aWorld()
    const client = await openTo(world)
    world.gateway.bus.publish({ kind: 'instance-moved', instanceId, from: elsewhere })
    client.write('still here')
    expect(String(await new Promise((resolve) => client.once('data', resolve)))).toBe('still here')
    world.gateway.bus.publish({ kind: 'instance-moved', instanceId, from: entry })
    await closing(client)
  })

  it('a connection to an additional port ends if its instance moved, even if the message about the move was lost', async () => {
    const world = await aWorld({ timings: { recheckMs: 20 } })
    const { targets, asked } = world.gateway.backend
    targets.set(instanceId, { state: 'ready', ...entry, kind: 'team' })
    const client = await openTo(world)
    const before = asked.proxyTarget
    await vi.waitFor(() => expect(asked.proxyTarget).toBeGreaterThan(before + 2), waiting)
    expect(client.closed).toBe(false)
    targets.set(instanceId, { state: 'ready', ...elsewhere, kind: 'team' })
    await closing(client)
  })

  it('a connection to a port of an additional container ends only if this container moves', async () => {
    const world = await aWorld()
    const own = { host, port: await world.behind({ furtherPort: 5432 }) }
    const client = await greeted(connect({ port: world.rawPort, host }))
    world.gateway.bus.publish({ kind: 'instance-moved', instanceId, from: entry })
    client.write('still here')
    expect(String(await new Promise((resolve) => client.once('data', resolve)))).toBe('still here')
    world.gateway.bus.publish({ kind: 'instance-moved', instanceId, from: own })
    await closing(client)
  })

  it('a connection to a port of an additional container ends at a regular check only if this container has moved', async () => {
    const world = await aWorld({ timings: { recheckMs: 20 } })
    const { targets, asked } = world.gateway.backend
    const own = { host, port: await world.behind({ furtherPort: 5432 }) }
    targets.set(instanceId, { state: 'ready', ...entry, kind: 'team', further: [elsewhere, own] })
    const client = await greeted(connect({ port: world.rawPort, host }))
    const before = asked.proxyTarget
    await vi.waitFor(() => expect(asked.proxyTarget).toBeGreaterThan(before + 2), waiting)
    expect(client.closed).toBe(false)
    targets.set(instanceId, { state: 'ready', ...entry, kind: 'team', further: [elsewhere] })
    await closing(client)
  })
})

it.each(['a port', 'TLS that ends at the gateway', 'TLS that passes through'] as const)(
  'a stopping gateway still forwards bytes in both directions through %s',
  async (way) => {
    const world = await aWorld()
    const client = await ways[way]!(world)
    const closed = world.gateway.close({ drainMs: 600_000 })
    expect(await sendTextAndReadResponse(world.rawPort, 'anybody')).toBe('')
    client.write('still here')
    expect(String(await new Promise((resolve) => client.once('data', resolve)))).toBe('still here')
    client.destroy()
    await closed
  },
)

describe('a lost message about a move', () => {
  it.each([
    ['on a separate connection', {}],
    ['behind a proxy', { trustedProxies: ['loopback'] }],
  ])(
    'if the gateway misses that an instance has moved, a client %s gets no data from another instance',
    async (_where, config) => {
      const answering = (text: string) => (socket: Socket) =>
        void socket.once('data', () =>
          socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`),
        )
      const [left, mine] = [await startInstance(answering('mine')), await startInstance(answering('mine again'))]
      const { gateway, backend } = await start({ config, timings: { freshMs: 1 } })
      backend.routes.set(label, createReadyRouteTarget(left.port))
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      onTestFinished(() => agent.destroy())
      const visit = () => sendHttpRequest(gateway.port, { agent, headers: { 'x-forwarded-for': '203.0.113.1' } })
      expect((await visit()).text).toBe('mine')
      left.serve(answering('a secret of others'))
      backend.routes.set(label, createReadyRouteTarget(mine.port))
      // When the gateway reports the connection, the cached address of the instance has already expired.
      await vi.waitFor(() => expect(backend.reports.size).toBe(1), waiting)
      expect((await visit()).statusCode).toBe(502)
      expect((await visit()).text).toBe('mine again')
      expect(left.sockets).toHaveLength(1)
      // While the api is unavailable, the gateway cannot confirm the address, so it does not connect to the instance. It responds
      // with 503 instead of 502, because the instance did not cause the problem.
      backend.isAway = true
      await vi.waitFor(async () => expect((await visit()).statusCode).toBe(503), waiting)
      expect(mine.sockets.length).toBeLessThanOrEqual(2)
    },
  )
})
