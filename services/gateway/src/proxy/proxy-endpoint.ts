import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProxyConnectionReport, ProxyTarget } from '@capstan/contract/gateway-backend'
import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import type { Backend } from '../backend.ts'
import type { Address } from '../http/address.ts'
import { type Answer, noContent, problemAnswer, refuseUpgrade } from '../http/answers.ts'
import type { GatewayLogger } from '../log.ts'
import { LookupCache } from '../lookup-cache.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { ConnectionReports } from './connection-reports.ts'
import { dial } from './dial.ts'
import { acceptWebSocket } from './handshake.ts'
import { Tunnel, type TunnelTimings } from './tunnel.ts'

export type ProxyAddress = Extract<Address, { kind: 'proxy' }>
type ReadyTarget = Extract<ProxyTarget, { state: 'ready' }>

export interface ProxyTimings extends TunnelTimings {
  readonly connectMs: number
  /** Hard end of a connection (behaviour §15: 30 minutes). */
  readonly lifetimeMs: number
  readonly pingMs: number
  /** A running connection's row is brought up to date this often. */
  readonly reportMs: number
  readonly gatherReportsMs: number
  /** How long an address is believed; the end of its container is heard of at once. */
  readonly targetMs: number
  /** How long "unknown" and "proxy off" are believed. */
  readonly missMs: number
}

export interface ProxyEndpointOptions {
  readonly backend: Backend
  readonly clientAddress: (request: IncomingMessage) => string
  readonly timings: ProxyTimings
  readonly now: () => number
  readonly metrics: GatewayMetrics
  readonly log: GatewayLogger
}

interface OpenConnection {
  readonly instanceId: string
  readonly tunnel: Tunnel
  readonly report: () => ProxyConnectionReport
}

const cachedTargetsMax = 10_000

/** TCP over WebSocket (behaviour §15): `/api/proxy/{id}` for containers of teams, `/api/proxy/noinst/{id}` for test containers. */
export class ProxyEndpoint {
  readonly #options: ProxyEndpointOptions
  readonly #targets: LookupCache<string, ProxyTarget>
  readonly #reports: ConnectionReports
  readonly #open = new Set<OpenConnection>()
  /** Open and opening connections per team container. Taken before the first wait, so that the limit cannot be raced. */
  readonly #seats = new Map<string, number>()
  readonly #timers: NodeJS.Timeout[]

