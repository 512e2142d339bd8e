import type { GameEvent } from '@capstan/contract/games'
import { describe, expect, it, vi } from 'vitest'
import {
  aNotice,
  createNoticeFrame,
  expectReceivedText,
  handshake,
  openHubClient,
  provideHubGateway,
  waiting,
} from '../testing/hub-world.ts'
import { openRawWebSocket } from '../testing/raw-client.ts'

const { start } = provideHubGateway()

it('the gateway reports the number of clients of each room to the api', async () => {
  const gateway = await start({ timings: { announceClientCountsMs: 10 } })
  const heard = vi.fn()
  gateway.bus.subscribe((message) => message.kind === 'gateway-clients' && heard(message.rooms))
  await openHubClient(gateway, '/hub/user?game=7')
  await openHubClient(gateway, '/hub/user?game=7')
  await openHubClient(gateway, '/hub/admin', { cookie: 'session=admin' })
  const rooms = [
    { hub: 'user', gameId: 7, clients: 2 },
    { hub: 'admin', gameId: null, clients: 1 },
  ]
  await vi.waitFor(() => expect(heard).toHaveBeenLastCalledWith(rooms), waiting)
})

describe('messages from the server', () => {
  it('messages from the server reach only the clients of their game', async () => {
    const gateway = await start()
    const seven = await openHubClient(gateway, '/hub/user?game=7')
    const eight = await openHubClient(gateway, '/hub/user?game=8')
    gateway.bus.publish(aNotice(8, 'eight'))
    gateway.bus.publish(aNotice(7, 'seven'))
    await expectReceivedText(seven, `{}\x1e${createNoticeFrame('seven')}`)
    await expectReceivedText(eight, `{}\x1e${createNoticeFrame('eight')}`)
  })

  it('messages from the server reach the right hub, with the same JSON as in HTTP responses', async () => {
    const gateway = await start()
    const user = await openHubClient(gateway, '/hub/user?game=7')
    const monitor = await openHubClient(gateway, '/hub/monitor?game=7', { cookie: 'session=monitor' })
    const admin = await openHubClient(gateway, '/hub/admin', { cookie: 'session=admin' })
    const event = {
      time: '2026-03-01T10:00:00.000Z',
      user: 'ann',
      team: 'red',
      type: 'Normal',
      values: ['é 世界'],
    } satisfies GameEvent
    const submission = {
      answer: 'x',
      status: 'Accepted',
      time: '2026-03-01T10:00:00.000Z',
      user: 'ann',
      team: 'red',
      challenge: 'c',
    } as const
    const entry = { time: '2026-03-01T10:00:00.000Z', name: 'System', level: 'Warning', ip: null, msg: 'm', status: null }
    gateway.bus.publish({ kind: 'event', gameId: 7, payload: event })
    gateway.bus.publish({ kind: 'submission', gameId: 7, payload: submission })
    gateway.bus.publish({ kind: 'log', payload: entry })
    gateway.bus.publish(aNotice(7, 'last'))
    await expectReceivedText(user, `{}\x1e${createNoticeFrame('last')}`)
    await expectReceivedText(
      monitor,
      `{}\x1e${JSON.stringify({ type: 1, target: 'ReceivedGameEvent', arguments: [event] })}\x1e` +
        `${JSON.stringify({ type: 1, target: 'ReceivedSubmissions', arguments: [submission] })}\x1e`,
    )
    await expectReceivedText(admin, `{}\x1e${JSON.stringify({ type: 1, target: 'ReceivedLog', arguments: [entry] })}\x1e`)
  })

  it.each([10, 200, 70_000])('the gateway delivers a message of %i characters unchanged', async (length) => {
    const gateway = await start()
    const client = await openHubClient(gateway, '/hub/user?game=7')
    gateway.bus.publish(aNotice(7, 'x'.repeat(length)))
    await expectReceivedText(client, `{}\x1e${createNoticeFrame('x'.repeat(length))}`)
  })

  it('messages from the server arrive in order in a burst', async () => {
    const gateway = await start()
    const client = await openHubClient(gateway, '/hub/user?game=7')
    const texts = Array.from({ length: 1_000 }, (_, index) => `n${index}`)
    for (const text of texts) gateway.bus.publish(aNotice(7, text))
    await expectReceivedText(client, `{}\x1e${texts.map(createNoticeFrame).join('')}`)
  })

  it('messages from the server are not delayed by a client that reads slowly, because the gateway drops that client', async () => {
    const gateway = await start({ config: { maxHubWaitingBytes: 64 * 1024 } })
    const slow = await openHubClient(gateway, '/hub/user?game=7')
    const quick = await openHubClient(gateway, '/hub/user?game=7')
    slow.socket.pause()
    await vi.waitFor(
      async () => {
        gateway.bus.publish(aNotice(7, 'x'.repeat(500_000)))
        expect(gateway.gateway.health().hubClients).toBe(1)
      },
      { timeout: 120_000, interval: 5 },
    )
    gateway.bus.publish(aNotice(7, 'the end'))
    await vi.waitFor(() => expect(quick.text().endsWith(createNoticeFrame('the end'))).toBe(true), waiting)
    expect(await gateway.gateway.registry.metrics()).toContain('capstan_gateway_hub_slow_readers_total{hub="user"} 1')
    slow.socket.resume()
  })
})

