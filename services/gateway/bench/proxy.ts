// Usage: node services/gateway/bench/proxy.ts [megabytes=512] [pings=5000]
// Throughput each way and added latency of the TCP proxy, beside socat (where present) and a plain Node relay between the same ends.
// Each relay is a process of its own; container and client share this one.
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { machineNowMs, printTable, quantile, type Row } from './measure.ts'
import type { RelayRequest, RelayStarted } from './proxy-relay.ts'

const [megabytes = 512, pings = 5_000] = process.argv.slice(2).map(Number)
const total = megabytes * 1024 * 1024
const blockBytes = 64 * 1024
const runs = 5

/** One way to the container: bytes to write for a payload, and how many bytes of payload and framing come back for one. */
interface Path {
  readonly name: string
  readonly open: () => Promise<Socket>
  readonly wrap: (payload: Buffer) => Buffer
  readonly framedLength: (payloadLength: number, isOneWrite: boolean) => number
}

/** The container: sends `total` bytes on "D", counts on "U", echoes on "E". Each connection begins with its letter. */
let uploaded = 0
let onUploaded: (() => void) | undefined
const container = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {})
  socket.once('data', (first) => {
    const mode = String(first)
    if (mode === 'D') sendAll(socket)
    else if (mode === 'U') socket.on('data', countUpload)
    else socket.pipe(socket)
  })
})

function sendAll(socket: Socket): void {
  const block = Buffer.alloc(blockBytes, 'x')
  let left = total
  const fill = () => {
    while (left > 0) {
      left -= blockBytes
      if (!socket.write(block)) {
        socket.once('drain', fill)
        return
      }
    }
  }
  fill()
}

function countUpload(bytes: Buffer): void {
  uploaded += bytes.length
  if (uploaded >= total) onUploaded?.()
}

