import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { SeatCounts } from '@capstan/bus/seat-counts'
import type { Seats } from '@capstan/bus/seats'
import { addressLimitKey } from '@capstan/contract/addresses'
import type { ProxyConnectionReport, ProxyTarget, SessionQuestion } from '@capstan/contract/gateway-backend'
import { GatewayBounds, Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import type { InstanceWay } from '@capstan/contract/reach'
import type { Backend } from '../backend.ts'
import type { Attempts } from '../limits/attempts.ts'
import type { GatewayLimitSettings } from '../limits/settings.ts'
import type { GatewayLogger } from '../log.ts'
import { LookupCache } from '../lookup-cache.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { ConnectionReports } from './connection-reports.ts'
import { type DialTarget, dial } from './dial.ts'

export type ConnectionTimings = Readonly<{
  connectMs: number
  /** Maximum duration of a connection. */
  lifetimeMs: number
  pingMs: number
  /** Interval at which the row of an open connection is updated. */
  reportMs: number
  gatherReportsMs: number
  /**
   * Lifetime of the cached answer that a container does not exist. The address of an existing container may change at any
   * time, so each connection asks for it.
   */
  missMs: number
  /** Interval for checking the addresses of open connections, because a message about a move may be lost. */
  recheckMs: number
}>

export type InstanceConnectionsOptions = Readonly<{
  backend: Backend
  timings: ConnectionTimings
  now: () => number
  limits: GatewayLimitSettings
  /** Attempts, counted over all gateways that share a Redis. */
  attempts: Attempts
  seats: Seats
  metrics: GatewayMetrics
  log: GatewayLogger
}>

/** Address and owner of an instance. */
export type FoundInstance = DialTarget &
  Readonly<{
    instanceId: string
    kind: 'team' | 'test'
    entryPort?: number
    /** Container port, if it is not the entry port. */
    furtherPort?: number
    /** Addresses of its players, as limits count them. A plain port prefers players, because strangers find it by port scans. */
    playerAddresses?: readonly string[]
  }>

/** Returns the address by which a move of the instance is detected. */
function entryOf({ host, port, entryPort = port }: FoundInstance): DialTarget {
  return { host, port: entryPort }
}

export type Refusal = Readonly<{
  code: ProblemCode
  retryAfterSeconds?: number
}>

export type Arrival<Found extends FoundInstance = FoundInstance> = Readonly<{
  way: InstanceWay
  clientAddress: string
  /** Known in advance if the client names the instance itself. */
  instanceId?: string
  /** Asks the api, for each connection. */
  find(): Promise<Found | ProblemCode>
  /** True if the client will receive no byte of the instance. Such a client uses no attempt or seat of the players. */
  isStranger?(target: Found): boolean
}>

/** Admitted arrival, which is counted and has a seat. */
export type Entered<Found extends FoundInstance = FoundInstance> = Readonly<{
  target: Found
  leaveSeat: () => void
}>

/** Carrier of the bytes of an open connection. */
export interface Carrier {
  end(): void
  /** Ends as soon as it is idle. Absent if it never becomes idle. */
  retire?(): void
  ping?(): void
  /** Reports bytes that were forwarded since the last call. Absent if they are reported at once. */
  count?(): void
}

export type CarrierEvents = Readonly<{
  /** Called with forwarded bytes, as seen from the client. */
  onBytes: (direction: 'sent' | 'received', count: number) => void
  /** Called once when everything is closed. */
  onEnd: () => void
}>

interface Opening {
  instanceId: string | undefined
  /** True if the container has moved or ended since, so that its address may be wrong. */
  isOutdated: boolean
  /** Instances that moved or ended before the target was known. */
  readonly left: Set<string>
}

type OpenConnection = Readonly<{
  instanceId: string
  /** Address of its instance when it was opened. */
  address: DialTarget
  carrier: Carrier
  report: () => ProxyConnectionReport
}>

const maxCachedMisses = 10_000
/** Maximum number of dials to a container that moves during each attempt. */
const maxTries = 3

/**
 * Handles every connection to an instance: counts attempts, takes seats, dials, writes rows, and ends connections when their
 * instance ends or moves.
 */
export class InstanceConnections {
  readonly #options: InstanceConnectionsOptions
  readonly #targets: LookupCache<string, ProxyTarget>
  readonly #reports: ConnectionReports
  readonly #ofAddresses = new SeatCounts()
  readonly #open = new Set<OpenConnection>()
  readonly #opening = new Set<Opening>()
  #rechecking: Promise<void> | undefined
  readonly #timers: NodeJS.Timeout[]

  constructor(options: InstanceConnectionsOptions) {
    const { backend, timings, metrics, log } = options
    this.#options = options
    this.#targets = new LookupCache({
      load: (instanceId) => backend.proxyTarget(instanceId),
      lifetimeMs: ({ state }) => (state === 'unknown' || state === 'proxy-off' ? timings.missMs : 0),
      maxEntries: maxCachedMisses,
      now: options.now,
    })
    this.#reports = new ConnectionReports({
      backend,
      gatherMs: timings.gatherReportsMs,
      log,
      onLost: (count) => metrics.lostReports.inc(count),
    })
    this.#timers = [
      setInterval(() => this.#forEach(({ carrier }) => carrier.ping?.()), timings.pingMs),
      setInterval(() => this.#forEach(({ report }) => this.#reports.add(report())), timings.reportMs),
      setInterval(() => void this.recheck(), timings.recheckMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  get openCount(): number {
    return this.#open.size
  }

  /** Returns the address of the instance. Rejects if the api cannot answer. */
  target(instanceId: string): Promise<ProxyTarget> {
    return this.#targets.get(instanceId)
  }

  instanceEnded(instanceId: string): void {
    this.#leaveAddress(instanceId.toLowerCase(), () => true)
  }

  /** Ends connections to the previous address of a container: another container may now have it. */
  instanceMoved(instanceId: string, from: DialTarget): void {
    this.#leaveAddress(instanceId.toLowerCase(), ({ address }) => isSameTarget(address, from))
  }

  /** Ends connections to stale addresses, because messages may have been lost. */
  recheck(): Promise<void> {
    this.#rechecking ??= this.#recheckAll().finally(() => {
      this.#rechecking = undefined
    })
    return this.#rechecking
  }

  /** Ends idle connections at once, and others as soon as they are idle. */
  retireAll(): void {
    this.#forEach(({ carrier }) => carrier.retire?.())
  }

  /** Ends every connection. WebSocket clients have `endMs` to confirm. */
  endAll(): void {
    this.#forEach(({ carrier }) => carrier.end())
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#reports.flush()
  }

  refuseAddress(clientAddress: string): Promise<Refusal | undefined> {
    const key = `proxy-address:${addressLimitKey(clientAddress)}`
    return this.#refuseAttempt('proxy-address', key, this.#options.limits.proxyAttemptsPerAddressMinute)
  }

  /**
   * Admits a client and passes its target to `use`. There is no further await in between, so a connection that `use` opens
   * misses no message about its instance.
   */
  async enter<Found extends FoundInstance, Result>(
    arrival: Arrival<Found>,
    use: (entered: Entered<Found>) => Result,
  ): Promise<Result | Refusal> {
    return this.#admit(arrival, async (opening) => {
      const entered = await this.#takeSeat(arrival, opening)
      if ('code' in entered) return entered
      if (!opening.isOutdated) return use(entered)
      entered.leaveSeat()
      return { code: 'proxy.unreachable' }
    })
  }

  /** Like `enter`, with a connection to the instance. */
  async reach<Found extends FoundInstance, Result>(
    arrival: Arrival<Found>,
    use: (entered: Entered<Found>, container: Socket) => Result,
  ): Promise<Result | Refusal> {
    return this.#admit(arrival, async (opening) => {
      const entered = await this.#takeSeat(arrival, opening)
      if ('code' in entered) return entered
      const dialed = await this.#dial(arrival, opening, entered.target)
      if (typeof dialed === 'string') {
        entered.leaveSeat()
        return { code: dialed }
      }
      if (!opening.isOutdated) return use({ ...entered, target: dialed.target }, dialed.container)
      dialed.container.destroy()
      entered.leaveSeat()
      return { code: 'proxy.unreachable' }
    })
  }

  /**
   * Registers an open connection, which has a row and ends with its instance.
   * @param session session of the client, if any
   */
  open(
    arrival: Arrival,
    { target, leaveSeat }: Entered,
    start: (events: CarrierEvents) => Carrier,
    session?: SessionQuestion,
  ): void {
    const { metrics, timings, log, now } = this.#options
    const { instanceId, furtherPort } = target
    const { way, clientAddress } = arrival
    const id = randomUUID()
    const startedAt = now()
    const bytes = { sent: 0, received: 0 }
    let userId: string | null = null
    let closedAt: string | null = null

    const hardEnd = setTimeout(() => connection.carrier.end(), timings.lifetimeMs)
    const carrier = start({
      onBytes: (direction, count) => {
        bytes[direction] += count
        metrics.proxyBytes.inc({ direction }, count)
      },
      onEnd: () => {
        clearTimeout(hardEnd)
        const endedAt = now()
        closedAt = new Date(endedAt).toISOString()
        this.#open.delete(connection)
        leaveSeat()
        metrics.proxyConnections.dec()
        this.#reports.add(connection.report())
        log.info({ connectionId: id, way, ...bytes, lastedMs: Math.round(endedAt - startedAt) }, 'Closed a proxied connection')
      },
    })
    const connection: OpenConnection = {
      instanceId,
      address: entryOf(target),
      carrier,
      report: () => {
        carrier.count?.()
        return {
          id,
          instanceId,
          clientAddress,
          userId,
          way,
          ...(furtherPort !== undefined && { port: furtherPort }),
          bytesSent: bytes.sent,
          bytesReceived: bytes.received,
          openedAt: new Date(startedAt).toISOString(),
          closedAt,
        }
      },
    }
    this.#open.add(connection)
    metrics.proxyConnections.inc()
    this.#reports.add(connection.report())
    // The container's UUID grants access to it, so log only its prefix.
    log.info({ connectionId: id, way, instance: instanceId.slice(0, 8), clientAddress }, 'Opened a proxied connection')
    if (session === undefined) return
    void this.#identify(session).then((identified) => {
      if (identified === undefined) return
      userId = identified
      this.#reports.add(connection.report())
    })
  }

  /** Takes another seat of a client's address at an instance. Returns undefined, and counts the refusal, if all are taken. */
  takeFurtherSeat(clientAddress: string, { instanceId }: FoundInstance): (() => void) | undefined {
    const ofAddress = `${instanceId} ${addressLimitKey(clientAddress)}`
    return this.#takeOfAddress(ofAddress, this.#options.limits.instanceConnectionsPerAddress, 'instance-address')
  }

  /** Takes a seat for a concurrent request on a connection of HTTP/2. */
  takeRequestSeat(clientAddress: string, { instanceId }: FoundInstance): (() => void) | undefined {
    const ofAddress = `requests ${instanceId} ${addressLimitKey(clientAddress)}`
    const most = this.#options.limits.instanceConnectionsPerAddress * GatewayBounds.requestsPerConnection
    return this.#takeOfAddress(ofAddress, most, 'instance-requests')
  }

  #takeOfAddress(name: string, most: number, limit: string): (() => void) | undefined {
    if (this.#ofAddresses.take(name, most)) return () => this.#ofAddresses.leave(name)
    this.#options.metrics.refusals.inc({ limit })
    return undefined
  }

  #forEach(act: (connection: OpenConnection) => void): void {
    for (const connection of this.#open) act(connection)
  }

  #leaveAddress(id: string, isAffected: (connection: OpenConnection) => boolean): void {
    this.#targets.forget(id)
    for (const opening of this.#opening) {
      if (opening.instanceId === undefined) opening.left.add(id)
      else if (opening.instanceId === id) opening.isOutdated = true
    }
    this.#forEach((connection) => {
      if (connection.instanceId === id && isAffected(connection)) connection.carrier.end()
    })
  }

  /**
   * Checks one container after another, to limit the load of the api. Connections that open during the check have current
   * addresses.
   */
  async #recheckAll(): Promise<void> {
    for (const [id, connections] of Map.groupBy(this.#open, ({ instanceId }) => instanceId)) {
      try {
        const target = await this.#targets.get(id)
        // The container currently has no address. It may return to the same address, which no other container is known to
        // have.
        if (target.state === 'unreachable') continue
        for (const connection of connections)
          if (target.state !== 'ready' || !isSameTarget(connection.address, target)) connection.carrier.end()
      } catch (error) {
        this.#options.log.warn({ err: error }, 'Could not look up a container')
      }
    }
  }

  async #refuseAttempt(limit: string, key: string, perMinute: number): Promise<Refusal | undefined> {
    return this.tooMany(limit, await this.#options.attempts.refuse(key, perMinute))
  }

  /**
   * Counts a refusal.
   * @param retryAfterSeconds undefined if the limit was not exceeded
   */
  tooMany(limit: string, retryAfterSeconds: number | undefined): Refusal | undefined {
    if (retryAfterSeconds === undefined) return undefined
    this.#options.metrics.refusals.inc({ limit })
    return { code: 'request.rate-limited', retryAfterSeconds }
  }

  async #admit<Result>({ instanceId }: Arrival, act: (opening: Opening) => Promise<Result | Refusal>): Promise<Result | Refusal> {
    const isFull = this.#open.size + this.#opening.size >= this.#options.limits.proxyConnections
    const full = this.tooMany('proxy-connections', isFull ? GatewayBounds.retryAfterSeconds : undefined)
    if (full) return full
    const opening: Opening = { instanceId, isOutdated: false, left: new Set() }
    this.#opening.add(opening)
    try {
      return await act(opening)
    } finally {
      this.#opening.delete(opening)
    }
  }

  /** Asks for the target, and records if a message made the answer stale. */
  async #find<Found extends FoundInstance>(arrival: Arrival<Found>, opening: Opening): Promise<Found | ProblemCode> {
    const found = await arrival.find()
    if (typeof found === 'string') return found
    if (opening.instanceId === undefined) opening.isOutdated = opening.left.has(found.instanceId)
    opening.left.clear()
    opening.instanceId = found.instanceId
    return found
  }

  /**
   * Counts the attempt and takes a seat. Attempts on unknown containers and attempts of strangers count only for the client's
   * address.
   */
  async #takeSeat<Found extends FoundInstance>(arrival: Arrival<Found>, opening: Opening): Promise<Entered<Found> | Refusal> {
    const { limits, attempts } = this.#options
    const keyOf = (instanceId: string) => `proxy-instance:${instanceId}`
    const known = arrival.instanceId
    const early =
      (await this.refuseAddress(arrival.clientAddress)) ??
      this.tooMany('proxy-instance', known === undefined ? undefined : attempts.refusedFor(keyOf(known)))
    if (early) return early
    const target = await this.#find(arrival, opening)
    if (typeof target === 'string') return { code: target }
    if (arrival.isStranger?.(target)) return { target, leaveSeat: () => {} }
    const late =
      arrival.way === 'tcp'
        ? await this.#refuseAtPort(arrival, target)
        : await this.#refuseAttempt('proxy-instance', keyOf(target.instanceId), limits.proxyAttemptsPerInstanceMinute)
    if (late) return late
    const leaveSeat = await this.#seatFor(arrival, target)
    return typeof leaveSeat === 'function' ? { target, leaveSeat } : leaveSeat
  }

  #seatFor(arrival: Arrival, target: FoundInstance): Promise<(() => void) | Refusal> {
    if (arrival.way === 'websocket') return this.#seatOfTunnel(target)
    return arrival.way === 'tcp' ? this.#seatAtPort(arrival, target) : this.#seatOf(arrival, target)
  }

  /**
   * Counts an attempt at a plain port. Only players know label and UUID, but port scans find ports. So attempts at ports
   * count separately, each address has a share, and strangers use none of the players' attempts.
   */
  async #refuseAtPort({ clientAddress }: Arrival, target: FoundInstance): Promise<Refusal | undefined> {
    const { proxyAttemptsPerInstanceMinute: all } = this.#options.limits
    const address = addressLimitKey(clientAddress)
    const isPlayer = isOfPlayer(target, address)
    const key = `${target.instanceId} ${address}`
    const ofAddress = await this.#refuseAttempt('port-address', `port-address:${key}`, isPlayer ? all : addressShare(all))
    if (ofAddress || isPlayer) return ofAddress
    return this.#refuseAttempt('port-strangers', `port-strangers:${target.instanceId}`, all)
  }

  /**
   * Takes a seat at a plain port, by the same rule. All strangers together get at most half of the connections of this process.
   */
  async #seatAtPort({ clientAddress }: Arrival, target: FoundInstance): Promise<(() => void) | Refusal> {
    const { limits, seats } = this.#options
    const { instanceId } = target
    const address = addressLimitKey(clientAddress)
    const isPlayer = isOfPlayer(target, address)
    const most = isPlayer ? limits.instanceConnections : addressShare(limits.instanceConnections)
    const wanted: readonly (readonly [name: string, most: number, limit: string])[] = [
      [`port ${instanceId} ${address}`, Math.min(limits.instanceConnectionsPerAddress, most), 'port-address'],
      ...(isPlayer
        ? []
        : ([
            [`ports ${address}`, addressShare(limits.proxyConnections), 'ports-address'],
            ['ports', Math.ceil(limits.proxyConnections / 2), 'ports-strangers'],
          ] as const)),
    ]
    const taken: (() => void)[] = []
    const leaveAll = () => {
      for (const leave of taken.splice(0)) leave()
    }
    const full: Refusal = { code: 'proxy.full', retryAfterSeconds: GatewayBounds.retryAfterSeconds }
    for (const [name, limit, metric] of wanted) {
      const leave = this.#takeOfAddress(name, limit, metric)
      if (leave) taken.push(leave)
      else {
        leaveAll()
        return full
      }
    }
    const leave = await seats.take(`port:${isPlayer ? 'players' : 'strangers'}:${instanceId}`, limits.instanceConnections)
    if (leave) {
      taken.push(leave)
      return leaveAll
    }
    leaveAll()
    this.#options.metrics.refusals.inc({ limit: 'port-connections' })
    return full
  }

  async #seatOfTunnel({ instanceId, kind }: FoundInstance): Promise<(() => void) | Refusal> {
    // Test containers have no connection limit.
    if (kind === 'test') return () => {}
    return (await this.#options.seats.take(instanceId, Limits.proxyConnectionsPerInstance)) ?? { code: 'proxy.full' }
  }

  async #seatOf(arrival: Arrival, target: FoundInstance): Promise<(() => void) | Refusal> {
    const { limits, seats, metrics } = this.#options
    const full: Refusal = { code: 'proxy.full', retryAfterSeconds: GatewayBounds.retryAfterSeconds }
    const leaveOfAddress = this.takeFurtherSeat(arrival.clientAddress, target)
    if (leaveOfAddress === undefined) return full
    const leave = await seats.take(`direct:${target.instanceId}`, limits.instanceConnections)
    if (leave === undefined) {
      leaveOfAddress()
      metrics.refusals.inc({ limit: 'instance-connections' })
      return full
    }
    return () => {
      leaveOfAddress()
      leave()
    }
  }

  /** Asks for the address again if the connection fails or the container has moved. */
  async #dial<Found extends FoundInstance>(
    arrival: Arrival<Found>,
    opening: Opening,
    first: Found,
  ): Promise<{ readonly container: Socket; readonly target: Found } | ProblemCode> {
    let target = first
    for (let tries = 0; tries < maxTries; tries += 1) {
      const container = opening.isOutdated ? undefined : await dial(target, this.#options.timings.connectMs)
      if (container && !opening.isOutdated) return { container, target }
      container?.destroy()
      const wasOutdated = opening.isOutdated
      opening.isOutdated = false
      const fresh = await this.#find(arrival, opening)
      if (typeof fresh === 'string') return fresh
      // Another instance may have the port now, but the seat belongs to the first instance.
      if (fresh.instanceId !== target.instanceId || (!wasOutdated && isSameTarget(fresh, target))) return 'proxy.unreachable'
      target = fresh
    }
    return 'proxy.unreachable'
  }

  /** Finds the signed-in user for the row. The connection does not wait for it. */
  async #identify(session: SessionQuestion): Promise<string | undefined> {
    try {
      return (await this.#options.backend.session(session))?.userId
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not find the user of a proxied connection')
      return undefined
    }
  }
}

/** Returns the maximum share of one address in the limits of a plain port. */
function addressShare(all: number): number {
  return Math.max(1, Math.floor(all / 8))
}

function isOfPlayer({ playerAddresses = [] }: FoundInstance, address: string): boolean {
  return playerAddresses.includes(address)
}

/** True if both are the same address. */
export function isSameTarget(one: DialTarget, other: DialTarget): boolean {
  return one.host === other.host && one.port === other.port
}
