import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { defaultTimings } from '../gateway.ts'
import {
  concatReceivedBytes,
  echoReceivedBytes,
  id,
  megabyte,
  provideProxyGateway,
  storeReceivedChunks,
  waitForStableValue,
  waiting,
} from '../testing/proxy-world.ts'

const { start, open, refused } = provideProxyGateway()

describe('a proxied connection', () => {
  it('the gateway closes the WebSocket without a status code after the last byte if the container ends its side', async () => {
    await start((socket) => void socket.end('goodbye'))
    const client = await open()
    expect(await client.closed).toBe(1005)
    expect(concatReceivedBytes(client).toString()).toBe('goodbye')
  })

  it('the gateway delivers all bytes to a slow client before the close frame if the container ends its side', async () => {
    const bytes = randomBytes(4 * megabyte)
    await start((socket) => void socket.end(bytes))
    const client = await open()
    client.socket.pause()
    await waitForStableValue(() => client.socket.bufferedAmount)
    client.socket.resume()
    expect(await client.closed).toBe(1005)
    expect(concatReceivedBytes(client).equals(bytes)).toBe(true)
  })

  it('the gateway forwards the remaining data of the client even after the container has ended its side', async () => {
    const chunks: Buffer[] = []
    const paused = Promise.withResolvers<void>()
    const { server } = await start((socket) => {
      storeReceivedChunks(chunks)(socket)
      void paused.promise.then(() => socket.end('your turn'))
    })
    const client = await open()
    // The client does not read the close frame, so it can still send data.
    client.socket.pause()
    paused.resolve()
    await vi.waitFor(() => expect(server.sockets[0]?.writableFinished).toBe(true), waiting)
    client.socket.send('my turn')
    await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toBe('my turn'), waiting)
    client.socket.resume()
    expect(await client.closed).toBe(1005)
    await vi.waitFor(() => expect(server.sockets[0]?.readableEnded).toBe(true), waiting)
  })

  it('the gateway forwards the remaining data of the container even after the client has closed the WebSocket', async () => {
    await start((socket) => {
      let length = 0
      socket.on('data', (chunk) => {
        length += chunk.length
      })
      socket.on('end', () => socket.end(`${length} bytes`))
    })
    const client = await open()
    client.socket.send('12345')
    client.socket.close()
    expect(await client.closed).toBe(1005)
    expect(concatReceivedBytes(client).toString()).toBe('5 bytes')
  })

  it('the gateway closes the TCP connection to the container if the client closes the WebSocket', async () => {
    const { server } = await start(echoReceivedBytes)
    const client = await open()
    client.socket.close(1000)
    await vi.waitFor(() => expect(server.sockets[0]?.closed).toBe(true), waiting)
    await client.closed
  })

  it('a proxied connection ends after a timeout if the client closes the WebSocket and the container does not finish', async () => {
    const { server } = await start((socket) => void socket.on('data', () => {}), { timings: { lingerMs: 50, closeMs: 100 } })
    const client = await open()
    client.socket.close(1000)
    await client.closed
    await vi.waitFor(() => expect(server.sockets[0]?.readableEnded || server.sockets[0]?.destroyed).toBe(true), waiting)
  })

  it('forwards all bytes of a client that disconnects without a close frame, and then ends the container’s side', async () => {
    const chunks: Buffer[] = []
    const {
      server,
      gateway: { gateway: running },
    } = await start(storeReceivedChunks(chunks))
    const client = await open()
    client.socket.send('last words')
    await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toBe('last words'), waiting)
    client.socket.terminate()
    await vi.waitFor(() => expect(server.sockets[0]?.readableEnded).toBe(true), waiting)
    server.sockets[0]?.end()
    await vi.waitFor(() => expect(running.health().proxyConnections).toBe(0), waiting)
  })

  it('the gateway closes the WebSocket without a status code if the container resets its side', async () => {
    const { server } = await start(echoReceivedBytes)
    const client = await open()
    await vi.waitFor(() => expect(server.sockets).toHaveLength(1), waiting)
    server.sockets[0]?.resetAndDestroy()
    expect(await client.closed).toBe(1005)
  })

  it('a proxied connection no longer counts once the container resets it, even if the client is throttled', async () => {
    const { server, gateway: running } = await start((socket) => void socket.pause(), { timings: { closeMs: 60_000 } })
    const client = await open()
    for (let block = 0; block < 1_024; block += 1) client.socket.send(Buffer.alloc(64 * 1024))
    await waitForStableValue(() => server.sockets.length)
    server.sockets[0]?.resetAndDestroy()
    expect(await client.closed).toBe(1005)
    await vi.waitFor(() => expect(running.gateway.health().proxyConnections).toBe(0), waiting)
  })

  it('a proxied connection ends when the maximum duration is reached', async () => {
    const { server } = await start(echoReceivedBytes, { timings: { lifetimeMs: 80 } })
    const client = await open()
    expect(await client.closed).toBe(1005)
    await vi.waitFor(() => expect(server.sockets[0]?.destroyed).toBe(true), waiting)
  })

  it('a proxied connection ends at the maximum duration even if the client does not read', async () => {
    const {
      gateway: { gateway: running },
    } = await start((socket) => void socket.write(Buffer.alloc(32 * megabyte)), {
      timings: { lifetimeMs: 80, closeMs: 50 },
    })
    const client = await open()
    client.socket.pause()
    await vi.waitFor(() => expect(running.health().proxyConnections).toBe(0), waiting)
  })

  it('a proxied connection ends when the container ends, and the next client causes a new lookup', async () => {
    const {
      backend,
      gateway: { bus },
    } = await start(echoReceivedBytes)
    const client = await open()
    backend.targets.delete(id)
    bus.publish({ kind: 'instance-ended', instanceId: id })
    expect(await client.closed).toBe(1005)
    expect(await refused()).toEqual([404, 'instance.unknown'])
  })

  it.each([
    ['at once', () => {}],
    ['after it has closed its side', (socket: Socket) => void socket.end('goodbye')],
  ])('a proxied connection ends when the container ends %s, even if the client does not confirm', async (_when, serve) => {
    expect(defaultTimings.endMs).toBeLessThan(1_000)
    const { gateway: running } = await start(serve, { timings: { closeMs: 60_000, endMs: 50 } })
    const client = await open()
    client.socket.pause()
    running.bus.publish({ kind: 'instance-ended', instanceId: id })
    await vi.waitFor(() => expect(running.gateway.health().proxyConnections).toBe(0), waiting)
  })

  it('a proxied connection is closed with status 1002 if the client violates the protocol', async () => {
    await start(echoReceivedBytes)
    const client = await open()
    const { _socket: bare } = client.socket as unknown as { _socket: Socket }
    // This frame is unmasked, which is invalid.
    bare.write(Buffer.from([0x82, 1, 65]))
    expect(await client.closed).toBe(1002)
  })
})

describe('a stopping gateway', () => {
  it('a stopping gateway retains open connections and refuses new connections', async () => {
    const { gateway: running } = await start(echoReceivedBytes)
    const client = await open()
    const ended = running.close({ drainMs: 10_000 })
    expect(await refused()).toEqual([503, 'server.unavailable'])
    client.socket.send('still here')
    await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('still here'), waiting)
    client.socket.close()
    await ended
  })

  it('a stopping gateway ends a connection if its instance ends during the drain', async () => {
    const { gateway: running } = await start(echoReceivedBytes)
    const client = await open()
    const ended = running.close({ drainMs: 60_000 })
    running.bus.publish({ kind: 'instance-ended', instanceId: id })
    expect(await client.closed).toBe(1005)
    await ended
  })

  it('a stopping gateway ends all connections after the drain time', async () => {
    const { gateway: running } = await start(echoReceivedBytes)
    const client = await open()
    await running.close({ drainMs: 50 })
    expect(await client.closed).toBe(1005)
  })
})