function openBare(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

async function openWebSocket(port: number, instanceId: string): Promise<Socket> {
  const socket = await openBare(port)
  socket.write(
    `GET /api/proxy/${instanceId} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(`The gateway refused: ${answer}`)
  return socket
}

/** A masked binary frame, as browsers send it. */
function clientFrame(payload: Buffer): Buffer {
  const mask = Buffer.from([0x5a, 0xc3, 0x17, 0x8e])
  const header =
    payload.length < 126
      ? Buffer.from([0x82, 0x80 | payload.length])
      : payload.length < 65_536
        ? Buffer.from([0x82, 0xfe, payload.length >> 8, payload.length & 0xff])
        : Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, payload.length >> 16, (payload.length >> 8) & 0xff, payload.length & 0xff])
  return Buffer.concat([header, mask, Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)))])
}

async function download(path: Path): Promise<number> {
  const socket = await path.open()
  const startMs = machineNowMs()
  // Frames of a stream may be cut anywhere, so what is counted is everything; framing is at most 1 in 1,000.
  let received = 0
  const done = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      received += bytes.length
      if (received >= total) resolve()
    })
  })
  socket.write(path.wrap(Buffer.from('D')))
  await done
  const perSecond = megabytes / ((machineNowMs() - startMs) / 1000)
  socket.destroy()
  return perSecond
}

async function upload(path: Path): Promise<number> {
  const socket = await path.open()
  socket.write(path.wrap(Buffer.from('U')))
  // The letter must be a read of its own.
  await new Promise((resolve) => setTimeout(resolve, 50))
  uploaded = 0
  const done = new Promise<void>((resolve) => {
    onUploaded = resolve
  })
  const block = path.wrap(Buffer.alloc(blockBytes, 'x'))
  const startMs = machineNowMs()
  let left = total
  const fill = () => {
    while (left > 0) {
      left -= blockBytes
      if (!socket.write(block)) {
        socket.once('drain', fill)
        return
      }
    }
  }
  fill()
  await done
  const perSecond = megabytes / ((machineNowMs() - startMs) / 1000)
  socket.destroy()
  return perSecond
}

async function roundTrips(path: Path): Promise<number[]> {
  const socket = await path.open()
  socket.write(path.wrap(Buffer.from('E')))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const payload = Buffer.alloc(64, 'x')
  const expected = path.framedLength(payload.length, true)
  const times: number[] = []
  for (let ping = -200; ping < pings; ping += 1) {
    const startMs = machineNowMs()
    socket.write(path.wrap(payload))
    let received = 0
    while (received < expected) {
      const [bytes] = (await once(socket, 'data')) as [Buffer]
      received += bytes.length
    }
    if (ping >= 0) times.push(machineNowMs() - startMs)
  }
  socket.destroy()
  return times
}

async function startRelay(request: RelayRequest): Promise<{ process: ChildProcess; port: number }> {
  const child = fork(new URL('./proxy-relay.ts', import.meta.url))
  const started = once(child, 'message')
  child.send(request)
  return { process: child, port: ((await started)[0] as RelayStarted).port }
}

async function startSocat(containerPort: number): Promise<{ process: ChildProcess; port: number } | undefined> {
  if (spawnSync('socat', ['-V']).error) return undefined
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const child = spawn('socat', [
    `TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,nodelay`,
    `TCP:127.0.0.1:${containerPort},nodelay`,
  ])
  for (;;) {
    try {
      ;(await openBare(port)).destroy()
      return { process: child, port }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

const same = (length: number) => length
const unwrapped = (payload: Buffer) => payload

container.listen(0, '127.0.0.1')
await once(container, 'listening')
const { port: containerPort } = container.address() as AddressInfo
const instanceId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const gateway = await startRelay({ kind: 'gateway', containerPort, instanceId })
const node = await startRelay({ kind: 'node', containerPort })
const socat = await startSocat(containerPort)

const bare = (name: string, port: number): Path => ({ name, open: () => openBare(port), wrap: unwrapped, framedLength: same })
const direct = bare('direct', containerPort)
const ours: Path = {
  name: 'gateway',
  open: () => openWebSocket(gateway.port, instanceId),
  wrap: clientFrame,
  framedLength: (length) => length + (length < 126 ? 2 : 4),
}
const limits = [...(socat ? [bare('socat', socat.port)] : []), bare('node relay', node.port)]
const paths = [ours, ...limits]

async function best(measure: (path: Path) => Promise<number>): Promise<Map<string, number>> {
  const figures = new Map<string, number[]>(paths.map(({ name }) => [name, []]))
  for (let run = 0; run < runs; run += 1) for (const path of paths) figures.get(path.name)?.push(await measure(path))
  return new Map([...figures].map(([name, values]) => [name, quantile(values, 0.5)]))
}

const rows: Row[] = []
for (const [job, measure] of [
  ['container to client', download],
  ['client to container', upload],
] as const) {
  const figures = await best(measure)
  const mine = figures.get(ours.name) ?? Number.NaN
  for (const { name } of limits) {
    const limit = figures.get(name) ?? Number.NaN
    const unit = (value: number) => `${value.toFixed(0)} MB/s`
    rows.push({
      job: `proxy throughput, ${job}, beside ${name}`,
      ours: unit(mine),
      limit: unit(limit),
      ratio: (mine / limit).toFixed(2),
    })
  }
}
const directMs = quantile(await roundTrips(direct), 0.5)
const oursMs = await roundTrips(ours)
const added = (times: readonly number[], share: number) => `${(quantile(times, share) - directMs).toFixed(3)} ms`
for (const path of limits) {
  const times = await roundTrips(path)
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const ratio = (quantile(oursMs, share) - directMs) / (quantile(times, share) - directMs)
    rows.push({
      job: `proxy latency added per round trip, ${name}, beside ${path.name}`,
      ours: added(oursMs, share),
      limit: added(times, share),
      ratio: ratio.toFixed(2),
    })
  }
}
printTable(rows)
for (const relay of [gateway, node, socat]) relay?.process.kill()
process.exit(0)