describe('messages from the client', () => {
  it('a client message that needs a response gets an error, and other client messages are ignored', async () => {
    const client = await openHubClient(await start(), '/hub/user?game=7')
    client.socket.send('{"type":1,"target":"Hello","arguments":[]}\x1e{"type":6}\x1e')
    client.socket.send('{"type":4,"invocationId":"9","target":"Stream","arguments":[]}\x1e')
    await expectReceivedText(client, '{}\x1e{"type":3,"invocationId":"9","error":"This hub has no methods"}\x1e')
  })

  it('a client message may have up to 32 KB', async () => {
    const client = await openHubClient(await start(), '/hub/user?game=7')
    const frame = '{"type":1,"invocationId":"big","target":"x","arguments":["'
    client.socket.send(`${frame}${'a'.repeat(32 * 1024 - frame.length - 3)}"]}\x1e`)
    await expectReceivedText(client, '{}\x1e{"type":3,"invocationId":"big","error":"This hub has no methods"}\x1e')
  })

  it.each(['with an end', 'without an end'])('a client message above 32 KB closes the connection, %s', async (kind) => {
    const client = await openHubClient(await start(), '/hub/user?game=7')
    client.socket.send('a'.repeat(32 * 1024 + 1) + (kind === 'with an end' ? '\x1e' : ''))
    expect(await client.closed).toBe(1000)
    expect(client.text()).toBe('{}\x1e{"type":7,"error":"A message is too large"}\x1e')
  })

  it('an invalid client message closes the connection', async () => {
    const client = await openHubClient(await start(), '/hub/user?game=7')
    client.socket.send('nonsense\x1e')
    await client.closed
    expect(client.text()).toBe('{}\x1e{"type":7,"error":"A message is not valid"}\x1e')
  })

  it('a client message can ask the gateway to close the connection', async () => {
    const gateway = await start()
    const client = await openHubClient(gateway, '/hub/user?game=7')
    client.socket.send('{"type":7}\x1e')
    expect(await client.closed).toBe(1000)
    expect(client.text()).toBe('{}\x1e{"type":7}\x1e')
    await vi.waitFor(() => expect(gateway.gateway.health().hubClients).toBe(0), waiting)
  })
})

describe('idle connections', () => {
  it('idle connections receive pings from the server', async () => {
    const gateway = await start({ timings: { pingMs: 40 } })
    const client = await openHubClient(gateway, '/hub/user?game=7')
    await vi.waitFor(() => expect(client.text().startsWith('{}\x1e{"type":6}\x1e{"type":6}\x1e')).toBe(true), waiting)
  })

  it('idle connections end if the client sends no message in time', async () => {
    const gateway = await start({ timings: { silenceMs: 80 } })
    const client = await openHubClient(gateway, '/hub/user?game=7')
    expect(await client.closed).toBe(1006)
  })

  it('idle connections remain open if the client sends pings', async () => {
    const gateway = await start({ timings: { silenceMs: 5_000 } })
    const silent = await openHubClient(gateway, '/hub/user?game=7')
    const alive = await openHubClient(gateway, '/hub/user?game=7')
    const pings = setInterval(() => alive.socket.send('{"type":6}\x1e'), 100)
    await silent.closed
    gateway.bus.publish(aNotice(7, 'still here'))
    await vi.waitFor(() => expect(alive.text()).toContain('still here'), waiting)
    clearInterval(pings)
  })
})

