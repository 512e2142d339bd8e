import { createRedisRateLimitStore } from '@capstan/bus/rate-limit-redis'
import { createRedisSeatCounter } from '@capstan/bus/redis-seats'
import { redisMissing, startTestRedis, type TestRedis } from '@capstan/bus/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFakeBackend, type FakeBackend } from '../testing/fake-backend.ts'
import { echoReceivedBytes, id, otherId, provideProxyGateway, waiting } from '../testing/proxy-world.ts'
import { catchRefusedUpgrade, openRawWebSocket, type RawClient } from '../testing/raw-client.ts'
import { startTcpServer, type TcpServer } from '../testing/tcp-server.ts'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'

const { start, open, refused } = provideProxyGateway()
const tooMany = [429, 'request.rate-limited']
function from(address: string) {
  return { 'x-forwarded-for': address }
}
const trusting = { trustedProxies: ['loopback'] }

describe('attempts at one container', () => {
  it('attempts at one container are limited per minute for all clients together, and the refusal says when to retry', async () => {
    const { backend, server, gateway } = await start(echoReceivedBytes, {
      config: { ...trusting, limits: { proxyAttemptsPerInstanceMinute: 3 } },
    })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await open(`/api/proxy/${id}`, from(address))
    const refusal = await catchRefusedUpgrade(`${gateway.webSocketOrigin}/api/proxy/${id}`, from('192.0.2.4'))
    expect([refusal.status, refusal.body]).toMatchObject([429, { code: 'request.rate-limited' }])
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refusal.headers['retry-after'])).toBeLessThanOrEqual(60)
    backend.targets.set(otherId, server.target())
    await open(`/api/proxy/${otherId}`)
  })

  it('if clients connect to a container too often, the gateway refuses connections and does not call the api', async () => {
    const { backend } = await start(echoReceivedBytes, { config: { limits: { proxyAttemptsPerInstanceMinute: 1 } } })
    await open()
    expect(await refused()).toEqual(tooMany)
    const asked = backend.asked.proxyTarget
    for (let attempt = 0; attempt < 20; attempt += 1) expect(await refused()).toEqual(tooMany)
    expect(backend.asked.proxyTarget).toBe(asked)
  })
})

describe('attempts of one address', () => {
  it('attempts of one address are limited per minute for all targets together, independent of other addresses', async () => {
    const { gateway } = await start(echoReceivedBytes, { config: { ...trusting, limits: { proxyAttemptsPerAddressMinute: 4 } } })
    const probe = async (path: string, address: string) => (await fetch(gateway.origin + path, { headers: from(address) })).status
    await open(`/api/proxy/${id}`, from('192.0.2.1'))
    expect(await probe(`/api/proxy/${id}`, '192.0.2.1')).toBe(204)
    expect(await probe(`/api/proxy/${otherId}`, '192.0.2.1')).toBe(404)
    expect(await probe(`/api/proxy/noinst/${otherId}`, '192.0.2.1')).toBe(404)
    expect(await probe(`/api/proxy/${id}`, '192.0.2.1')).toBe(429)
    const refusal = await catchRefusedUpgrade(`${gateway.webSocketOrigin}/api/proxy/${id}`, from('192.0.2.1'))
    expect([refusal.status, Number(refusal.headers['retry-after']) > 0]).toEqual([429, true])
    await open(`/api/proxy/${id}`, from('192.0.2.2'))
  })

  it('attempts of several addresses count together if the addresses are in one IPv6 network of 64 bits', async () => {
    const { gateway } = await start(echoReceivedBytes, { config: { ...trusting, limits: { proxyAttemptsPerAddressMinute: 2 } } })
    await open(`/api/proxy/${id}`, from('2001:db8::1'))
    await open(`/api/proxy/${id}`, from('2001:db8::2'))
    expect((await catchRefusedUpgrade(`${gateway.webSocketOrigin}/api/proxy/${id}`, from('2001:db8::3'))).status).toBe(429)
    await open(`/api/proxy/${id}`, from('2001:db8:0:1::1'))
  })

  it('refused attempts are counted in the metrics under the name of the limit', async () => {
    const { gateway } = await start(echoReceivedBytes, { config: { limits: { proxyAttemptsPerAddressMinute: 1 } } })
    await open()
    expect(await refused()).toEqual(tooMany)
    expect(await gateway.gateway.registry.metrics()).toContain('capstan_gateway_refusals_total{limit="proxy-address"} 1')
  })
})

