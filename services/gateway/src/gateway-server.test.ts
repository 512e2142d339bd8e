import { createServer } from 'node:http'
import { connect } from 'node:net'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { MessageBus } from '@capstan/bus/message-bus'
import { createRedisBus } from '@capstan/bus/redis-bus'
import { redisMissing, startTestRedis } from '@capstan/bus/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { buildGateway } from './gateway.ts'
import { createGatewayServer } from './gateway-server.ts'
import { createFakeBackend } from './testing/fake-backend.ts'
import { catchRefusedUpgrade, openRawWebSocket } from './testing/raw-client.ts'
import { quietLog, testSecret } from './testing/test-gateway.ts'

const waiting = { timeout: 120_000, interval: 5 }
const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function aGateway(bus: MessageBus = createInProcessBus()) {
  const config = { internalToken: testSecret, trustedProxies: false, publicOrigin: undefined, maxHubWaitingBytes: 65_536 }
  const gateway = buildGateway(config, { backend: createFakeBackend(), bus, log: quietLog })
  cleanups.push(() => gateway.close())
  return gateway
}

describe('a separate gateway', () => {
  async function start(bus?: MessageBus) {
    const gateway = aGateway(bus)
    const server = createGatewayServer(gateway)
    const { port } = await server.listen(0, '127.0.0.1')
    cleanups.push(() => server.close({ drainMs: 0 }))
    return { gateway, server, origin: `http://127.0.0.1:${port}` }
  }

  async function get(url: string): Promise<[number, string]> {
    const response = await fetch(url)
    return [response.status, await response.text()]
  }

  it('a separate gateway is healthy and ready after its start', async () => {
    const { origin } = await start()
    for (const path of ['/livez', '/healthz']) expect(await get(origin + path)).toEqual([200, 'Healthy'])
    expect(await get(`${origin}/readyz`)).toEqual([200, 'Ready\nbus up\nhub clients 0\nproxied connections 0'])
  })

  it('a separate gateway serves no metrics on the port of its clients', async () => {
    const { origin } = await start()
    expect((await get(`${origin}/metrics`))[0]).toBe(404)
  })

  it('a separate gateway is healthy but not ready while it stops', async () => {
    const { origin, server } = await start()
    server.retire()
    expect(await get(`${origin}/healthz`)).toEqual([200, 'Healthy'])
    expect((await get(`${origin}/readyz`))[0]).toBe(503)
    expect(server.readiness().isReady).toBe(false)
    expect((await fetch(`${origin}/healthz`)).headers.get('connection')).toBe('close')
  })

  it.skipIf(redisMissing)(
    'a gateway becomes ready once Redis accepts it, and remains ready if Redis is unreachable',
    async () => {
      const redis = await startTestRedis({ password: 'anchor' })
      const bus = createRedisBus({ url: redis.url })
      cleanups.push(
        () => redis.close(),
        () => bus.close(),
      )
      const { origin, gateway } = await start(bus)
      const says = (status: number, text: string) =>
        vi.waitFor(async () => {
          const [found, lines] = await get(`${origin}/readyz`)
          expect([found, lines.split('\nhub')[0]]).toEqual([status, text])
        }, waiting)
      await says(503, 'Waiting for Redis\nbus refused')
      expect(await gateway.registry.metrics()).toContain('capstan_gateway_bus_up 0')
      await redis.removePassword()
      await says(200, 'Ready\nbus up')
      await redis.kill()
      await says(200, 'Ready\nbus connecting')
      expect(await gateway.registry.metrics()).toContain('capstan_gateway_bus_up 0')
    },
  )

  it('a separate gateway counts its clients in the metrics', async () => {
    const { origin, gateway } = await start()
    const client = await openRawWebSocket(`${origin.replace('http', 'ws')}/hub/user?game=7`)
    expect(await gateway.registry.metrics()).toContain('capstan_gateway_hub_clients{hub="user"} 1')
    client.socket.terminate()
    await vi.waitFor(
      async () => expect(await gateway.registry.metrics()).toContain('capstan_gateway_hub_clients{hub="user"} 0'),
      waiting,
    )
  })

  it('a separate gateway answers 404 at addresses of the api and at unknown addresses', async () => {
    const { origin } = await start()
    expect((await get(`${origin}/api/game`))[0]).toBe(404)
    expect((await catchRefusedUpgrade(`${origin.replace('http', 'ws')}/elsewhere`)).status).toBe(404)
  })
})

describe('a gateway in the process of the api', () => {
  async function start() {
    const gateway = aGateway()
    const server = createServer((request, response) => {
      if (!gateway.handle(request, response)) response.end(`the api at ${request.url}`)
    })
    gateway.attach(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise((resolve) => server.close(resolve)))
    const { port } = server.address() as { port: number }
    return { port, server, origin: `http://127.0.0.1:${port}` }
  }

  it('a gateway in the process of the api ignores requests for the api', async () => {
    const { origin } = await start()
    expect(await (await fetch(`${origin}/api/game`)).text()).toBe('the api at /api/game')
    expect((await fetch(`${origin}/hub/user/negotiate?negotiateVersion=1`, { method: 'POST' })).status).toBe(200)
  })

  it('a gateway in the process of the api accepts WebSockets of hubs', async () => {
    const { origin } = await start()
    const client = await openRawWebSocket(`${origin.replace('http', 'ws')}/hub/user?game=7`)
    client.socket.terminate()
    await client.closed
  })

  it('a gateway in the process of the api ignores an upgrade to HTTP/2, which Java clients send', async () => {
    const { port } = await start()
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write(
      'GET /api/game HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAQ\r\n\r\n',
    )
    await vi.waitFor(() => expect(text).toContain('the api at /api/game'), waiting)
    socket.destroy()
  })

  it('a gateway in the process of the api ignores WebSockets of other listeners', async () => {
    const { origin, server } = await start()
    server.on('upgrade', (request, socket) => {
      if (request.url === '/hot-reload') socket.end('HTTP/1.1 418 Mine\r\nContent-Length: 0\r\n\r\n')
    })
    expect((await catchRefusedUpgrade(`${origin.replace('http', 'ws')}/hot-reload`)).status).toBe(418)
  })
})
