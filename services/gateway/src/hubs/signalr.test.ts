import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { MessageBus } from '@capstan/bus/message-bus'
import { createRedisBus } from '@capstan/bus/redis-bus'
import { redisMissing, startTestRedis, type TestRedis } from '@capstan/bus/testing'
import type { RealtimeMessage } from '@capstan/contract/events'
import { type HubConnection, HubConnectionBuilder, HubConnectionState, LogLevel } from '@microsoft/signalr'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts'

const waiting = { timeout: 120_000, interval: 10 }
const time = '2026-03-01T10:00:00.000Z'

function aNotice(gameId: number, text: string): RealtimeMessage {
  return { kind: 'notice', gameId, payload: { id: 1, type: 'Normal', values: [text], time } }
}

/**
 * Defines tests that use the public SignalR client. `connectBus` returns two connections to one bus, one for the api and one for
 * the gateway.
 */
function servesSignalRClients(connectBus: () => Promise<{ api: MessageBus; gateway: MessageBus }>): void {
  const gateways: TestGateway[] = []
  const connections: HubConnection[] = []
  const buses: MessageBus[] = []

  async function start(options: TestGatewayOptions = {}) {
    const { api, gateway: bus } = await connectBus()
    buses.push(api, bus)
    const gateway = await startTestGateway({ bus, ...options })
    gateways.push(gateway)
    return { gateway, bus, publish: (message: RealtimeMessage) => api.publish(message) }
  }

  function connect(gateway: TestGateway, path: string, cookie?: string): HubConnection {
    const connection = new HubConnectionBuilder()
      .withUrl(gateway.origin + path, cookie === undefined ? {} : { headers: { cookie } })
      .withAutomaticReconnect([0, 50, 50, 50, 100, 100, 200, 200, 500, 500])
      .configureLogging(LogLevel.None)
      .build()
    connections.push(connection)
    return connection
  }

  function collect(connection: HubConnection, target: string): unknown[] {
    const seen: unknown[] = []
    connection.on(target, (...received) => seen.push(...received))
    return seen
  }

  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.stop()))
    await Promise.all(gateways.splice(0).map((gateway) => gateway.close()))
    await Promise.all(buses.splice(0).map((bus) => bus.close()))
  })

  it('clients receive only notices of their game', async () => {
    const { gateway, publish } = await start()
    const connection = connect(gateway, '/hub/user?game=7')
    const seen = collect(connection, 'ReceivedGameNotice')
    await connection.start()
    publish(aNotice(8, 'of another game'))
    publish(aNotice(7, 'of this game'))
    await vi.waitFor(() => expect(seen).toEqual([{ id: 1, type: 'Normal', values: ['of this game'], time }]), waiting)
  })

  it('clients receive events and submissions if their users are monitors', async () => {
    const { gateway, publish } = await start()
    const connection = connect(gateway, '/hub/monitor?game=7', 'session=monitor')
    const [events, submissions] = [collect(connection, 'ReceivedGameEvent'), collect(connection, 'ReceivedSubmissions')]
    await connection.start()
    const event = { time, user: 'ann', team: 'red', type: 'ContainerStart' as const, values: ['1', 'c'] }
    const submission = { answer: 'x', status: 'WrongAnswer' as const, time, user: 'ann', team: 'red', challenge: 'c' }
    publish({ kind: 'event', gameId: 7, payload: event })
    publish({ kind: 'submission', gameId: 7, payload: submission })
    await vi.waitFor(() => expect([events, submissions]).toEqual([[event], [submission]]), waiting)
  })

  it('clients receive log entries if their users are admins', async () => {
    const { gateway, publish } = await start()
    const connection = connect(gateway, '/hub/admin', 'session=admin')
    const entries = collect(connection, 'ReceivedLog')
    await connection.start()
    const entry = { time, name: 'System', level: 'Warning', ip: null, msg: 'text', status: null }
    publish({ kind: 'log', payload: entry })
    await vi.waitFor(() => expect(entries).toEqual([entry]), waiting)
  })

  it.each([
    ['/hub/user?game=99', undefined, 'There is no such game'],
    ['/hub/monitor?game=7', 'session=player', 'You are not allowed to do this'],
    ['/hub/admin', 'session=monitor', 'You are not allowed to do this'],
    ['/hub/admin', undefined, 'Please log in first'],
  ])('clients receive the reason if %s refuses the cookie %s, and do not reconnect', async (path, cookie, error) => {
    const { gateway } = await start()
    const connection = connect(gateway, path, cookie)
    const closed = new Promise<Error | undefined>((resolve) => connection.onclose(resolve))
    // The close message follows the handshake at once, so the client may receive it before or after `start` resolves.
    const reason = await connection.start().then(
      () => closed,
      (failure: Error) => failure,
    )
    expect(reason?.message).toContain(error)
    expect(connection.state).toBe(HubConnectionState.Disconnected)
  })

  it('clients get an error from every method that they call', async () => {
    const { gateway } = await start()
    const connection = connect(gateway, '/hub/user?game=7')
    await connection.start()
    await expect(connection.invoke('Anything')).rejects.toThrow('This hub has no methods')
  })

  it('clients reconnect after the gateway was killed, and receive messages again', async () => {
    const { gateway, bus, publish } = await start()
    const connection = connect(gateway, '/hub/user?game=7')
    const seen = collect(connection, 'ReceivedGameNotice')
    await connection.start()
    const isBack = new Promise<void>((resolve) => connection.onreconnected(() => resolve()))
    await gateway.crash()
    gateways.push(await startTestGateway({ bus, port: gateway.port }))
    await isBack
    publish(aNotice(7, 'after the restart'))
    await vi.waitFor(() => expect(seen).toHaveLength(1), waiting)
  })

  it('clients reconnect after an orderly restart, and receive messages again', async () => {
    const { gateway, bus, publish } = await start()
    const connection = connect(gateway, '/hub/user?game=7')
    const seen = collect(connection, 'ReceivedGameNotice')
    await connection.start()
    const isBack = new Promise<void>((resolve) => connection.onreconnected(() => resolve()))
    await gateway.close()
    gateways.push(await startTestGateway({ bus, port: gateway.port }))
    await isBack
    publish(aNotice(7, 'after the restart'))
    await vi.waitFor(() => expect(seen).toHaveLength(1), waiting)
  })
}

