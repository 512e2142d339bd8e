import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { RealtimeMessage } from '@capstan/contract/events'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createInProcessBus } from './in-process-bus.ts'
import type { MessageBus } from './message-bus.ts'
import { createRedisBus } from './redis-bus.ts'
import { redisMissing, startTestRedis, type TestRedis } from './testing.ts'

const waiting = { timeout: 120_000, interval: 10 }

function aNotice(id: number): RealtimeMessage {
  return {
    kind: 'notice',
    gameId: 7,
    payload: { id, type: 'Normal', values: ['Hello é 世界'], time: '2026-03-01T10:00:00.000Z' },
  }
}

function collect(bus: MessageBus): RealtimeMessage[] {
  const messages: RealtimeMessage[] = []
  bus.subscribe((message) => messages.push(message))
  return messages
}

/**
 * Defines the tests that both adapters must pass. `connect` returns two connections to one bus, from one process or from two
 * processes.
 */
function behavesAsABus(connect: () => Promise<{ here: MessageBus; there: MessageBus }>): void {
  let ends: { here: MessageBus; there: MessageBus }

  async function connected() {
    ends = await connect()
    return ends
  }

  afterEach(async () => {
    await ends.here.close()
    await ends.there.close()
  })

  it('delivers a message to every subscriber, including those in the publishing process', async () => {
    const { here, there } = await connected()
    const seen = [collect(here), collect(there), collect(there)]
    here.publish(aNotice(1))
    await vi.waitFor(() => expect(seen).toEqual([[aNotice(1)], [aNotice(1)], [aNotice(1)]]), waiting)
  })

  it('delivers every kind of message unchanged', async () => {
    const { here, there } = await connected()
    const seen = collect(there)
    const messages: RealtimeMessage[] = [
      aNotice(1),
      {
        kind: 'event',
        gameId: 7,
        payload: { type: 'FlagSubmit', values: ['WrongAnswer', 'x'], time: '2026-03-01T10:00:00.000Z', user: 'ann', team: 'red' },
      },
      {
        kind: 'log',
        payload: { time: '2026-03-01T10:00:00.000Z', name: 'System', level: 'Warning', ip: null, msg: 'hi', status: null },
      },
      { kind: 'sessions-ended', userId: 'a3b0c442-98fc-4c14-9afb-f4c8996fb924' },
      { kind: 'instance-ended', instanceId: 'b3b0c442-98fc-4c14-9afb-f4c8996fb924' },
      { kind: 'instance-moved', instanceId: 'b3b0c442-98fc-4c14-9afb-f4c8996fb924', from: { host: '10.0.0.9', port: 80 } },
      { kind: 'instance-crowded', instanceId: 'b3b0c442-98fc-4c14-9afb-f4c8996fb924' },
      { kind: 'gateway-clients', gatewayId: 'c3b0c442', rooms: [{ hub: 'user', gameId: 7, clients: 2 }] },
    ]
    for (const message of messages) here.publish(message)
    await vi.waitFor(() => expect(seen).toEqual(messages), waiting)
  })

  it('delivers the messages of one publisher in order', async () => {
    const { here, there } = await connected()
    const seen = collect(there)
    const messages = Array.from({ length: 500 }, (_, id) => aNotice(id))
    for (const message of messages) here.publish(message)
    await vi.waitFor(() => expect(seen).toHaveLength(500), waiting)
    expect(seen).toEqual(messages)
  })

  it('publish returns before any listener runs', async () => {
    const { here } = await connected()
    const seen = collect(here)
    here.publish(aNotice(1))
    expect(seen).toEqual([])
    await vi.waitFor(() => expect(seen).toHaveLength(1), waiting)
  })

  it('the next listener is called if a listener throws', async () => {
    const { here } = await connected()
    here.subscribe(() => {
      throw new Error('broken listener')
    })
    const seen = collect(here)
    here.publish(aNotice(1))
    here.publish(aNotice(2))
    await vi.waitFor(() => expect(seen).toEqual([aNotice(1), aNotice(2)]), waiting)
  })

  it('calls no listener after the end of its subscription, even if the subscription was ended twice', async () => {
    const { here } = await connected()
    const ended: RealtimeMessage[] = []
    const end = here.subscribe((message) => ended.push(message))
    const seen = collect(here)
    end()
    end()
    here.publish(aNotice(1))
    await vi.waitFor(() => expect(seen).toHaveLength(1), waiting)
    expect(ended).toEqual([])
  })

  it('a closing bus delivers pending messages and ignores later messages', async () => {
    const { here, there } = await connected()
    const seen = collect(there)
    here.publish(aNotice(1))
    await here.close()
    await here.close()
    here.publish(aNotice(2))
    expect(here.health().state).toBe('closed')
    await vi.waitFor(() => expect(seen).toEqual([aNotice(1)]), waiting)
  })

  it('counts published and received messages', async () => {
    const { here } = await connected()
    const seen = collect(here)
    here.publish(aNotice(1))
    here.publish(aNotice(2))
    await vi.waitFor(() => expect(seen).toHaveLength(2), waiting)
    await vi.waitFor(
      () => expect(here.health()).toEqual({ state: 'up', published: 2, received: 2, lost: 0, interruptions: 0 }),
      waiting,
    )
  })
}

