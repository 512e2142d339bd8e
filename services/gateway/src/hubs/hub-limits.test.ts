import { connect, type Socket } from 'node:net'
import { GatewayBounds, GatewayLimits, WebSocketLimits } from '@capstan/contract/limits'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aNotice, handshake, openHubClient, provideHubGateway, waiting } from '../testing/hub-world.ts'
import { catchRefusedUpgrade, openRawWebSocket } from '../testing/raw-client.ts'
import type { TestGateway } from '../testing/test-gateway.ts'

const { start } = provideHubGateway()
const path = '/hub/user?game=7'
function from(address: string) {
  return { 'x-forwarded-for': address }
}

function startWith(limits: Record<string, number>) {
  return start({ config: { trustedProxies: ['loopback'], limits } })
}

async function refused(gateway: TestGateway, headers: Record<string, string>): Promise<number> {
  const refusal = await catchRefusedUpgrade(gateway.webSocketOrigin + path, headers)
  expect(refusal.body).toMatchObject({ code: 'request.rate-limited', status: 429 })
  expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0)
  return refusal.status
}

describe('sockets of clients that are not signed in', () => {
  it('sockets of clients that are not signed in are limited per address, and a closed socket no longer counts', async () => {
    const gateway = await startWith({ hubSocketsPerAddress: 2 })
    const mine = from('192.0.2.1')
    const [first] = [await openHubClient(gateway, path, mine), await openHubClient(gateway, path, mine)]
    expect(await refused(gateway, mine)).toBe(429)
    await openHubClient(gateway, path, from('192.0.2.2'))
    first.socket.terminate()
    await vi.waitFor(() => openHubClient(gateway, path, mine), waiting)
    expect(await gateway.gateway.registry.metrics()).toContain('capstan_gateway_refusals_total{limit="hub-address"}')
  })

  it('clients without a session share one socket limit if their IPv6 addresses are in the same /64 network', async () => {
    const gateway = await startWith({ hubSocketsPerAddress: 2 })
    await openHubClient(gateway, path, from('2001:db8::1'))
    await openHubClient(gateway, path, from('2001:db8::ffff:1'))
    expect(await refused(gateway, from('2001:db8::2'))).toBe(429)
    await openHubClient(gateway, path, from('2001:db8:0:1::1'))
  })

  it('sockets of clients that are not signed in are limited per IPv6 network of 48 bits, to four times the limit of an address', async () => {
    const gateway = await startWith({ hubSocketsPerAddress: 1 })
    for (let subnet = 0; subnet < 4; subnet += 1) await openHubClient(gateway, path, from(`2001:db8:0:${subnet}::1`))
    expect(await refused(gateway, from('2001:db8:0:4::1'))).toBe(429)
    await openHubClient(gateway, path, from('2001:db8:1::1'))
    expect(await gateway.gateway.registry.metrics()).toContain('capstan_gateway_refusals_total{limit="hub-network"}')
  })

  it('sockets of clients that are not signed in count together if their addresses are invalid', async () => {
    const gateway = await start({ config: { trustedProxies: true, limits: { hubSocketsPerAddress: 2 } } })
    await openHubClient(gateway, path, from('made-up-1'))
    await openHubClient(gateway, path, from('made-up-2'))
    expect(await refused(gateway, from('made-up-3'))).toBe(429)
  })

  it('sockets of clients that are not signed in are limited to 300 per address by default', async () => {
    const gateway = await start()
    const come = () => Array.from({ length: 100 }, () => openHubClient(gateway, path))
    // Connect in groups, because the number of unfinished handshakes is limited too.
    for (let group = 0; group < 3; group += 1) await Promise.all(come())
    expect(await refused(gateway, {})).toBe(429)
  })
})

describe('sockets of users', () => {
  const player = { cookie: 'session=player' }
  const monitor = { cookie: 'session=monitor' }

  it('sockets of users count for the user, regardless of their addresses', async () => {
    const gateway = await startWith({ hubSocketsPerUser: 2 })
    await openHubClient(gateway, path, { ...player, ...from('192.0.2.1') })
    await openHubClient(gateway, path, { ...player, ...from('192.0.2.2') })
    expect(await refused(gateway, { ...player, ...from('192.0.2.3') })).toBe(429)
    await openHubClient(gateway, path, { ...monitor, ...from('192.0.2.1') })
  })

  it('sockets of users do not count for the client address, which everyone on a campus may share', async () => {
    const gateway = await startWith({ hubSocketsPerAddress: 1 })
    await openHubClient(gateway, path)
    await openHubClient(gateway, path, player)
    await openHubClient(gateway, path, monitor)
    expect(await refused(gateway, {})).toBe(429)
  })

  it('a socket with an unknown session cookie counts toward the limit of the client address', async () => {
    const gateway = await startWith({ hubSocketsPerAddress: 1 })
    await openHubClient(gateway, path, { cookie: 'session=forged' })
    expect(await refused(gateway, { cookie: 'session=forged too' })).toBe(429)
  })

  it("a user's socket counts toward the limit of the client address while the api does not respond", async () => {
    const gateway = await startWith({ hubSocketsPerAddress: 1 })
    await openHubClient(gateway, path)
    gateway.backend.isAway = true
    expect(await refused(gateway, player)).toBe(429)
  })
})

