import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { GatewayBounds } from '@capstan/contract/limits'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  countRefusals,
  createReadyRouteTarget,
  hostOf,
  label,
  otherInstanceId,
  otherLabel,
  provideReachGateway,
  sendHttpRequest,
  sendTextAndReadResponse,
  waiting,
} from '../testing/reach-world.ts'
import type { TestGatewayOptions } from '../testing/test-gateway.ts'

const { start, startHttpServer, startInstance } = provideReachGateway()
const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

function hold(port: number, text = ''): Socket {
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text))
  socket.on('error', () => {})
  open.push(socket)
  return socket
}
function heard(socket: Socket) {
  return new Promise((resolve) => socket.once('data', resolve))
}
function from(address: string) {
  return { headers: { 'x-forwarded-for': address } }
}
function openRequestFrom(address: string) {
  return `GET / HTTP/1.1\r\nHost: ${hostOf(label)}\r\nX-Forwarded-For: ${address}\r\n\r\n`
}

/**
 * Starts an instance to which clients can connect by every method. The instance begins each response and never ends it, so all
 * connections remain busy.
 */
async function startHolding({
  timings,
  ...config
}: NonNullable<Parameters<typeof start>[0]>['config'] & Pick<TestGatewayOptions, 'timings'>) {
  const instance = await startHttpServer((_request, response) => void response.write('on'))
  const world = await start({ config: { trustedProxies: ['loopback'], ...config }, ...(timings && { timings }) })
  world.backend.routes.set(label, createReadyRouteTarget(instance.port))
  world.backend.routes.set(world.rawPort, createReadyRouteTarget(instance.port))
  return { ...world, instance, port: world.gateway.port }
}

describe('connections to an instance', () => {
  it('connections to an instance are limited in total for all clients', async () => {
    const { port, gateway, backend, instance } = await startHolding({ limits: { instanceConnections: 2 } })
    await heard(hold(port, openRequestFrom('203.0.113.1')))
    await heard(hold(port, openRequestFrom('203.0.113.2')))
    const refused = await sendHttpRequest(port, from('203.0.113.3'))
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30'])
    expect(await countRefusals(gateway, 'instance-connections')).toBe(1)
    // Connections to another instance are counted separately.
    backend.routes.set(otherLabel, createReadyRouteTarget(instance.port, { instanceId: otherInstanceId }))
    await heard(hold(port, openRequestFrom('203.0.113.3').replace(label, otherLabel)))
  })

  it('connections to an instance count together if their addresses are in one IPv6 network of 64 bits', async () => {
    const { port, gateway } = await startHolding({ limits: { instanceConnectionsPerAddress: 2 } })
    await heard(hold(port, openRequestFrom('2001:db8::1')))
    await heard(hold(port, openRequestFrom('2001:db8::ffff:1')))
    expect((await sendHttpRequest(port, from('2001:db8::2'))).statusCode).toBe(429)
    expect(await countRefusals(gateway, 'instance-address')).toBe(1)
    await heard(hold(port, openRequestFrom('2001:db8:0:1::1')))
  })

  it('connections to instances are limited per process', async () => {
    const { port, gateway } = await startHolding({ limits: { proxyConnections: 1 } })
    await heard(hold(port, openRequestFrom('203.0.113.1')))
    expect((await sendHttpRequest(port, from('203.0.113.2'))).statusCode).toBe(429)
    expect(await countRefusals(gateway, 'proxy-connections')).toBe(1)
  })
})

describe('a client behind a proxy', () => {
  const ofProxy = () => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    return agent
  }

  const startAnswering = async (timings: NonNullable<TestGatewayOptions['timings']> = {}) => {
    const instance = await startHttpServer((_request, response) => void response.end('ok'))
    const world = await start({
      config: { trustedProxies: ['loopback'], limits: { instanceConnectionsPerAddress: 2, instanceConnections: 2 } },
      timings,
    })
    world.backend.routes.set(label, createReadyRouteTarget(instance.port))
    return world
  }

  it('a client behind a proxy counts as one connection, regardless of the number of proxy connections', async () => {
    const { gateway, backend } = await startAnswering()
    const client = from('203.0.113.1')
    for (let index = 0; index < 5; index += 1)
      expect((await sendHttpRequest(gateway.port, { ...client, agent: ofProxy() })).statusCode).toBe(200)
    expect(gateway.gateway.health().proxyConnections).toBe(1)
    expect((await sendHttpRequest(gateway.port, { ...from('203.0.113.2'), agent: ofProxy() })).statusCode).toBe(200)
    await vi.waitFor(() => expect(backend.reports.size).toBe(2), waiting)
  })

  it('a client behind a proxy counts as disconnected after a time without a request', async () => {
    const { gateway } = await startAnswering({ restMs: 100 })
    for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      expect((await sendHttpRequest(gateway.port, { ...from(client), agent: ofProxy() })).statusCode).toBe(200)
      await vi.waitFor(() => expect(gateway.gateway.health().proxyConnections).toBe(0), waiting)
    }
  })

  it('concurrent requests of a client behind a proxy have the same limit as connections of a client without a proxy', async () => {
    const { port, gateway } = await startHolding({ limits: { instanceConnectionsPerAddress: 2 } })
    const openRequest = openRequestFrom('203.0.113.1')
    const first = hold(port, openRequest)
    await heard(first)
    await heard(hold(port, openRequest))
    const refused = await sendHttpRequest(port, from('203.0.113.1'))
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30'])
    expect(await countRefusals(gateway, 'instance-address')).toBe(1)
    await heard(hold(port, openRequestFrom('203.0.113.2')))
    first.destroy()
    // Wait for the status 200 of an admitted request. A refused request would get 429.
    await vi.waitFor(
      async () => expect(await sendTextAndReadResponse(port, openRequest, '\r\n\r\n')).toContain('200 OK'),
      waiting,
    )
  })

  it('after half of the maximum duration, a client behind a proxy gets another row in the connection log', async () => {
    const { port, backend } = await startHolding({ timings: { lifetimeMs: 12_000 } })
    const openRequest = openRequestFrom('203.0.113.1')
    const first = hold(port, openRequest)
    await heard(first)
    await vi.waitFor(
      async () => {
        await sendTextAndReadResponse(port, openRequest, 'HTTP/1.1 200 OK')
        expect(backend.reports.size).toBe(2)
      },
      { timeout: 12_000, interval: 100 },
    )
    expect(first.destroyed).toBe(false)
  })
})

