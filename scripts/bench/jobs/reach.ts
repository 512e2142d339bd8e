import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, Job } from '../bench.ts'
import type { LoadOrder, LoadReport, LoadRequest } from '../load/order.ts'
import { readFamilyMemory, withCpu, withTreeCpu } from '../process-usage.ts'
import * as ends from '../reach/byte-ends.ts'
import type { GatewayOrder, StartedGateway } from '../reach/gateway-process.ts'
import type { IdleOrder } from '../reach/idle-clients.ts'
import type { LimitOrder } from '../reach/limit-process.ts'
import { type Certificate, hostOf, instanceIdOf, makeCertificate, readGatewayImage } from '../reach/place.ts'
import { hasSocat, startSocat } from '../reach/socat.ts'
import {
  addedAtMost,
  atMost,
  type Bar,
  type Figure,
  fineMilliseconds,
  kilobytes,
  megabytesPerSecond,
  perSecond,
  type Row,
  ratioAtLeast,
  skipped,
} from '../report.ts'
import { alternate, type Comparison, summarise } from '../rounds.ts'
import { quantile } from '../statistics.ts'
import { startWorker } from '../worker.ts'
import { cpuEachMs, faultsOf } from './http.ts'

const leastRatio = 0.5

type Started<Answer> = Readonly<{
  pid: number
  started: Answer
  stop(): Promise<void>
}>

async function startGateway(bench: Bench, order: GatewayOrder): Promise<Started<StartedGateway>> {
  const { flags, environment } = await readGatewayImage()
  const file = new URL('../reach/gateway-process.ts', import.meta.url)
  const worker = startWorker<GatewayOrder, StartedGateway>(file, [...flags, ...bench.nodeFlags], environment)
  bench.onClose(worker.stop)
  return { pid: worker.pid, started: await worker.ask(order), stop: worker.stop }
}

async function startLimit(bench: Bench, order: LimitOrder): Promise<Started<number>> {
  const worker = startWorker<LimitOrder, number>(new URL('../reach/limit-process.ts', import.meta.url))
  bench.onClose(worker.stop)
  return { pid: worker.pid, started: await worker.ask(order), stop: worker.stop }
}

const transferBytes = 128 * 1024 * 1024
const trips = 800
const byteRounds = 5
const mostAddedMs = 1

const byteWays = ['by WebSocket', 'by port', 'by TLS'] as const
type ByteWay = (typeof byteWays)[number]

function byteNames(way: ByteWay) {
  return {
    down: `bytes ${way}, to the client`,
    up: `bytes ${way}, to the container`,
    p99: `bytes ${way}, p99 there and back`,
  } as const
}