  constructor(options: ProxyEndpointOptions) {
    const { backend, timings, metrics, log } = options
    this.#options = options
    this.#targets = new LookupCache({
      load: (instanceId) => backend.proxyTarget(instanceId),
      lifetimeMs: (target) => (target.state === 'ready' ? timings.targetMs : timings.missMs),
      maxEntries: cachedTargetsMax,
      now: options.now,
    })
    this.#reports = new ConnectionReports({
      backend,
      gatherMs: timings.gatherReportsMs,
      log,
      onLost: (count) => metrics.lostReports.inc(count),
    })
    this.#timers = [
      setInterval(() => this.#forEach(({ tunnel }) => tunnel.ping()), timings.pingMs),
      setInterval(() => this.#forEach(({ report }) => this.#reports.add(report())), timings.reportMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** Answers a request without upgrade: 204 where a container can be reached, as clients use it for a probe. */
  async probe(address: ProxyAddress, request: IncomingMessage): Promise<Answer> {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return problemAnswer('route.method', request, { allow: 'GET, HEAD' })
    const target = await this.#findTarget(address)
    return typeof target === 'string' ? problemAnswer(target, request) : noContent
  }

  /** Takes over the socket of an upgrade request: answers with a refusal, or opens a tunnel. */
  async upgrade(address: ProxyAddress, request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const outcome = await this.#tryToOpen(address, request, client, head)
    this.#options.metrics.proxyOpened.inc({ outcome })
    if (outcome !== 'opened')
      refuseUpgrade(
        client,
        problemAnswer(outcome, request, outcome === 'request.invalid' ? { 'sec-websocket-version': '13' } : {}),
      )
  }

  get openCount(): number {
    return this.#open.size
  }

  /** The container is gone: so are its address and its connections. */
  instanceEnded(instanceId: string): void {
    const id = instanceId.toLowerCase()
    this.#targets.forget(id)
    this.#forEach((connection) => {
      if (connection.instanceId === id) connection.tunnel.end()
    })
  }

  /** Ends every connection; their clients have `closeMs` to agree. */
  endAll(): void {
    this.#forEach(({ tunnel }) => tunnel.end())
  }

  /** Sends the last rows. Call when the connections are closed. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#reports.flush()
  }

  #forEach(act: (connection: OpenConnection) => void): void {
    for (const connection of this.#open) act(connection)
  }

  async #findTarget({ instanceId, owner }: ProxyAddress): Promise<ReadyTarget | ProblemCode> {
    let target: ProxyTarget
    try {
      target = await this.#targets.get(instanceId)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not look up a container')
      return 'server.unavailable'
    }
    if (target.state === 'proxy-off') return 'proxy.off'
    return target.state === 'ready' && target.kind === owner ? target : 'instance.unknown'
  }

  async #tryToOpen(
    address: ProxyAddress,
    request: IncomingMessage,
    client: Duplex,
    head: Buffer,
  ): Promise<'opened' | ProblemCode> {
    const acceptance = acceptWebSocket(request)
    if (acceptance === undefined) return 'request.invalid'
    const target = await this.#findTarget(address)
    if (typeof target === 'string') return target
    if (!this.#takeSeat(address)) return 'proxy.full'
    const container = await this.#dial(address, target)
    if (container === undefined) {
      this.#leaveSeat(address)
      return 'proxy.unreachable'
    }
    if (client.destroyed || !client.writable) {
      // The client did not wait for the answer.
      container.destroy()
      this.#leaveSeat(address)
      return 'opened'
    }
    client.write(acceptance)
    this.#run(address, request, client, head, container)
    return 'opened'
  }

  /** A container that was replaced listens elsewhere: if the address known does not answer, a fresh one is asked for, once. */
  async #dial(address: ProxyAddress, target: ReadyTarget): Promise<Socket | undefined> {
    const { connectMs } = this.#options.timings
    const socket = await dial(target, connectMs)
    if (socket) return socket
    this.#targets.forget(address.instanceId)
    const fresh = await this.#findTarget(address)
    if (typeof fresh === 'string' || (fresh.host === target.host && fresh.port === target.port)) return undefined
    return dial(fresh, connectMs)
  }

  #run({ instanceId, owner }: ProxyAddress, request: IncomingMessage, client: Duplex, head: Buffer, container: Socket): void {
    const { metrics, timings, log } = this.#options
    const id = randomUUID()
    const startedAt = this.#options.now()
    const clientAddress = this.#options.clientAddress(request)
    const bytes = { sent: 0, received: 0 }
    let userId: string | null = null
    let closedAt: string | null = null

    if (client instanceof Socket) {
      client.setTimeout(0)
      client.setNoDelay(true)
      client.setKeepAlive(true, 30_000)
    }
    const hardEnd = setTimeout(() => connection.tunnel.end(), timings.lifetimeMs)
    const connection: OpenConnection = {
      instanceId,
      report: () => ({
        id,
        instanceId,
        clientAddress,
        userId,
        bytesSent: bytes.sent,
        bytesReceived: bytes.received,
        openedAt: new Date(startedAt).toISOString(),
        closedAt,
      }),
      tunnel: new Tunnel({
        client,
        head,
        container,
        timings,
        onBytes: (direction, count) => {
          bytes[direction] += count
          metrics.proxyBytes.inc({ direction }, count)
        },
        onEnd: () => {
          clearTimeout(hardEnd)
          const endedAt = this.#options.now()
          closedAt = new Date(endedAt).toISOString()
          this.#open.delete(connection)
          this.#leaveSeat({ instanceId, owner })
          metrics.proxyConnections.dec()
          this.#reports.add(connection.report())
          log.info({ connectionId: id, ...bytes, lastedMs: Math.round(endedAt - startedAt) }, 'Closed a proxied connection')
        },
      }),
    }
    this.#open.add(connection)
    metrics.proxyConnections.inc()
    this.#reports.add(connection.report())
    // The container's UUID is the permission to reach it: a log shows its beginning only.
    log.info({ connectionId: id, instance: instanceId.slice(0, 8), clientAddress }, 'Opened a proxied connection')
    void this.#identify(request.headers.cookie).then((identified) => {
      if (identified === undefined) return
      userId = identified
      this.#reports.add(connection.report())
    })
  }

  /** Whoever is signed in, for the row; the connection does not wait for it. */
  async #identify(cookie: string | undefined): Promise<string | undefined> {
    if (cookie === undefined) return undefined
    try {
      return (await this.#options.backend.session(cookie))?.userId
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not find out who opened a proxied connection')
      return undefined
    }
  }

  #takeSeat({ instanceId, owner }: Pick<ProxyAddress, 'instanceId' | 'owner'>): boolean {
    if (owner === 'test') return true
    const taken = this.#seats.get(instanceId) ?? 0
    if (taken >= Limits.proxyConnectionsPerInstance) return false
    this.#seats.set(instanceId, taken + 1)
    return true
  }

  #leaveSeat({ instanceId, owner }: Pick<ProxyAddress, 'instanceId' | 'owner'>): void {
    if (owner === 'test') return
    const taken = (this.#seats.get(instanceId) ?? 0) - 1
    if (taken > 0) this.#seats.set(instanceId, taken)
    else this.#seats.delete(instanceId)
  }
}
