import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
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

const { start, open } = provideProxyGateway()

function digest(bytes: Buffer) {
  return createHash('sha256').update(bytes).digest('hex')
}

function frame(opcode: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

/** Requests a tunnel to the container on a plain connection, so that the test decides which bytes follow. */
function openTunnel(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(
    `GET /api/proxy/${id} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
  )
  return socket
}

describe('forwarding of bytes', () => {
  it('forwards 1 MB unchanged in each direction', async () => {
    const [fromClient, fromContainer] = [randomBytes(megabyte), randomBytes(megabyte)]
    const chunks: Buffer[] = []
    await start((socket) => {
      storeReceivedChunks(chunks)(socket)
      socket.write(fromContainer)
    })
    const client = await open()
    for (let at = 0; at < megabyte; at += 10_000) client.socket.send(fromClient.subarray(at, at + 10_000))
    await vi.waitFor(() => expect(concatReceivedBytes(client).length).toBe(megabyte), waiting)
    await vi.waitFor(() => expect(Buffer.concat(chunks).length).toBe(megabyte), waiting)
    expect(digest(concatReceivedBytes(client))).toBe(digest(fromContainer))
    expect(digest(Buffer.concat(chunks))).toBe(digest(fromClient))
  })

  it('sends bytes to the client in binary frames of at most 4096 bytes', async () => {
    await start((socket) => void socket.write(randomBytes(100_000)))
    const client = await open()
    await vi.waitFor(() => expect(concatReceivedBytes(client).length).toBe(100_000), waiting)
    expect(Math.max(...client.frames.map((frame) => frame.length))).toBe(4096)
  })

  it('accepts bytes in text frames', async () => {
    await start(echoReceivedBytes)
    const client = await open()
    client.socket.send('gruß\n')
    await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('gruß\n'), waiting)
  })

  it('accepts one frame of 20 MB, and forwards it in pieces', async () => {
    let count = 0
    await start(
      (socket) =>
        void socket.on('data', (chunk) => {
          count += chunk.length
        }),
    )
    const client = await open()
    client.socket.send(Buffer.alloc(20 * megabyte))
    await vi.waitFor(() => expect(count).toBe(20 * megabyte), waiting)
  })

  it('answers a burst of pings with few pongs, and the last pong is for the newest ping', async () => {
    const { gateway } = await start(echoReceivedBytes)
    const socket = openTunnel(gateway.port)
    await once(socket, 'data')
    let received = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
    })
    const pings = Array.from({ length: 60_000 }, (_, index) => frame(0x89, String(index)))
    socket.write(Buffer.concat(pings))
    await vi.waitFor(() => expect(received.toString('latin1')).toMatch(/59999$/), waiting)
    expect(received.length).toBeLessThan(60_000)
  })

  it('answers only the newest of several pings if the client does not read', async () => {
    const { gateway } = await start(echoReceivedBytes)
    const socket = openTunnel(gateway.port)
    await once(socket, 'data')
    socket.pause()
    const pings = Buffer.concat(Array.from({ length: 1_000 }, () => frame(0x89, 'p'.repeat(125))))
    const rounds = 200
    for (let round = 0; round < rounds; round += 1) if (!socket.write(pings)) await once(socket, 'drain')
    socket.write(Buffer.concat([frame(0x89, 'newest'), frame(0x82, 'the end')]))
    let count = 0
    let tail = ''
    socket.on('data', (bytes: Buffer) => {
      count += bytes.length
      tail = (tail + bytes.toString('latin1')).slice(-1_000)
    })
    socket.resume()
    await vi.waitFor(() => expect(tail.includes('newest') && tail.includes('the end')).toBe(true), waiting)
    expect(count).toBeLessThan((pings.length * rounds) / 2)
  })

  it('accepts a fragmented message with pings between the fragments', async () => {
    await start(echoReceivedBytes)
    const client = await open()
    const pong = once(client.socket, 'pong')
    client.socket.send('a', { fin: false })
    client.socket.ping('are you there')
    client.socket.send('', { fin: false })
    client.socket.send('b', { fin: true })
    client.socket.send('c')
    expect(String((await pong)[0])).toBe('are you there')
    await vi.waitFor(() => expect(concatReceivedBytes(client).toString()).toBe('abc'), waiting)
  })

  it('throttles the container if the client reads slowly, so that memory is limited', async () => {
    let accepted = 0
    await start((socket) => {
      const source = new Readable({
        read() {
          if (accepted >= 256 * megabyte) this.push(null)
          else {
            accepted += 64 * 1024
            this.push(Buffer.alloc(64 * 1024))
          }
        },
      })
      // Ignore the failure of the pipeline, which occurs because the test ends while the source still sends.
      pipeline(source, socket).catch(() => {})
    })
    const client = await open()
    client.socket.pause()
    const taken = await waitForStableValue(() => accepted)
    expect(taken).toBeLessThan(64 * megabyte)
    client.socket.resume()
    await vi.waitFor(() => expect(accepted).toBeGreaterThan(taken), waiting)
  })

  it('throttles the client if the container reads slowly', async () => {
    const { server, backend } = await start((socket) => void socket.pause(), { timings: { reportMs: 20 } })
    const client = await open()
    for (let block = 0; block < 4_096; block += 1) client.socket.send(Buffer.alloc(64 * 1024))
    const takenBytes = () => [...backend.reports.values()][0]?.bytesSent ?? 0
    await vi.waitFor(() => expect(takenBytes()).toBeGreaterThan(0), waiting)
    expect(await waitForStableValue(takenBytes)).toBeLessThan(64 * megabyte)
    let count = 0
    server.sockets[0]?.on('data', (chunk: Buffer) => {
      count += chunk.length
    })
    server.sockets[0]?.resume()
    await vi.waitFor(() => expect(count).toBe(256 * megabyte), { timeout: 60_000, interval: 20 })
  })
})
