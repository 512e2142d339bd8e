import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Seats } from '@capstan/bus/seats'
import { addressLimitKey } from '@capstan/contract/addresses'
import type { ProxyConnectionReport, ProxyTarget } from '@capstan/contract/gateway-backend'
import { GatewayBounds, Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import type { Backend } from '../backend.ts'
import type { Address } from '../http/address.ts'
import { type Answer, noContent, problemAnswer, refuseUpgrade } from '../http/answers.ts'
import type { ReadSession } from '../http/session-question.ts'
import type { Attempts } from '../limits/attempts.ts'
import type { GatewayLimitSettings } from '../limits/settings.ts'
import type { GatewayLogger } from '../log.ts'
import { LookupCache } from '../lookup-cache.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { ConnectionReports } from './connection-reports.ts'
import { type DialTarget, dial } from './dial.ts'
import { acceptWebSocket } from './handshake.ts'
import { Tunnel, type TunnelTimings } from './tunnel.ts'

export type ProxyAddress = Extract<Address, { kind: 'proxy' }>
type ReadyTarget = Extract<ProxyTarget, { state: 'ready' }>
type UnreachableTarget = Extract<ProxyTarget, { state: 'unreachable' }>

export interface ProxyTimings extends TunnelTimings {
  readonly connectMs: number
  /** Longest duration of a connection. */
  readonly lifetimeMs: number
  readonly pingMs: number
  /** How often the row of an open connection is updated. */
  readonly reportMs: number
  readonly gatherReportsMs: number
  /** How long the answer that a container cannot be reached is cached. The address of a reachable one is asked for each connection. */
  readonly missMs: number
  /** How often the addresses of open connections are checked again, because a message about a move may have been lost. */
  readonly recheckMs: number
}

export interface ProxyEndpointOptions {
  readonly backend: Backend
  readonly clientAddress: (request: IncomingMessage) => string
  readonly readSession: ReadSession
  readonly timings: ProxyTimings
  readonly now: () => number
  readonly limits: GatewayLimitSettings
  /** Counted over all gateways that share a Redis. */
  readonly attempts: Attempts
  readonly seats: Seats
  /** True once the gateway is shutting down. Requests that are waiting at that moment are refused, too. */
  readonly isLeaving: () => boolean
  readonly metrics: GatewayMetrics
  readonly log: GatewayLogger
}

/** A connection that is being opened. */
interface Opening {
  readonly instanceId: string
  /** The container moved or ended meanwhile, so its address may be wrong. */
  isOutdated: boolean
}

interface OpenConnection {
  readonly instanceId: string
  readonly target: DialTarget
  readonly tunnel: Tunnel
  readonly report: () => ProxyConnectionReport
}

interface Refusal {
  readonly code: ProblemCode
  readonly retryAfterSeconds?: number
}

interface Reached {
  readonly container: Socket
  readonly target: DialTarget
  readonly leaveSeat: () => void
}

type Outcome = 'opened' | Refusal

const cachedMissesMax = 10_000
/** How often a container is dialled that moves during each attempt. */
const triesMax = 3

/** TCP over WebSocket: `/api/proxy/{id}` for containers of teams, `/api/proxy/noinst/{id}` for test containers. */
export class ProxyEndpoint {
  readonly #options: ProxyEndpointOptions
  readonly #targets: LookupCache<string, ProxyTarget>
  readonly #reports: ConnectionReports
  readonly #open = new Set<OpenConnection>()
  readonly #opening = new Set<Opening>()
  #rechecking: Promise<void> | undefined
  readonly #timers: NodeJS.Timeout[]

  constructor(options: ProxyEndpointOptions) {
    const { backend, timings, metrics, log } = options
    this.#options = options
    this.#targets = new LookupCache({
      load: (instanceId) => backend.proxyTarget(instanceId),
      lifetimeMs: (target) => (target.state === 'ready' ? 0 : timings.missMs),
      maxEntries: cachedMissesMax,
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
      setInterval(() => void this.recheck(), timings.recheckMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** Answers a request without upgrade: 204 where a container can be reached, as clients use it for a probe. */
  async probe(address: ProxyAddress, request: IncomingMessage): Promise<Answer> {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return problemAnswer('route.method', request, { allow: 'GET, HEAD' })
    const tooMany = await this.#refuseAddress(request)
    if (tooMany) return answerOf(tooMany, request)
    const target = await this.#lookUp(address)
    // A container that is being replaced is known, and so gets 204.
    return typeof target === 'string' ? problemAnswer(target, request) : noContent
  }

  /** Takes over the socket of an upgrade request: answers with a refusal, or opens a tunnel. */
  async upgrade(address: ProxyAddress, request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const outcome = await this.#tryToOpen(address, request, client, head)
    this.#options.metrics.proxyOpened.inc({ outcome: outcome === 'opened' ? outcome : outcome.code })
    if (outcome !== 'opened') refuseUpgrade(client, answerOf(outcome, request))
  }

  get openCount(): number {
    return this.#open.size
  }

  /** The container is gone: its address is forgotten and its connections are ended. */
  instanceEnded(instanceId: string): void {
    this.#leaveAddress(instanceId.toLowerCase(), () => true)
  }

  /** The container left this address, which may now belong to another one: connections to it are ended. */
  instanceMoved(instanceId: string, from: DialTarget): void {
    this.#leaveAddress(instanceId.toLowerCase(), ({ target }) => isSameTarget(target, from))
  }

  /** Ends connections to addresses that are no longer those of their containers: messages may have been lost. */
  recheck(): Promise<void> {
    this.#rechecking ??= this.#recheckAll().finally(() => {
      this.#rechecking = undefined
    })
    return this.#rechecking
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

  #leaveAddress(id: string, isAffected: (connection: OpenConnection) => boolean): void {
    this.#targets.forget(id)
    for (const opening of this.#opening) if (opening.instanceId === id) opening.isOutdated = true
    this.#forEach((connection) => {
      if (connection.instanceId === id && isAffected(connection)) connection.tunnel.end()
    })
  }

  /** Asks for one container after the other, to spare the api. Connections opened meanwhile have asked for their address themselves. */
  async #recheckAll(): Promise<void> {
    for (const [id, connections] of Map.groupBy(this.#open, ({ instanceId }) => instanceId)) {
      try {
        const target = await this.#targets.get(id)
        // The container has no address now. It may return to the same one, and nothing tells that another container has it now.
        if (target.state === 'unreachable') continue
        for (const connection of connections)
          if (target.state !== 'ready' || !isSameTarget(connection.target, target)) connection.tunnel.end()
      } catch (error) {
        this.#options.log.warn({ err: error }, 'Could not look up a container')
      }
    }
  }

  async #lookUp({ instanceId, owner }: ProxyAddress): Promise<ReadyTarget | UnreachableTarget | ProblemCode> {
    let target: ProxyTarget
    try {
      target = await this.#targets.get(instanceId)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not look up a container')
      return 'server.unavailable'
    }
    if (target.state === 'proxy-off') return 'proxy.off'
    return target.state !== 'unknown' && target.kind === owner ? target : 'instance.unknown'
  }

  async #findTarget(address: ProxyAddress): Promise<ReadyTarget | ProblemCode> {
    const target = await this.#lookUp(address)
    if (typeof target === 'string') return target
    return target.state === 'ready' ? target : 'proxy.unreachable'
  }

  /** Counts an attempt of the client's address. */
  #refuseAddress(request: IncomingMessage): Promise<Refusal | undefined> {
    const key = `proxy-address:${addressLimitKey(this.#options.clientAddress(request))}`
    return this.#refuseAttempt('proxy-address', key, this.#options.limits.proxyAttemptsPerAddressMinute)
  }

  async #refuseAttempt(limit: string, key: string, perMinute: number): Promise<Refusal | undefined> {
    return this.#tooMany(limit, await this.#options.attempts.refuse(key, perMinute))
  }

  #tooMany(limit: string, retryAfterSeconds: number | undefined): Refusal | undefined {
    if (retryAfterSeconds === undefined) return undefined
    this.#options.metrics.refusals.inc({ limit })
    return { code: 'request.rate-limited', retryAfterSeconds }
  }

  async #tryToOpen(address: ProxyAddress, request: IncomingMessage, client: Duplex, head: Buffer): Promise<Outcome> {
    const acceptance = acceptWebSocket(request)
    if (acceptance === undefined) return { code: 'request.invalid' }
    const isFull = this.#open.size + this.#opening.size >= this.#options.limits.proxyConnections
    const full = this.#tooMany('proxy-connections', isFull ? GatewayBounds.retryAfterSeconds : undefined)
    if (full) return full
    const opening: Opening = { instanceId: address.instanceId, isOutdated: false }
    this.#opening.add(opening)
    try {
      const reached = await this.#reach(address, opening, request)
      if ('code' in reached) return reached
      const isLeaving = this.#options.isLeaving()
      if (isLeaving || client.destroyed || !client.writable) {
        reached.container.destroy()
        reached.leaveSeat()
        // The client is gone, so there is nobody to answer.
        return isLeaving ? { code: 'server.unavailable' } : 'opened'
      }
      client.write(acceptance)
      this.#run(address, request, client, head, reached)
      return 'opened'
    } finally {
      this.#opening.delete(opening)
    }
  }

  /** Counts the attempt, takes a seat and dials. Attempts on unknown containers count for the client's address only. */
  async #reach(address: ProxyAddress, opening: Opening, request: IncomingMessage): Promise<Reached | Refusal> {
    const { limits, attempts, seats } = this.#options
    const { instanceId, owner } = address
    const instanceKey = `proxy-instance:${instanceId}`
    const early = (await this.#refuseAddress(request)) ?? this.#tooMany('proxy-instance', attempts.refusedFor(instanceKey))
    if (early) return early
    const target = await this.#findTarget(address)
    if (typeof target === 'string') return { code: target }
    const late = await this.#refuseAttempt('proxy-instance', instanceKey, limits.proxyAttemptsPerInstanceMinute)
    if (late) return late
    // Test containers have no limit of connections.
    const leaveSeat = owner === 'test' ? () => {} : await seats.take(instanceId, Limits.proxyConnectionsPerInstance)
    if (leaveSeat === undefined) return { code: 'proxy.full' }
    const dialled = await this.#dial(address, opening, target)
    if (typeof dialled !== 'string') return { ...dialled, leaveSeat }
    leaveSeat()
    return { code: dialled }
  }

  /** Asks for the address again when nothing answers there or the container moved meanwhile. */
  async #dial(address: ProxyAddress, opening: Opening, first: DialTarget): Promise<Omit<Reached, 'leaveSeat'> | ProblemCode> {
    let target = first
    for (let tries = 0; tries < triesMax; tries += 1) {
      const container = opening.isOutdated ? undefined : await dial(target, this.#options.timings.connectMs)
      if (container && !opening.isOutdated) return { container, target }
      container?.destroy()
      const wasOutdated = opening.isOutdated
      opening.isOutdated = false
      const fresh = await this.#findTarget(address)
      if (typeof fresh === 'string') return fresh
      if (!wasOutdated && isSameTarget(fresh, target)) return 'proxy.unreachable'
      target = fresh
    }
    return 'proxy.unreachable'
  }

  #run({ instanceId }: ProxyAddress, request: IncomingMessage, client: Duplex, head: Buffer, reached: Reached): void {
    const { container, target, leaveSeat } = reached
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
      target,
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
          leaveSeat()
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
    void this.#identify(request).then((identified) => {
      if (identified === undefined) return
      userId = identified
      this.#reports.add(connection.report())
    })
  }

  /** Finds the signed-in user for the row. The connection does not wait for it. */
  async #identify(request: IncomingMessage): Promise<string | undefined> {
    const session = this.#options.readSession(request)
    if (session === undefined) return undefined
    try {
      return (await this.#options.backend.session(session))?.userId
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not find out who opened a proxied connection')
      return undefined
    }
  }
}

const isSameTarget = (one: DialTarget, other: DialTarget): boolean => one.host === other.host && one.port === other.port

function answerOf({ code, retryAfterSeconds }: Refusal, request: IncomingMessage): Answer {
  return problemAnswer(code, request, {
    ...(code === 'request.invalid' && { 'sec-websocket-version': '13' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  })
}