/** Relays to compare with, and what they are: socat where there is one. */
async function startByteLimits(bench: Bench, containerPort: number, certificate: Certificate) {
  if (!hasSocat()) {
    const plain = await startLimit(bench, { kind: 'relay', containerPort })
    const secure = await startLimit(bench, { kind: 'relay', containerPort, certificate })
    const [{ pid, started: port }, { pid: securePid, started: securePort }] = [plain, secure]
    return {
      name: 'a plain relay in Node (socat was not found)',
      plain: { pid, port },
      secure: { pid: securePid, port: securePort },
    }
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-reach-'))
  bench.onClose(() => rm(folder, { recursive: true, force: true }))
  const plain = await startSocat(containerPort)
  bench.onClose(plain.stop)
  const secure = await startSocat(containerPort, { certificate, file: path.join(folder, 'certificate.pem') })
  bench.onClose(secure.stop)
  return { name: 'socat', plain, secure }
}

/** Ours and its limit, for each way. */
async function openBytePaths(bench: Bench, containerPort: number) {
  const certificate = await makeCertificate()
  const { pid, started } = await startGateway(bench, { certificate, instances: 1, speaks: 'tcp', containerPort })
  const { name, plain, secure } = await startByteLimits(bench, containerPort, certificate)
  const [plainPort = 0] = started.plainPorts
  const besidePlain: ends.BytePath = { pid: plain.pid, open: () => ends.openPlain(plain.port) }
  const paths: Record<ByteWay, { readonly ours: ends.BytePath; readonly limit: ends.BytePath }> = {
    'by WebSocket': {
      ours: { pid, open: () => ends.openWebSocket(started.port, instanceIdOf(0)), wrap: ends.clientFrame },
      limit: besidePlain,
    },
    'by port': { ours: { pid, open: () => ends.openPlain(plainPort) }, limit: besidePlain },
    'by TLS': {
      ours: { pid, open: () => ends.openSecure(started.tlsPort, hostOf(0)) },
      limit: { pid: secure.pid, open: () => ends.openSecure(secure.port, hostOf(0)) },
    },
  }
  return { name, paths }
}

function cpuOf(comparison: Comparison<ends.Transfer>): string {
  const each = ({ cpuMs }: ends.Transfer) => cpuMs / (transferBytes / 1024 / 1024)
  const { ours, limit } = summarise(comparison, each)
  return `${fineMilliseconds(ours)} (${fineMilliseconds(limit)})`
}

/** Bytes through the gateway, beside socat. */
export const bytesJob: Job = {
  name: 'proxy',
  about:
    'throughput and 99th percentile of bytes by WebSocket, by port and by TLS, beside socat (where present) or a plain relay',
  shareSeconds: 38,
  place: 60,
  bars: Object.fromEntries(
    byteWays.flatMap((way): [string, Bar][] => {
      const { down, up, p99 } = byteNames(way)
      const ratio = ratioAtLeast(leastRatio, megabytesPerSecond)
      return [
        [down, ratio],
        [up, ratio],
        [p99, addedAtMost(mostAddedMs, fineMilliseconds)],
      ]
    }),
  ),
  async run(bench) {
    const container = await ends.startByteContainer(transferBytes)
    bench.onClose(container.stop)
    const { name, paths } = await openBytePaths(bench, container.port)
    const figures: Record<string, Figure> = {}
    const notes = [`proxy: limit by ${name}; for TLS, where it ends there too.`]
    for (const way of byteWays) {
      const { ours, limit } = paths[way]
      const names = byteNames(way)
      const meterOf =
        ({ pid }: ends.BytePath): ends.Meter =>
        (work) =>
          withTreeCpu([pid], work)
      const measures = {
        down: (path: ends.BytePath) => () => ends.download(path, transferBytes, meterOf(path)),
        up: (path: ends.BytePath) => () => ends.upload(path, container, transferBytes, meterOf(path)),
      }
      const [down, up] = [
        await alternate(byteRounds, measures.down(ours), measures.down(limit)),
        await alternate(byteRounds, measures.up(ours), measures.up(limit)),
      ]
      const p99Of = (path: ends.BytePath) => async () => quantile(await ends.roundTrips(path, trips), 0.99)
      const asFigure = ({ ours: value, ...rest }: ReturnType<typeof summarise>): Figure => ({ value, ...rest })
      figures[names.down] = asFigure(summarise(down, ({ bytesPerSecond }) => bytesPerSecond))
      figures[names.up] = asFigure(summarise(up, ({ bytesPerSecond }) => bytesPerSecond))
      figures[names.p99] = asFigure(summarise(await alternate(byteRounds, p99Of(ours), p99Of(limit)), (ms) => ms))
      notes.push(
        `proxy, ${way}: CPU per MB ${cpuOf(down)} to the client, ${cpuOf(up)} to the container; in brackets, the limit's.`,
      )
    }
    return { figures, notes }
  },
}

const httpRounds = 3
const httpSeconds = 1
/** Many and short: what else the machine does spoils fewer of them. */
const calmRounds = 7
const calmSeconds = 0.5
const mostAddedByHttpMs = 1.5

/** `calm` is for the 99th percentile: with nothing to spare, a program shows its queue. */
const answers = [
  { name: '1 kB', path: '/small', clients: 64, calm: { clients: 16, pauseMs: 20 } },
  { name: '1 MB', path: '/stream', clients: 16, calm: { clients: 4, pauseMs: 50 } },
] as const

function httpNames(name: string) {
  return { rate: `HTTP by host name, ${name}`, p99: `HTTP by host name, ${name}, p99` } as const
}

/** As a browser asks an application where somebody is logged in. */
const pageHeaders = {
  host: hostOf(0),
  connection: 'keep-alive',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9',
  cookie: 'sessionid=d2f0a9b4c7e84f1bb2c5',
} as const

/** Requests to an instance by its host name, beside the same by `http.request` and nothing else. */
export const httpJob: Job = {
  name: 'reach-http',
  about: 'requests to an instance by host name, beside a bare proxy on http.request: small answers and streams of 1 MB',
  shareSeconds: 40,
  place: 60,
  bars: Object.fromEntries(
    answers.flatMap(({ name }): [string, Bar][] => {
      const { rate, p99 } = httpNames(name)
      return [
        [rate, ratioAtLeast(leastRatio, perSecond)],
        [p99, addedAtMost(mostAddedByHttpMs, fineMilliseconds)],
      ]
    }),
  ),
  async run(bench) {
    const { started: containerPort } = await startLimit(bench, { kind: 'http-container' })
    const certificate = await makeCertificate()
    const gateway = await startGateway(bench, { certificate, instances: 1, speaks: 'http', containerPort })
    const bare = await startLimit(bench, { kind: 'http-proxy', containerPort })
    const ours = { pid: gateway.pid, port: gateway.started.port }
    const limit = { pid: bare.pid, port: bare.started }
    const figures: Record<string, Figure> = {}
    const notes: string[] = []
    const reports: LoadReport[] = []
    for (const { name, path, clients, calm } of answers) {
      const requests: LoadRequest[] = [{ method: 'GET', path, headers: pageHeaders }]
      const load =
        ({ pid, port }: typeof ours, how: Pick<LoadOrder, 'clients' | 'pauseMs' | 'seconds'>) =>
        async () => {
          const order = { port, requests, keepsBodies: false, ...how }
          const report = await withCpu(pid, () => bench.load(order))
          reports.push(report)
          return report
        }
      const crowd = { clients, seconds: httpSeconds }
      const few = { ...calm, seconds: calmSeconds }
      const busy = await alternate(httpRounds, load(ours, crowd), load(limit, crowd))
      const quiet = await alternate(calmRounds, load(ours, few), load(limit, few))
      const rate = summarise(busy, (report) => report.perSecond)
      const p99 = summarise(quiet, ({ p99Ms }) => p99Ms)
      const p50 = summarise(quiet, ({ p50Ms }) => p50Ms)
      const names = httpNames(name)
      figures[names.rate] = { value: rate.ours, limit: rate.limit, ratio: rate.ratio }
      figures[names.p99] = { value: p99.ours, limit: p99.limit, added: p99.added }
      notes.push(
        `reach-http, ${name}: CPU of a request ${fineMilliseconds(cpuEachMs(busy.ours))} (${fineMilliseconds(cpuEachMs(busy.limit))}); p50 of ${calm.clients} clients that pause ${calm.pauseMs} ms ${fineMilliseconds(p50.ours)} (${fineMilliseconds(p50.limit)}); in brackets, the limit's.`,
      )
    }
    return { figures, notes, faults: faultsOf('reach-http', reports) }
  },
}

const mostIdleBytes = 20 * 1024
/** As many instances as these connections need within the limit of each. */
const idleInstances = 40
const warmUpConnections = 200
/** Until what was opened has been reported, and its garbage been collected. */
const settleMs = 2_000

type IdleWay = Readonly<{
  /** Of its line in the table. */
  name: string
  /** OpenSSL and Node's own part of TLS take more than that for each connection. */
  isForTheRecord?: boolean
  way: IdleOrder['way']
  speaks: 'tcp' | 'http'
  count: number
}>

const idleWays: readonly IdleWay[] = [
  { name: '10,000 idle connections by port, each', way: 'tcp', speaks: 'tcp', count: 10_000 },
  { name: '2,000 idle connections by TLS, each', way: 'tls', speaks: 'tcp', count: 2_000, isForTheRecord: true },
  { name: '10,000 idle connections by host name, each', way: 'http', speaks: 'http', count: 10_000 },
]

/** Of one process, beside those of connections: one to the client and one to the instance for each. */
const otherDescriptors = 200

/** Undefined where /proc is missing. */
async function readDescriptorsMax(): Promise<number | undefined> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => undefined)
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(text ?? '')?.[1]
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : hard === undefined ? undefined : Number(hard)
}