describe('new connections in a minute', () => {
  it('new connections in a minute are limited per address, with one count for host names and ports', async () => {
    const instance = await startInstance((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    const { gateway, backend, rawPort } = await start({ config: { limits: { proxyAttemptsPerAddressMinute: 2 } } })
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port))
    expect((await sendHttpRequest(gateway.port)).statusCode).toBe(200)
    expect(await sendTextAndReadResponse(rawPort, '')).toMatch(/ok$/)
    const refused = await sendHttpRequest(gateway.port)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30'])
    expect(await sendTextAndReadResponse(rawPort, '')).toBe('')
    expect(await countRefusals(gateway, 'proxy-address')).toBe(2)
  })

  it('new connections in a minute are limited per instance, even if clients know its secret host name', async () => {
    const instance = await startInstance((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    const { gateway, backend } = await start({ config: { limits: { proxyAttemptsPerInstanceMinute: 2 } } })
    backend.routes.set(label, createReadyRouteTarget(instance.port))
    for (let count = 0; count < 2; count += 1) expect((await sendHttpRequest(gateway.port)).statusCode).toBe(200)
    const refused = await sendHttpRequest(gateway.port)
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30'])
    expect(await countRefusals(gateway, 'proxy-instance')).toBe(1)
  })

  it('new connections in a minute are also limited for strangers who guess host names', async () => {
    const { gateway } = await start({ config: { limits: { proxyAttemptsPerAddressMinute: 2 } } })
    const statuses = []
    for (let tries = 0; tries < 3; tries += 1)
      statuses.push((await sendHttpRequest(gateway.port, { host: hostOf(otherLabel) })).statusCode)
    expect(statuses).toEqual([404, 404, 429])
  })
})

describe('TLS handshakes', () => {
  it('TLS handshakes are limited per address while they are unfinished', async () => {
    const { tlsPort, gateway } = await start()
    for (let index = 0; index < GatewayBounds.unfinishedHandshakesPerAddress; index += 1) hold(tlsPort)
    const late = hold(tlsPort)
    await new Promise((resolve) => late.once('close', resolve))
    expect(await countRefusals(gateway, 'unfinished-tls-address')).toBeGreaterThan(0)
    // New clients are admitted again once these clients have disconnected.
    for (const socket of open) socket.destroy()
    await vi.waitFor(async () => {
      const socket = connectTls({ port: tlsPort, host: '127.0.0.1', servername: hostOf(label), rejectUnauthorized: false })
      open.push(socket)
      await new Promise((resolve, reject) => {
        socket.once('secureConnect', resolve)
        socket.once('error', reject)
      })
    }, waiting)
  })

  it.each([
    ['sends no data', ''],
    ['sends only a part of it', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('the TLS handshake of a client that %s ends after the timeout', async (_name, text) => {
    const { tlsPort, gateway } = await start({ timings: { tlsMs: 50 } })
    const socket = hold(tlsPort, text)
    await new Promise((resolve) => socket.once('close', resolve))
    expect(await countRefusals(gateway, 'slow-handshake')).toBe(1)
  })
})

describe('connections of one address', () => {
  it.each(['tls', 'plain'] as const)('connections of one address to a %s port are limited', async (kind) => {
    // Programs usually close a connection when its client closes it.
    const instance = await startInstance((socket) => {
      socket.write('hello')
      socket.once('end', () => socket.end()).resume()
    })
    const { gateway, backend, tlsPort, rawPort } = await start({ config: { connectionsPerAddress: 2 } })
    backend.routes.set(label, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    const reach = (localAddress: string): Socket => {
      const to = { port: kind === 'tls' ? tlsPort : rawPort, host: '127.0.0.1', localAddress }
      const socket = kind === 'tls' ? connectTls({ ...to, servername: hostOf(label), rejectUnauthorized: false }) : connect(to)
      socket.on('error', () => {})
      open.push(socket)
      return socket
    }
    const answered = [await heard(reach('127.0.0.1')), await heard(reach('127.0.0.1'))]
    expect(answered.map(String)).toEqual(['hello', 'hello'])
    const refused = reach('127.0.0.1')
    await new Promise((resolve) => refused.once('close', resolve))
    expect(await countRefusals(gateway, 'listener-address')).toBe(1)
    expect(String(await heard(reach('127.0.0.2')))).toBe('hello')
    open[0]?.destroy()
    await vi.waitFor(async () => {
      const next = reach('127.0.0.1')
      expect(await Promise.race([heard(next), new Promise((resolve) => next.once('close', resolve))])).toBeInstanceOf(Buffer)
    }, waiting)
  })

  it('connections of a trusted proxy are not limited', async () => {
    const instance = await startInstance((socket) => void socket.write('hello'))
    const { backend, rawPort } = await start({ config: { connectionsPerAddress: 1, trustedProxies: ['loopback'] } })
    backend.routes.set(rawPort, createReadyRouteTarget(instance.port, { speaks: 'tcp' }))
    for (let index = 0; index < 3; index += 1) expect(String(await heard(hold(rawPort)))).toBe('hello')
  })
})
