import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Bench, cpuEachMs, type Job, type Measured, measure, type Target } from '../bench.ts'
import { faultsOf, type LoadReport, type LoadRequest, pace, ratePerSecond } from '../load.ts'
import { findFreePort, startWorker, stopProcess } from '../process.ts'
import {
  echoBytes,
  type OpenConnection,
  openPlain,
  openSecure,
  openWebSocket,
  receive,
  roundTrips,
  startEcho,
} from '../reach/echo.ts'
import { type GatewayOrder, hostOf, makeCertificate, startGateway } from '../reach/gateway.ts'
import { alternate, quantile, summarize } from '../statistics.ts'
import {
  addedAtMost,
  atMost,
  fineMilliseconds,
  kilobytes,
  megabytes,
  perSecond,
  type Row,
  ratioAtLeast,
  skipped,
} from '../table.ts'
import { readMemory } from '../usage.ts'

const minRatio = 0.5
const transferBytes = 128 * 1024 * 1024
const trips = 800
const maxAddedMs = 1

const openGateway = async (bench: Bench, order: Omit<GatewayOrder, 'tls'>, tls?: GatewayOrder['tls']) => {
  const gateway = await startGateway(order, tls)
  bench.onClose(gateway.stop)
  return gateway
}

/** Starts socat, which forks for each connection. @param tls certificate for TLS to the client */
const startSocat = async (bench: Bench, containerPort: number, tls?: GatewayOrder['tls']): Promise<OpenConnection> => {
  const port = await findFreePort()
  const listening = `${port},bind=127.0.0.1,fork,reuseaddr,nodelay`
  const file = path.join(await bench.folder(), 'certificate.pem')
  if (tls) await writeFile(file, `${tls.certificate}\n${tls.key}\n`)
  const from = tls ? `OPENSSL-LISTEN:${listening},cert=${file},key=${file},verify=0` : `TCP-LISTEN:${listening}`
  const child = spawn('socat', [from, `TCP:127.0.0.1:${containerPort},nodelay`], { stdio: 'ignore' })
  bench.onClose(() => stopProcess(child))
  const open = () => (tls ? openSecure(port) : openPlain(port))
  for (let tries = 0; tries < 600; tries += 1) {
    const socket = await open().catch(() => undefined)
    socket?.destroy()
    if (socket) return open
    await delay(25)
  }
  throw new Error('socat did not start')
}

export const proxyJob: Job = {
  name: 'proxy',
  about: 'throughput and added latency of echoed bytes by WebSocket, by port and by TLS, compared with socat',
  async run(bench) {
    if (spawnSync('socat', ['-V']).error) return { rows: [skipped('proxy', 'socat is not installed')] }
    const [container, tls] = [await startEcho(), await makeCertificate()]
    bench.onClose(container.stop)
    const gateway = await openGateway(bench, { instances: 1, speaks: 'tcp', containerPort: container.port }, tls)
    const [plain, secure] = [await startSocat(bench, container.port), await startSocat(bench, container.port, tls)]
    const ways: Record<string, readonly [ours: OpenConnection, limit: OpenConnection]> = {
      'by WebSocket': [() => openWebSocket(gateway.port), plain],
      'by port': [() => openPlain(gateway.plainPorts[0] ?? 0), plain],
      'by TLS': [() => openSecure(gateway.tlsPort), secure],
    }
    const rows: Row[] = []
    for (const [way, [ours, limit]] of Object.entries(ways)) {
      const transfer = (open: OpenConnection) => async () => {
        const startedAtMs = performance.now()
        await echoBytes(await open(), transferBytes)
        return (transferBytes / (performance.now() - startedAtMs)) * 1000
      }
      const p99 = (open: OpenConnection) => async () => quantile(await roundTrips(await open(), trips), 0.99)
      const rate = summarize(await alternate(bench.rounds, transfer(ours), transfer(limit)), (bytes) => bytes)
      const late = summarize(await alternate(bench.rounds, p99(ours), p99(limit)), (ms) => ms)
      rows.push(
        ratioAtLeast(`bytes ${way}, both ways`, rate, minRatio, (bytes) => `${megabytes(bytes)}/s`),
        addedAtMost(`bytes ${way}, p99 there and back`, late, maxAddedMs, fineMilliseconds),
      )
    }
    return { rows }
  },
}

const maxAddedByHttpMs = 1.5
const calmSeconds = 2
const kinds = [
  { name: '1 kB', size: 1024, clients: 64, amount: 5_000, calmPerSecond: 160 },
  { name: '1 MB', size: 1024 * 1024, clients: 16, amount: 160, calmPerSecond: 40 },
]

/** Headers of a browser that is logged in to an application. */
const pageHeaders = {
  host: hostOf(0),
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br, zstd',
  cookie: 'sessionid=d2f0a9b4c7e84f1bb2c5',
} as const

