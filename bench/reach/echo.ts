// Echo server, and functions that measure connections to the server.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { createWebSocketStream, WebSocket } from 'ws'
import { host, instanceId } from './gateway.ts'

const blockBytes = 64 * 1024
const warmUpTrips = 100

export type OpenConnection = () => Promise<Duplex>

export async function startEchoServer() {
  const server = createServer({ noDelay: true }, (socket) => socket.on('error', () => {}).pipe(socket))
  server.listen(0, '127.0.0.1', 4_096)
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, stop: () => void server.close() }
}

export async function openTcpClient(port: number): Promise<Duplex> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket.on('error', () => {})
}

export async function openTlsClient(port: number): Promise<Duplex> {
  const socket = connectTls({ port, host: '127.0.0.1', servername: host, rejectUnauthorized: false })
  socket.setNoDelay(true)
  await once(socket, 'secureConnect')
  return socket.on('error', () => {})
}

export async function openWebSocketClient(port: number): Promise<Duplex> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/proxy/${instanceId}`, { perMessageDeflate: false })
  await once(socket, 'open')
  return createWebSocketStream(socket).on('error', () => {})
}

/** Waits for a number of bytes. @throws if the connection ends first */
export function waitForBytes(stream: Duplex, bytes: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let missing = bytes
    const onClose = () => reject(new Error(`The connection was closed ${missing} bytes too early`))
    const take = (chunk: Buffer) => {
      missing -= chunk.length
      if (missing > 0) return
      stream.off('data', take).off('close', onClose)
      resolve()
    }
    stream.on('data', take).once('close', onClose)
  })
}

/**
 * Sends `bytes` bytes in blocks of 64 kB, waits until all of them return, and closes the connection.
 * @returns bytes per second
 */
export async function measureEchoRate(stream: Duplex, bytes: number): Promise<number> {
  const block = Buffer.alloc(blockBytes, 'x')
  const startedAtMs = performance.now()
  const back = waitForBytes(stream, bytes)
  Readable.from(Array.from({ length: bytes / blockBytes }, () => block)).pipe(stream, { end: false })
  await back
  stream.destroy()
  return (bytes / (performance.now() - startedAtMs)) * 1000
}

/** Returns the times of successive round trips of 64 bytes, in ms. */
export async function measureRoundTripTimes(stream: Duplex, count: number): Promise<number[]> {
  const payload = Buffer.alloc(64, 'x')
  const times: number[] = []
  for (let trip = -warmUpTrips; trip < count; trip += 1) {
    const startedAtMs = performance.now()
    const back = waitForBytes(stream, payload.length)
    stream.write(payload)
    await back
    if (trip >= 0) times.push(performance.now() - startedAtMs)
  }
  stream.destroy()
  return times
}