describe('clients of a single process', () => {
  servesSignalRClients(async () => {
    const bus = createInProcessBus()
    return { api: bus, gateway: bus }
  })
})

describe.skipIf(redisMissing)(`clients of a gateway behind Redis${redisMissing ? `: ${redisMissing}` : ''}`, () => {
  let redis: TestRedis

  beforeAll(async () => {
    redis = await startTestRedis()
  })
  afterAll(() => redis.close())

  async function openReady(): Promise<MessageBus> {
    const bus = createRedisBus({ url: redis.url })
    await vi.waitFor(() => expect(bus.health().state).toBe('up'), waiting)
    return bus
  }

  servesSignalRClients(async () => ({ api: await openReady(), gateway: await openReady() }))

  it('clients reconnect after Redis was unreachable, so that they refetch data', async () => {
    const bus = await openReady()
    const gateway = await startTestGateway({ bus })
    const connection = new HubConnectionBuilder()
      .withUrl(`${gateway.origin}/hub/user?game=7`)
      .withAutomaticReconnect([0, 50, 100])
      .configureLogging(LogLevel.None)
      .build()
    await connection.start()
    const isBack = new Promise<void>((resolve) => connection.onreconnected(() => resolve()))
    await redis.kill()
    await vi.waitFor(() => expect(bus.health().state).toBe('connecting'), waiting)
    expect(gateway.gateway.health().isReady).toBe(true)
    await redis.start()
    await isBack
    await connection.stop()
    await gateway.close()
    await bus.close()
  })
})
