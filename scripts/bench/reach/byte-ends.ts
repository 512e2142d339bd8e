import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Both ends of a connection through a relay, in this process: a client, and a container with whom it has to do. */

const blockBytes = 64 * 1024
/** One way to the container. */
export type BytePath = Readonly<{
  open: () => Promise<Socket>
  /** As the client has to write a payload. Absent: as it is. */
  wrap?: (payload: Buffer) => Buffer
  /** Of the process that passes the bytes on, and of its children. */
  pid: number
}>

export type ByteContainer = Readonly<{
  port: number
  /** Fulfilled when so many bytes of uploads have come from now on. */
  received(bytes: number): Promise<void>
  stop(): Promise<void>
}>

function writeAll(socket: Socket, block: Buffer, times: number): void {
  let left = times
  const fill = () => {
    while (left > 0) {
      left -= 1
      if (!socket.write(block)) {
        socket.once('drain', fill)
        return
      }
    }
  }
  fill()
}

/** Each connection begins with a letter: `D` is answered with `bytes` of them, `U` is counted, `E` comes back. */
export async function startByteContainer(bytes: number): Promise<ByteContainer> {
  let missing = 0
  let tell: (() => void) | undefined
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', (first: Buffer) => {
      // What follows the letter may come with it.
      const [letter, rest] = [first.toString('latin1', 0, 1), first.subarray(1)]
      const count = (chunk: Buffer) => {
        missing -= chunk.length
        if (missing <= 0) tell?.()
      }
      if (letter === 'D') writeAll(socket, Buffer.alloc(blockBytes, 'x'), bytes / blockBytes)
      else if (letter === 'E') {
        if (rest.length > 0) socket.write(rest)
        socket.pipe(socket)
      } else {
        count(rest)
        socket.on('data', count)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    received(wanted) {
      missing = wanted
      return new Promise((resolve) => {
        tell = resolve
      })
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
  await once(socket, event)
  socket.on('error', () => {})
  return socket
}

export function openPlain(port: number): Promise<Socket> {
  return connected(connect({ port, host: '127.0.0.1', noDelay: true }), 'connect')
}

export function openSecure(port: number, servername: string): Promise<Socket> {
  const socket = connectTls({ port, host: '127.0.0.1', servername, rejectUnauthorized: false })
  socket.setNoDelay(true)
  return connected(socket, 'secureConnect')
}

export async function openWebSocket(port: number, instanceId: string): Promise<Socket> {
  const socket = await openPlain(port)
  socket.write(
    `GET /api/proxy/${instanceId} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(`The gateway refused: ${answer}`)
  return socket
}

/** A masked binary frame, as browsers send it. */
export function clientFrame(payload: Buffer): Buffer {
  const mask = Buffer.from([0x5a, 0xc3, 0x17, 0x8e])
  const header =
    payload.length < 126
      ? Buffer.from([0x82, 0x80 | payload.length])
      : payload.length < 65_536
        ? Buffer.from([0x82, 0xfe, payload.length >> 8, payload.length & 0xff])
        : Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, payload.length >> 16, (payload.length >> 8) & 0xff, payload.length & 0xff])
  return Buffer.concat([header, mask, Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)))])
}

/** Fails when the connection ends before the work does. */
async function whileOpen<Result>(socket: Socket, work: Promise<Result>): Promise<Result> {
  const lost = once(socket, 'close').then((): never => {
    throw new Error('A connection through a relay was closed')
  })
  lost.catch(() => undefined)
  return Promise.race([work, lost])
}

/** Opens a connection and has the container do something, then measures `work` on it. */
async function withConnection<Result>(
  { open, wrap = (payload) => payload }: BytePath,
  letter: string,
  work: (socket: Socket, wrap: (payload: Buffer) => Buffer) => Promise<Result>,
): Promise<Result> {
  const socket = await open()
  try {
    if (letter !== '') socket.write(wrap(Buffer.from(letter)))
    return await whileOpen(socket, work(socket, wrap))
  } finally {
    socket.destroy()
  }
}

/** What a piece of work took, by the clock and by `measure`, such as time of a processor. */
export type Meter = <Result>(work: () => Promise<Result>) => Promise<Result & { readonly cpuMs: number }>

export type Transfer = Readonly<{
  bytesPerSecond: number
  cpuMs: number
}>

async function timed(bytes: number, meter: Meter, work: () => Promise<void>): Promise<Transfer> {
  const { elapsedMs, cpuMs } = await meter(async () => {
    const startedAtMs = performance.now()
    await work()
    return { elapsedMs: performance.now() - startedAtMs }
  })
  return { bytesPerSecond: bytes / (elapsedMs / 1000), cpuMs }
}

/** From container to client. */
export function download(path: BytePath, bytes: number, meter: Meter): Promise<Transfer> {
  return withConnection(path, '', (socket, wrap) =>
    timed(
      bytes,
      meter,
      () =>
        new Promise((resolve) => {
          // Frames of a stream may be cut anywhere, so everything is counted; framing is at most 1 in 1,000.
          let missing = bytes
          socket.on('data', (chunk: Buffer) => {
            missing -= chunk.length
            if (missing <= 0) resolve()
          })
          socket.write(wrap(Buffer.from('D')))
        }),
    ),
  )
}

/** From client to container. */
export function upload(path: BytePath, container: ByteContainer, bytes: number, meter: Meter): Promise<Transfer> {
  const received = container.received(bytes)
  return withConnection(path, 'U', (socket, wrap) =>
    timed(bytes, meter, async () => {
      writeAll(socket, wrap(Buffer.alloc(blockBytes, 'x')), bytes / blockBytes)
      await received
    }),
  )
}

const payloadBytes = 64
const warmUpTrips = 100

/** How long 64 bytes take to the container and back, in ms, one after the other. */
export function roundTrips(path: BytePath, count: number): Promise<number[]> {
  return withConnection(path, 'E', async (socket, wrap) => {
    const payload = wrap(Buffer.alloc(payloadBytes, 'x'))
    // What comes back is framed, and not masked.
    const expected = payload.length === payloadBytes ? payloadBytes : payload.length - 4
    const times: number[] = []
    for (let trip = -warmUpTrips; trip < count; trip += 1) {
      const startedAtMs = performance.now()
      let missing = expected
      const back = new Promise<void>((resolve) => {
        const take = (chunk: Buffer) => {
          missing -= chunk.length
          if (missing > 0) return
          socket.off('data', take)
          resolve()
        }
        socket.on('data', take)
      })
      socket.write(payload)
      await back
      if (trip >= 0) times.push(performance.now() - startedAtMs)
    }
    return times
  })
}