it('the gateway limits all connections of a process, and a closed connection no longer counts', async () => {
  await start(echoReceivedBytes, { config: { limits: { proxyConnections: 2 } } })
  const [first] = [await open(), await open()]
  expect(await refused()).toEqual(tooMany)
  first.socket.close()
  await vi.waitFor(() => open(), waiting)
})

describe.skipIf(redisMissing)(`two gateways on one Redis${redisMissing ? `: ${redisMissing}` : ''}`, () => {
  let redis: TestRedis
  let server: TcpServer
  let backend: FakeBackend
  const ends: (() => Promise<unknown>)[] = []
  const clients: RawClient[] = []

  beforeAll(async () => {
    redis = await startTestRedis()
    server = await startTcpServer(echoReceivedBytes)
  })
  afterAll(async () => {
    await server.close()
    await redis.close()
  })
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate()
    for (const end of ends.splice(0).reverse()) await end()
  })

  /**
   * Starts two gateways and a container. Each test uses a different instance id, so that the counts of one test do not
   * affect another test.
   */
  async function startTwo(instanceId: string, limits = {}): Promise<[TestGateway, TestGateway]> {
    backend = createFakeBackend()
    backend.targets.set(instanceId, server.target())
    const startOne = async () => {
      const patient = { answerWithinMs: 120_000 }
      const seats = createRedisSeatCounter({ url: redis.url, leaseMs: 2_000, ...patient })
      const rateLimits = createRedisRateLimitStore(redis.url, patient)
      ends.push(() => Promise.all([seats.close(), rateLimits.close()]))
      await vi.waitFor(() => expect([seats.isShared(), rateLimits.isShared()]).toEqual([true, true]), waiting)
      const gateway = await startTestGateway({ backend, seats, rateLimits, config: { ...trusting, limits } })
      ends.push(() => gateway.close())
      return gateway
    }
    return [await startOne(), await startOne()]
  }

  async function openAt(gateway: TestGateway, instanceId: string, headers = {}): Promise<RawClient> {
    const client = await openRawWebSocket(`${gateway.webSocketOrigin}/api/proxy/${instanceId}`, headers)
    clients.push(client)
    return client
  }

  it('two gateways accept 64 open connections to a container in total', async () => {
    const instanceId = 'aaaaaaaa-0000-4000-8000-000000000001'
    const gateways = await startTwo(instanceId)
    const attempts = await Promise.allSettled(
      Array.from({ length: 80 }, (_, index) => openAt(gateways[index % 2 === 0 ? 0 : 1], instanceId)),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(64)
    for (const gateway of gateways) {
      const refusal = await catchRefusedUpgrade(`${gateway.webSocketOrigin}/api/proxy/${instanceId}`)
      expect([refusal.status, refusal.body]).toMatchObject([400, { code: 'proxy.full' }])
    }
    const [here, there] = gateways
    clients[0]?.socket.close()
    await vi.waitFor(() => openAt(there, instanceId), waiting)
    expect((await catchRefusedUpgrade(`${here.webSocketOrigin}/api/proxy/${instanceId}`)).status).toBe(400)
  })

  it('two gateways share the count of attempts per address', async () => {
    const instanceId = 'aaaaaaaa-0000-4000-8000-000000000002'
    const [here, there] = await startTwo(instanceId, { proxyAttemptsPerAddressMinute: 4 })
    for (const gateway of [here, there, here, there]) await openAt(gateway, instanceId, from('192.0.2.7'))
    for (const gateway of [here, there])
      expect((await catchRefusedUpgrade(`${gateway.webSocketOrigin}/api/proxy/${instanceId}`, from('192.0.2.7'))).status).toBe(
        429,
      )
  })

  it('two gateways share the count of attempts per container', async () => {
    const instanceId = 'aaaaaaaa-0000-4000-8000-000000000003'
    const [here, there] = await startTwo(instanceId, { proxyAttemptsPerInstanceMinute: 2 })
    for (const gateway of [here, there]) await openAt(gateway, instanceId)
    for (const gateway of [here, there])
      expect((await catchRefusedUpgrade(`${gateway.webSocketOrigin}/api/proxy/${instanceId}`)).status).toBe(429)
  })
})