type Idle = Readonly<{
  bytesBefore: number
  bytesAfter: number
  stop(): Promise<void>
}>

/** Opens connections through a gateway of their own, and leaves them open. */
async function holdIdle(bench: Bench, { way, count }: IdleWay, order: GatewayOrder): Promise<Idle> {
  const clients = startWorker<IdleOrder, number>(new URL('../reach/idle-clients.ts', import.meta.url))
  bench.onClose(clients.stop)
  const gateway = await startGateway(bench, order)
  const { port, tlsPort, plainPorts } = gateway.started
  const ports = { tcp: plainPorts, tls: [tlsPort], http: [port] }[way]
  const hold = (count: number) => clients.ask({ way, count, ports, instances: order.instances })
  await hold(warmUpConnections)
  await hold(0)
  await delay(settleMs)
  const bytesBefore = await readFamilyMemory(gateway.pid)
  const open = await hold(count)
  await delay(settleMs)
  const bytesAfter = await readFamilyMemory(gateway.pid)
  if (open !== count) throw new Error(`${count - open} of ${count} idle connections by ${way} were closed`)
  return { bytesBefore, bytesAfter, stop: () => Promise.all([clients.stop(), gateway.stop()]).then(() => {}) }
}

/** Connections that nobody uses. */
export const idleJob: Job = {
  name: 'reach-idle',
  about: 'memory of the gateway for each of 10,000 idle connections by port and by host name, and of 2,000 by TLS',
  shareSeconds: 38,
  place: 60,
  bars: Object.fromEntries(
    idleWays.filter(({ isForTheRecord }) => !isForTheRecord).map(({ name }) => [name, atMost(mostIdleBytes, kilobytes)]),
  ),
  async run(bench) {
    const descriptors = await readDescriptorsMax()
    if (descriptors === undefined) return skipped('reach-idle', 'this system has no /proc')
    const { started: containerPort } = await startLimit(bench, { kind: 'quiet-container' })
    const certificate = await makeCertificate()
    const figures: Record<string, Figure> = {}
    const rows: Row[] = []
    const notes: string[] = []
    for (const way of idleWays) {
      const gateways = Math.ceil(way.count / Math.floor((descriptors - otherDescriptors) / 2))
      const part = { ...way, count: Math.ceil(way.count / gateways) }
      const order = { certificate, instances: idleInstances, speaks: way.speaks, containerPort }
      const held = await Promise.all(Array.from({ length: gateways }, () => holdIdle(bench, part, order)))
      const added = held.reduce((sum, { bytesBefore, bytesAfter }) => sum + bytesAfter - bytesBefore, 0)
      for (const { stop } of held) await stop()
      const value = added / (part.count * gateways)
      if (way.isForTheRecord) rows.push({ job: way.name, ours: kilobytes(value) })
      else figures[way.name] = { value }
      if (gateways > 1)
        notes.push(
          `reach-idle: ${gateways} gateways, as a process may have ${descriptors} descriptors here and each connection takes two.`,
        )
    }
    return { figures, rows, notes }
  },
}