describe('the end of a session', () => {
  it('when a session ends, the gateway disconnects a client whose user no longer has the permission', async () => {
    const gateway = await start()
    const monitor = await openHubClient(gateway, '/hub/monitor?game=7', { cookie: 'session=monitor' })
    const admin = await openHubClient(gateway, '/hub/monitor?game=7', { cookie: 'session=admin' })
    gateway.backend.sessions.set('session=monitor', { userId: '22222222-2222-4222-8222-222222222222', role: 'User' })
    gateway.bus.publish({ kind: 'sessions-ended', userId: '22222222-2222-4222-8222-222222222222' })
    await monitor.closed
    expect(monitor.text()).toBe('{}\x1e{"type":7,"error":"You are not allowed to do this"}\x1e')
    admin.socket.send('{"type":1,"invocationId":"still here","target":"x","arguments":[]}\x1e')
    await vi.waitFor(() => expect(admin.text()).toContain('still here'), waiting)
  })

  it('when a session ends, a client remains connected if its user still has the permission', async () => {
    const gateway = await start()
    const monitor = await openHubClient(gateway, '/hub/monitor?game=7', { cookie: 'session=monitor' })
    const before = gateway.backend.asked.session
    gateway.bus.publish({ kind: 'sessions-ended', userId: '22222222-2222-4222-8222-222222222222' })
    await vi.waitFor(() => expect(gateway.backend.asked.session).toBe(before + 1), waiting)
    monitor.socket.send('{"type":1,"invocationId":"still here","target":"x","arguments":[]}\x1e')
    await vi.waitFor(() => expect(monitor.text()).toContain('still here'), waiting)
  })

  it('when a session ends, the gateway does not admit a pending client because of a stale response of the api', async () => {
    const gateway = await start()
    const client = await openRawWebSocket(`${gateway.webSocketOrigin}/hub/admin`, { cookie: 'session=admin' })
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const { session } = gateway.backend
    gateway.backend.session = async (cookie) => {
      const identity = await session(cookie)
      asked.resolve()
      await answered.promise
      return identity
    }
    client.socket.send(handshake)
    await asked.promise
    gateway.backend.session = session
    gateway.backend.sessions.delete('session=admin')
    const heard = new Promise<void>((resolve) => gateway.bus.subscribe(() => resolve()))
    gateway.bus.publish({ kind: 'sessions-ended', userId: '33333333-3333-4333-8333-333333333333' })
    await heard
    answered.resolve()
    await client.closed
    expect(client.text()).toBe('{}\x1e{"type":7,"error":"Please log in first"}\x1e')
  })

  it('a regular check disconnects the clients of a user even if the message about the ended session was lost', async () => {
    const gateway = await start({ timings: { recheckMs: 30 } })
    const admin = await openHubClient(gateway, '/hub/admin', { cookie: 'session=admin' })
    gateway.backend.sessions.delete('session=admin')
    await admin.closed
    expect(admin.text()).toBe('{}\x1e{"type":7,"error":"Please log in first"}\x1e')
  })
})

describe('a stopping gateway', () => {
  it('a stopping gateway asks its clients to reconnect', async () => {
    const gateway = await start()
    const client = await openHubClient(gateway, '/hub/user?game=7')
    await gateway.close()
    expect(await client.closed).toBe(1000)
    expect(client.text()).toBe('{}\x1e{"type":7,"allowReconnect":true}\x1e')
  })
})

it('the gateway asks a client to reconnect if a stopping web process closes its sending side', async () => {
  const gateway = await start()
  const client = await openHubClient(gateway, '/hub/user?game=7')
  client.endOwnSide()
  expect(await client.closed).toBe(1000)
  expect(client.text()).toBe('{}\x1e{"type":7,"allowReconnect":true}\x1e')
})

it('the gateway asks the api only once whether a game exists, even if many clients connect at the same time', async () => {
  const gateway = await start()
  await Promise.all(Array.from({ length: 20 }, () => openHubClient(gateway, '/hub/user?game=7')))
  expect(gateway.backend.asked.gameExists).toBe(1)
})