describe('all sockets of a process', () => {
  it('the number of sockets of a process is limited', async () => {
    const gateway = await startWith({ hubSockets: 2 })
    await openHubClient(gateway, path, from('192.0.2.1'))
    await openHubClient(gateway, path, from('192.0.2.2'))
    expect(await refused(gateway, from('192.0.2.3'))).toBe(429)
  })

  it('sockets with unfinished handshakes are limited per address', async () => {
    const gateway = await start()
    const { unfinishedHubSocketsPerAddress: bound } = GatewayLimits
    const idle = await Promise.all(Array.from({ length: bound }, () => openRawWebSocket(gateway.webSocketOrigin + path)))
    expect(await refused(gateway, {})).toBe(429)
    idle[0]?.socket.send(handshake)
    await vi.waitFor(() => openRawWebSocket(gateway.webSocketOrigin + path), waiting)
  })

  it('a socket no longer counts after an invalid WebSocket handshake', async () => {
    const gateway = await startWith({ hubSockets: 1 })
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await new Promise<string>((resolve) => {
        const socket = connect(gateway.port, '127.0.0.1')
        let text = ''
        socket.on('data', (chunk) => {
          text += chunk
        })
        socket.once('close', () => resolve(text))
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
      })
      expect(answer).toMatch(/^HTTP\/1.1 400 /)
    }
    await openHubClient(gateway, path)
  })

  it('a socket no longer counts if the client disconnects before the gateway admits it', async () => {
    const gateway = await startWith({ hubSockets: 1 })
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const { session } = gateway.backend
    gateway.backend.session = async (cookie) => {
      asked.resolve()
      await answered.promise
      return session(cookie)
    }
    const socket = connect(gateway.port, '127.0.0.1')
    const key = 'AAAAAAAAAAAAAAAAAAAAAA=='
    const headers = `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nCookie: session=player\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n${headers}\r\n`)
    await asked.promise
    socket.destroy()
    answered.resolve()
    await vi.waitFor(() => openHubClient(gateway, path), waiting)
  })
})

it('the gateway drops a client that sends calls but does not read the responses', async () => {
  const gateway = await startWith({})
  const client = await openHubClient(gateway, path)
  client.socket.pause()
  // This notice is larger than the buffers of the system, so a part of the notice remains unsent.
  gateway.bus.publish(aNotice(7, 'x'.repeat(64 * 1024 * 1024)))
  const metrics = () => gateway.gateway.registry.metrics()
  await vi.waitFor(async () => expect(await metrics()).toContain('capstan_gateway_hub_messages_total{hub="user"} 1'), waiting)
  client.socket.send('{"type":1,"invocationId":"1","target":"a"}\x1e')
  await vi.waitFor(() => expect(gateway.gateway.health().hubClients).toBe(0), waiting)
  expect(await metrics()).toContain('capstan_gateway_hub_slow_readers_total{hub="user"} 1')
})

