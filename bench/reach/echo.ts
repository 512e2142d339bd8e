// Both ends of a connection through a relay: a container that echoes, and clients.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { hostOf, instanceIdOf } from './gateway.ts'

const blockBytes = 64 * 1024

/** Connection to the container. `toFrame` makes a frame of a payload. */
export type Connection = Duplex & { readonly toFrame?: (payload: Buffer) => Buffer }
export type OpenConnection = () => Promise<Connection>

export const startEcho = async () => {
  const server = createServer({ noDelay: true }, (socket) => socket.on('error', () => {}).pipe(socket)).listen(
    0,
    '127.0.0.1',
    4_096,
  )
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, stop: () => void server.close() }
}

export const openPlain = async (port: number, localAddress = '127.0.0.1'): Promise<Duplex> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, localAddress })
  await once(socket, 'connect')
  return socket.on('error', () => {})
}

export const openSecure = async (port: number, instance = 0): Promise<Duplex> => {
  const socket = connectTls({ port, host: '127.0.0.1', servername: hostOf(instance), rejectUnauthorized: false })
  socket.setNoDelay(true)
  await once(socket, 'secureConnect')
  return socket.on('error', () => {})
}

/** Makes a masked binary frame of less than 126 bytes or of at least 64 kB, as browsers send it. */
const toFrame = (payload: Buffer): Buffer => {
  const mask = [0x5a, 0xc3, 0x17, 0x8e] as const
  const length = Buffer.alloc(4)
  length.writeUInt32BE(payload.length)
  const header = payload.length < 126 ? [0x82, 0x80 | payload.length] : [0x82, 0xff, 0, 0, 0, 0, ...length]
  return Buffer.concat([
    Buffer.from([...header, ...mask]),
    Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))),
  ])
}

export const openWebSocket = async (port: number): Promise<Connection> => {
  const socket = await openPlain(port)
  socket.write(
    `GET /api/proxy/${instanceIdOf(0)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(`The gateway refused: ${answer}`)
  return Object.assign(socket, { toFrame })
}

/** Waits for a number of bytes. @throws if the connection ends first */
export const receive = (stream: Duplex, bytes: number): Promise<void> =>
  new Promise((resolve, reject) => {
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

/** Sends bytes in blocks of 64 kB, receives as many, and closes the connection. */
export const echoBytes = async (stream: Connection, bytes: number): Promise<void> => {
  const block = Buffer.alloc(blockBytes, 'x')
  const sent = stream.toFrame?.(block) ?? block
  const back = receive(stream, bytes)
  Readable.from(Array.from({ length: bytes / blockBytes }, () => sent)).pipe(stream, { end: false })
  await back
  stream.destroy()
}

const warmUpTrips = 100

/** Returns the times of successive round trips of 64 bytes, in ms. */
export const roundTrips = async (stream: Connection, count: number): Promise<number[]> => {
  const payload = Buffer.alloc(64, 'x')
  const sent = stream.toFrame?.(payload) ?? payload
  const times: number[] = []
  for (let trip = -warmUpTrips; trip < count; trip += 1) {
    const startedAtMs = performance.now()
    const back = receive(stream, payload.length)
    stream.write(sent)
    await back
    if (trip >= 0) times.push(performance.now() - startedAtMs)
  }
  stream.destroy()
  return times
}