describe('the in-process bus', () => {
  behavesAsABus(async () => {
    const bus = createInProcessBus()
    return { here: bus, there: bus }
  })
})

describe.skipIf(redisMissing)(`the bus on Redis${redisMissing ? `: ${redisMissing}` : ''}`, () => {
  let redis: TestRedis
  const opened: MessageBus[] = []

  beforeAll(async () => {
    redis = await startTestRedis()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()))
  })
  afterAll(() => redis.close())

  function open(livenessMs = 10_000): MessageBus {
    const bus = createRedisBus({ url: redis.url, livenessMs })
    opened.push(bus)
    return bus
  }

  async function openReady(livenessMs?: number): Promise<MessageBus> {
    const bus = open(livenessMs)
    await isUp(bus)
    return bus
  }

  async function isUp(bus: MessageBus): Promise<void> {
    await vi.waitFor(() => expect(bus.health().state).toBe('up'), waiting)
  }

  behavesAsABus(async () => ({ here: await openReady(), there: await openReady() }))

  it('delivers messages again after Redis was killed and restarted', async () => {
    const [here, there] = [await openReady(), await openReady()]
    const seen = collect(there)
    await redis.kill()
    await vi.waitFor(() => expect([here.health().state, there.health().state]).toEqual(['connecting', 'connecting']), waiting)
    await redis.start()
    await Promise.all([isUp(here), isUp(there)])
    expect(there.health().interruptions).toBe(1)
    here.publish(aNotice(3))
    await vi.waitFor(() => expect(seen).toEqual([aNotice(3)]), waiting)
  })

  it('delivers messages to listeners of the same process while Redis is unreachable', async () => {
    const here = await openReady()
    const seen = collect(here)
    await redis.kill()
    await vi.waitFor(() => expect(here.health().state).toBe('connecting'), waiting)
    // Messages are lost until the publisher notices the restart of Redis, so publish repeatedly until a message arrives.
    await vi.waitFor(() => {
      here.publish(aNotice(4))
      expect(seen).toContainEqual(aNotice(4))
    }, waiting)
    expect(here.health().lost).toBeGreaterThanOrEqual(1)
    await redis.start()
  })

  it('the bus starts while Redis is down, and connects when Redis starts', async () => {
    await redis.kill()
    const here = open()
    expect(here.health().state).toBe('connecting')
    await redis.start()
    await isUp(here)
  })

  it('the bus replaces a connection that no longer responds', async () => {
    const here = await openReady(100)
    const seen = collect(here)
    redis.freeze()
    await vi.waitFor(() => expect(here.health().state).toBe('connecting'), waiting)
    redis.thaw()
    await isUp(here)
    // On a slow machine the connection may be replaced again, which loses a message. So publish repeatedly until a
    // message arrives.
    await vi.waitFor(() => {
      here.publish(aNotice(5))
      expect(seen).toContainEqual(aNotice(5))
    }, waiting)
  })

  it('the bus reports a refusal by Redis, and connects once Redis accepts the client', async () => {
    const guarded = await startTestRedis({ password: 'anchor' })
    const bus = createRedisBus({ url: guarded.url })
    const known = createRedisBus({ url: guarded.urlWithPassword })
    opened.push(bus, known)
    await vi.waitFor(() => expect(bus.health().state).toBe('refused'), waiting)
    await isUp(known)
    await guarded.removePassword()
    await isUp(bus)
    await guarded.kill()
    await vi.waitFor(() => expect(bus.health().state).toBe('connecting'), waiting)
    await guarded.close()
  })

  it.each<[string, (socket: Socket) => void]>([
    ['rejects before the first command', (socket) => socket.resume().end('-DENIED Redis is running in protected mode\r\n')],
    ['rejects each command', (socket) => socket.once('data', () => socket.end('-DENIED by protected mode\r\n'.repeat(20)))],
    ['resets the connection before a reply', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ])('reports a refusal by a Redis server that %s', async (_what, refuse) => {
    const states = new Set<string>()
    let greetings = 0
    const server = createServer((socket) => {
      socket.on('error', () => {})
      // The bus sometimes needs several connection attempts to detect the refusal.
      if (greetings > 2) states.add(bus.health().state)
      greetings += 1
      refuse(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const bus = createRedisBus({ url: `redis://127.0.0.1:${port}` })
    opened.push(bus)
    await vi.waitFor(() => expect(greetings).toBeGreaterThan(8), waiting)
    expect([...states]).toEqual(['refused'])
    await new Promise((resolve) => server.close(resolve))
    await vi.waitFor(() => expect(bus.health().state).toBe('connecting'), waiting)
  })

  it('the bus reports a refusal if Redis forbids the client to subscribe or to publish', async () => {
    const guarded = await startTestRedis({ password: 'anchor' })
    const { createClient } = await import('redis')
    const owner = await createClient({ url: guarded.urlWithPassword }).connect()
    await owner.aclSetUser('deaf', ['on', '>anchor', '+@all', 'resetchannels'])
    await owner.aclSetUser('mute', ['on', '>anchor', '+@all', '-publish', 'allchannels'])
    owner.destroy()
    const deaf = createRedisBus({ url: guarded.url.replace('//', '//deaf:anchor@') })
    opened.push(deaf)
    await vi.waitFor(() => expect(deaf.health().state).toBe('refused'), waiting)
    const mute = createRedisBus({ url: guarded.url.replace('//', '//mute:anchor@') })
    opened.push(mute)
    await isUp(mute)
    mute.publish(aNotice(7))
    await vi.waitFor(() => expect(mute.health()).toMatchObject({ state: 'refused', lost: 1 }), waiting)
    await guarded.close()
  })

  it('ignores messages that it cannot parse', async () => {
    const { createClient } = await import('redis')
    const here = await openReady()
    const seen = collect(here)
    const stranger = await createClient({ url: redis.url }).connect()
    for (const text of ['not json', 'null', '{"kind":"unheard-of"}', '{"kind":"toString"}', '{"kind":"notice","payload":{}}']) {
      await stranger.publish('capstan:events', text)
    }
    stranger.destroy()
    here.publish(aNotice(6))
    await vi.waitFor(() => expect(seen).toEqual([aNotice(6)]), waiting)
    expect(here.health()).toMatchObject({ received: 1, lost: 5 })
  })

  it('rejects an address that is not a Redis URL', () => {
    expect(() => createRedisBus({ url: 'http://localhost' })).toThrow()
  })
})