describe('what a client sends', () => {
  const ping = '{"type":6}\x1e'
  const opcodes = { text: 0x81, ping: 0x89, pong: 0x8a }

  /** Returns a frame with at most 125 characters, and a mask of zeros. */
  function frame(opcode: number, text = ''): Buffer {
    return Buffer.concat([Buffer.from([opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
  }

  /** Connects a hub client that can send any bytes, and that ignores all received data. */
  async function openBare(gateway: TestGateway): Promise<Socket> {
    const socket = connect(gateway.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    const key = 'AAAAAAAAAAAAAAAAAAAAAA=='
    const headers = `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n${headers}\r\n`)
    let received = ''
    socket.on('data', (bytes) => {
      received = (received + bytes.toString('latin1')).slice(-1_000)
    })
    await vi.waitFor(() => expect(received).toContain('101 Switching'), waiting)
    socket.write(frame(opcodes.text, handshake))
    await vi.waitFor(() => expect(received).toContain('{}\x1e'), waiting)
    return socket
  }

  const { maxHubMessages, maxHubBytes } = GatewayBounds
  const bytesOf = (part: Buffer, bytes: number) =>
    Buffer.concat(Array.from({ length: Math.ceil(bytes / part.length) }, () => part))

  it.each([
    ['messages in one frame', frame(opcodes.text, ping.repeat(10)), maxHubMessages / 10],
    ['empty frames', frame(opcodes.text), maxHubMessages],
    ['WebSocket pings', frame(opcodes.ping), maxHubMessages],
    ['WebSocket pongs', frame(opcodes.pong), maxHubMessages],
  ])('the gateway drops a client that sends too many %s', async (_kind, part, count) => {
    const gateway = await startWith({})
    const socket = await openBare(gateway)
    for (let sent = 0; sent < 2 * count; sent += 1) socket.write(part)
    await vi.waitFor(() => expect(gateway.gateway.health().hubClients).toBe(0), waiting)
    expect(await gateway.gateway.registry.metrics()).toContain('capstan_gateway_refusals_total{limit="hub-traffic"} 1')
  })

  it('the gateway drops a client that sends too many bytes after an invalid frame', async () => {
    const gateway = await startWith({})
    const socket = await openBare(gateway)
    const invalidOpcode = 0x8f
    socket.write(bytesOf(frame(invalidOpcode), maxHubBytes))
    await vi.waitFor(() => expect(gateway.gateway.health().hubClients).toBe(0), waiting)
    expect(await gateway.gateway.registry.metrics()).toContain('capstan_gateway_refusals_total{limit="hub-traffic"} 1')
  })

  it('the gateway drops a client that sends too many bytes while the connection is being closed', async () => {
    const gateway = await startWith({})
    const socket = await openBare(gateway)
    socket.write(frame(opcodes.text, '{"type":7}\x1e'))
    socket.write(bytesOf(frame(opcodes.text, ping), maxHubBytes))
    await vi.waitFor(() => expect(gateway.gateway.health().hubClients).toBe(0), waiting)
    expect(await gateway.gateway.registry.metrics()).toContain('capstan_gateway_refusals_total{limit="hub-traffic"} 1')
  })

  it('the gateway closes the connection of a client that sends a message in too many fragments', async () => {
    const gateway = await startWith({})
    const client = await openHubClient(gateway, path)
    client.socket.send('{"type":6}\x1e', { fin: false })
    for (let sent = 1; sent < WebSocketLimits.maxFragments; sent += 1) client.socket.send('', { fin: false })
    client.socket.send('', { fin: true })
    expect(await client.closed).toBe(1008)
  })

  it('the gateway accepts two messages of maximum size, and a message in several fragments', async () => {
    const gateway = await startWith({})
    const client = await openHubClient(gateway, path)
    const call = (id: number) => {
      const start = `{"type":1,"invocationId":"${id}","target":"`
      return `${start}${'a'.repeat(GatewayBounds.maxHubMessageBytes - start.length - 2)}"}\x1e`
    }
    for (const id of [1, 2]) client.socket.send(call(id))
    await vi.waitFor(() => expect(client.text()).toContain('"invocationId":"2"'), waiting)
    for (const part of ['{"type":1,', '"invocationId":', '"3",']) client.socket.send(part, { fin: false })
    client.socket.send('"target":"a"}\x1e', { fin: true })
    await vi.waitFor(() => expect(client.text()).toContain('"invocationId":"3"'), waiting)
  })
})

describe('attempts of one address', () => {
  it('negotiations of one address are limited per minute', async () => {
    const gateway = await startWith({ hubAttemptsPerAddressMinute: 3 })
    const negotiate = (address: string) =>
      fetch(`${gateway.origin}/hub/user/negotiate?game=7&negotiateVersion=1`, { method: 'POST', headers: from(address) })
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await negotiate('192.0.2.1')).status).toBe(200)
    const refusal = await negotiate('192.0.2.1')
    expect([refusal.status, Number(refusal.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await refusal.json()).toMatchObject({ code: 'request.rate-limited' })
    expect((await negotiate('192.0.2.2')).status).toBe(200)
    // The limit on negotiations does not apply to connections, so this client may still connect.
    await openHubClient(gateway, path, from('192.0.2.1'))
  })

  it('connection attempts of one address are limited per minute', async () => {
    const gateway = await startWith({ hubAttemptsPerAddressMinute: 2 })
    for (let attempt = 0; attempt < 2; attempt += 1) (await openHubClient(gateway, path)).socket.terminate()
    expect(await refused(gateway, {})).toBe(429)
  })
})