export const reachHttpJob: Job = {
  name: 'reach-http',
  about: 'visits of an instance by host name, compared with a bare proxy on http.request: answers of 1 kB and of 1 MB',
  async run(bench) {
    const [rows, notes, reports]: [Row[], string[], LoadReport[]] = [[], [], []]
    for (const { name, size, clients, amount, calmPerSecond } of kinds) {
      const content = { 'content-type': 'application/octet-stream' }
      const { port: containerPort } = await bench.startBare({ headers: content, bytes: Buffer.alloc(size, 'x') })
      const gateway = await openGateway(bench, { instances: 1, speaks: 'http', containerPort })
      const worker = startWorker<number, number>(new URL('../reach/http-proxy.ts', import.meta.url))
      bench.onClose(worker.stop)
      const proxy = { port: await worker.ask(containerPort), pid: worker.pid }
      const requests: LoadRequest[] = [{ path: '/', headers: pageHeaders }]
      const busyOn = (target: Target) => () => measure(target, { clients, requests, amount })
      // Latency without a queue.
      const calmOn = (target: Target) => () => pace({ port: target.port, requests, perSecond: calmPerSecond }, calmSeconds)
      const busy = await alternate<Measured>(3, busyOn(gateway), busyOn(proxy))
      const calm = await alternate(3, calmOn(gateway), calmOn(proxy))
      const late = summarize(calm, ({ latenciesMs }) => quantile(latenciesMs, 0.99))
      rows.push(
        ratioAtLeast(`HTTP by host name, ${name}`, summarize(busy, ratePerSecond), minRatio, perSecond),
        addedAtMost(`HTTP by host name, ${name}, p99`, late, maxAddedByHttpMs, fineMilliseconds),
      )
      const cpu = [busy.ours, busy.limit].map((all) => fineMilliseconds(cpuEachMs(all)))
      notes.push(`reach-http, ${name}: CPU of a visit ${cpu[0]}, limit ${cpu[1]}.`)
      reports.push(...busy.ours, ...busy.limit, ...calm.ours, ...calm.limit)
    }
    return { rows, notes, faults: faultsOf('reach-http', reports) }
  },
}

const maxIdleBytes = 20 * 1024
/** Number of instances and of client addresses, so that the connections stay below the limit of each. */
const [idleInstances, idleAddresses] = [40, 16]
const settleMs = 2_000

/** Opens connections, uses each once and leaves them open. @returns memory of the gateway for each, in bytes */
const measureIdle = async (bench: Bench, way: 'port' | 'host name' | 'TLS', count: number): Promise<number> => {
  const container = await startEcho()
  bench.onClose(container.stop)
  const isHttp = way === 'host name'
  const http = await bench.startBare({ headers: {}, bytes: Buffer.from('ok') })
  const containerPort = isHttp ? http.port : container.port
  const gateway = await openGateway(bench, { instances: idleInstances, speaks: isHttp ? 'http' : 'tcp', containerPort })
  let open: Duplex[] = []
  const openOne = async (index: number) => {
    const instance = index % idleInstances
    const address = `127.0.0.${1 + (Math.floor(index / idleInstances) % idleAddresses)}`
    const port = isHttp ? gateway.port : (gateway.plainPorts[instance] ?? 0)
    const stream = way === 'TLS' ? await openSecure(gateway.tlsPort, instance) : await openPlain(port, address)
    const answer = receive(stream, 5)
    stream.write(isHttp ? `GET / HTTP/1.1\r\nHost: ${hostOf(instance)}\r\n\r\n` : 'hello')
    await answer
    open.push(stream)
  }
  const hold = async (number: number) => {
    for (const stream of open) stream.destroy()
    open = []
    for (let first = 0; first < number; first += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => openOne(first + index)))
    await delay(settleMs)
  }
  for (const warmUp of [200, 0]) await hold(warmUp)
  const before = await readMemory(gateway.pid)
  await hold(count)
  const bytes = (await readMemory(gateway.pid)) - before
  const closed = open.filter(({ destroyed }) => destroyed).length
  if (closed > 0) throw new Error(`${closed} of ${count} idle connections by ${way} were closed`)
  await hold(0)
  await gateway.stop()
  return bytes / count
}

export const reachIdleJob: Job = {
  name: 'reach-idle',
  about: 'memory of the gateway for each idle connection by port, by host name and by TLS',
  async run(bench) {
    const idle = async (way: Parameters<typeof measureIdle>[1], count: number) =>
      [`${count} idle connections by ${way}, each`, await measureIdle(bench, way, count)] as const
    const bounded = [await idle('port', 4_000), await idle('host name', 4_000)]
    // OpenSSL and the TLS of Node take more than the bar.
    const [job, bytes] = await idle('TLS', 600)
    return {
      rows: [...bounded.map(([name, each]) => atMost(name, each, maxIdleBytes, kilobytes)), { job, ours: kilobytes(bytes) }],
    }
  },
}
