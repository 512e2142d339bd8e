import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { MessageBus } from '@capstan/bus/message-bus'
import type { ProxyConnectionReport, ProxyTarget, SessionQuestion } from '@capstan/contract/gateway-backend'
import { GatewayBounds } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import { SeatCounts } from '@capstan/contract/seat-counts'
import { Guard } from '@capstan/http/guard'
import type { Backend } from '../backend.ts'
import type { GatewayLogger } from '../log.ts'
import { LookupCache } from '../lookup-cache.ts'
import {
  type AdmittedArrival,
  type Arrival,
  type ArrivedClient,
  type FoundInstance,
  isSameInstanceTarget,
  type Refusal,
} from './arrival.ts'
import type { Carrier, CarrierEvents } from './carrier.ts'
import { ConnectionReports } from './connection-reports.ts'
import { type DialTarget, openTcpConnection, staysOpen } from './dial.ts'
import { InstanceLimits, type InstanceLimitsOptions, isStrangerAtPort } from './instance-limits.ts'

export type ConnectionTimings = Readonly<{
  connectMs: number
  /**
   * Time in ms for which the gateway observes whether the instance closes a new connection of a player at once. The
   * gateway waits for this time only while strangers are connected to a plain port of the instance.
   */
  settleMs: number
  /** Maximum duration of a connection, in ms. */
  lifetimeMs: number
  pingMs: number
  /** Interval at which the row of an open connection is updated, in ms. */
  reportMs: number
  gatherReportsMs: number
  /**
   * Time for which the gateway caches that a container does not exist, in ms. The gateway does not cache addresses,
   * because the address of an existing container may change at any time.
   */
  missMs: number
  /** Interval at which the gateway checks whether instances have moved to another address, in ms. */
  recheckMs: number
}>

export type InstanceConnectionsOptions = InstanceLimitsOptions &
  Readonly<{
    backend: Backend
    bus: Pick<MessageBus, 'publish'>
    timings: ConnectionTimings
    now: () => number
    log: GatewayLogger
  }>

/**
 * Returns the host and the entry port of a container, which identify the container. The message about a moved container
 * contains both.
 */
function addressOf({ host, port, entryPort = port }: FoundInstance): DialTarget {
  return { host, port: entryPort }
}

interface Opening {
  instanceId: string | undefined
  /** True if the container moved or ended after the lookup, so that its address may be wrong. */
  isOutdated: boolean
  /** Ids of all instances that ended or moved during the lookup of the requested instance. */
  readonly left: Set<string>
}

type OpenConnection = Readonly<{
  instanceId: string
  isStranger: boolean
  /** Address that the container had when the connection was opened. */
  address: DialTarget
  carrier: Carrier
  report: () => ProxyConnectionReport
}>

const maxCachedMisses = 10_000
/**
 * Maximum number of attempts to dial a container for one client. A limit is needed, because the container could move
 * during each attempt.
 */
const maxTries = 3
/** Time between two dials for a player, in ms. The instance needs time to notice that connections of strangers were closed. */
const redialMs = 50

/**
 * Handles every connection to an instance: enforces limits, dials and reports rows. Ends connections if their instance ends or
 * moves.
 */
export class InstanceConnections {
  readonly limits: InstanceLimits
  readonly #options: InstanceConnectionsOptions
  readonly #targets: LookupCache<string, ProxyTarget>
  readonly #reports: ConnectionReports
  readonly #open = new Set<OpenConnection>()
  readonly #opening = new Set<Opening>()
  /** Numbers of open connections of strangers to plain ports, by instance. */
  readonly #strangers = new SeatCounts()
  #rechecking: Promise<void> | undefined
  readonly #timers: NodeJS.Timeout[]

  constructor(options: InstanceConnectionsOptions) {
    const { backend, timings, metrics, log } = options
    this.#options = options
    this.limits = new InstanceLimits(options)
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

  /** Returns the address of the instance. Rejects if the api does not respond. */
  target(instanceId: string): Promise<ProxyTarget> {
    return this.#targets.get(instanceId)
  }

  instanceEnded(instanceId: string): void {
    this.#leaveAddress(instanceId.toLowerCase(), () => true)
  }

  /** Ends connections to the previous address of a container, because another container may have that address now. */
  instanceMoved(instanceId: string, from: DialTarget): void {
    this.#leaveAddress(instanceId.toLowerCase(), ({ address }) => isSameInstanceTarget(address, from))
  }

  /**
   * If strangers are connected to an instance, ends their connections and refuses strangers for some time. Otherwise does nothing,
   * because a refused client could be a player whose address is not yet known.
   */
  instanceCrowded(instanceId: string): void {
    if (!this.#strangers.has(instanceId)) return
    this.limits.pauseStrangers(instanceId)
    this.#forEach((connection) => {
      if (connection.instanceId === instanceId && connection.isStranger) connection.carrier.end()
    })
  }

  /** Ends connections to stale addresses. Called if messages may have been lost. */
  recheck(): Promise<void> {
    this.#rechecking ??= this.#recheckAll().finally(() => {
      this.#rechecking = undefined
    })
    return this.#rechecking
  }

  /** Ends idle HTTP connections at once, and busy HTTP connections after their requests. Other connections continue. */
  retireAll(): void {
    this.#forEach(({ carrier }) => carrier.retire?.())
  }

  /** Ends every connection. WebSocket clients get `endMs` to confirm. */
  endAll(): void {
    this.#forEach(({ carrier }) => carrier.end())
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#reports.flush()
  }

  /**
   * Admits a client and calls `use` with the client's target. There is no await between these two steps, so `use` can
   * register the connection before any message about its instance is handled.
   */
  async enter<Found extends FoundInstance, Result>(
    arrival: Arrival<Found>,
    use: (entered: AdmittedArrival<Found>) => Result,
  ): Promise<Result | Refusal> {
    return this.#admit(arrival, async (opening) => {
      const entered = await this.#takeSeat(arrival, opening)
      if ('code' in entered) return entered
      if (!opening.isOutdated) return use(entered)
      entered.leaveSeat()
      return { code: 'proxy.unreachable' }
    })
  }

  /** Admits a client, connects to the instance, and calls `use` with the connection. */
  async reach<Found extends FoundInstance, Result>(
    arrival: Arrival<Found>,
    use: (entered: AdmittedArrival<Found>, container: Socket) => Result,
  ): Promise<Result | Refusal> {
    return this.#admit(arrival, async (opening) => {
      const entered = await this.#takeSeat(arrival, opening)
      if ('code' in entered) return entered
      const dialed = await this.#openTcpConnection(arrival, opening, entered.target)
      if (typeof dialed === 'string') {
        entered.leaveSeat()
        return { code: dialed }
      }
      if (!opening.isOutdated && !this.limits.isPaused(arrival, dialed.target))
        return use({ ...entered, target: dialed.target }, dialed.container)
      dialed.container.destroy()
      entered.leaveSeat()
      return { code: 'proxy.unreachable' }
    })
  }

  /**
   * Dials an instance. At plain ports, a player has priority over strangers: if the instance refuses the player or closes the
   * connection at once, the gateway closes the strangers' connections and dials again.
   * @returns undefined if the instance cannot be reached
   */
  async dial(client: ArrivedClient, target: FoundInstance): Promise<Socket | undefined> {
    const { timings, now } = this.#options
    const { connectMs, settleMs } = timings
    let container = await openTcpConnection(target, connectMs)
    if (isStrangerAtPort(client, target)) return container
    const end = now() + connectMs
    let mayBeCrowded = this.#strangers.has(target.instanceId)
    while (mayBeCrowded && !(container && (await staysOpen(container, settleMs)))) {
      container?.destroy()
      this.#reportCrowded(target.instanceId)
      await delay(redialMs)
      container = await openTcpConnection(target, connectMs)
      mayBeCrowded = now() < end
    }
    if (container) this.#watchForSilence(container, target)
    return container
  }

  /**
   * Registers an open connection: reports its row to the api, and ends the connection when its instance ends or moves.
   * @param session session of the client, if any
   */
  open(
    arrival: Arrival,
    { target, leaveSeat }: AdmittedArrival,
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

    const isStranger = isStrangerAtPort(arrival, target)
    if (isStranger) this.#strangers.take(instanceId, Number.POSITIVE_INFINITY)

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
        if (isStranger) this.#strangers.leave(instanceId)
        leaveSeat()
        metrics.proxyConnections.dec()
        this.#reports.add(connection.report())
        log.info({ connectionId: id, way, ...bytes, lastedMs: Math.round(endedAt - startedAt) }, 'Closed a proxied connection')
      },
    })
    const connection: OpenConnection = {
      instanceId,
      isStranger,
      address: addressOf(target),
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
    // Log only a prefix of the container's UUID, because the UUID grants access to the container.
    log.info({ connectionId: id, way, instance: instanceId.slice(0, 8), clientAddress }, 'Opened a proxied connection')
    if (session === undefined) return
    void this.#identify(session).then((identified) => {
      if (identified === undefined) return
      userId = identified
      this.#reports.add(connection.report())
    })
  }

  /** Makes all gateways end the connections of strangers to the instance. */
  #reportCrowded(instanceId: string): void {
    this.instanceCrowded(instanceId)
    this.#options.bus.publish({ kind: 'instance-crowded', instanceId })
  }

  /**
   * Makes room for the player's next attempt if the player gives up before the instance has sent a byte. This happens if an
   * instance serves few clients at a time: its system accepts further connections, but its program does not read them.
   */
  #watchForSilence(container: Socket, { instanceId }: FoundInstance): void {
    const { timings, now, log } = this.#options
    const end = now() + timings.connectMs
    new Guard(log, container).once(container, 'close', () => {
      if (container.bytesRead === 0 && now() >= end) this.#reportCrowded(instanceId)
    })
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
   * Checks the containers one after another, to limit the load of the api. Skips connections that open during the check, because
   * their addresses are current.
   */
  async #recheckAll(): Promise<void> {
    for (const [id, connections] of Map.groupBy(this.#open, ({ instanceId }) => instanceId)) {
      try {
        const target = await this.#targets.get(id)
        // The container currently has no address. Its connections may remain, because no other container is known to have the
        // previous address.
        if (target.state === 'unreachable') continue
        const current = target.state === 'ready' ? [target, ...(target.further ?? [])] : []
        for (const connection of connections)
          if (!current.some((address) => isSameInstanceTarget(connection.address, address))) connection.carrier.end()
      } catch (error) {
        this.#options.log.warn({ err: error }, 'Could not look up a container')
      }
    }
  }

  async #admit<Result>({ instanceId }: Arrival, act: (opening: Opening) => Promise<Result | Refusal>): Promise<Result | Refusal> {
    const isFull = this.#open.size + this.#opening.size >= this.#options.limits.proxyConnections
    const full = this.limits.tooMany('proxy-connections', isFull ? GatewayBounds.retryAfterSeconds : undefined)
    if (full) return full
    const opening: Opening = { instanceId, isOutdated: false, left: new Set() }
    this.#opening.add(opening)
    try {
      return await act(opening)
    } finally {
      this.#opening.delete(opening)
    }
  }

  /** Looks up the instance. Sets `opening.isOutdated` if the instance moved or ended during the lookup. */
  async #find<Found extends FoundInstance>(arrival: Arrival<Found>, opening: Opening): Promise<Found | ProblemCode> {
    const found = await arrival.find()
    if (typeof found === 'string') return found
    if (opening.instanceId === undefined) opening.isOutdated = opening.left.has(found.instanceId)
    opening.left.clear()
    opening.instanceId = found.instanceId
    return found
  }

  /**
   * Counts the attempt and the new connection. If the container is unknown or the client lacks the access key, the attempt counts
   * only toward the limit of the client's address.
   */
  async #takeSeat<Found extends FoundInstance>(
    arrival: Arrival<Found>,
    opening: Opening,
  ): Promise<AdmittedArrival<Found> | Refusal> {
    const { limits } = this
    const early = await limits.refuseEarly(arrival)
    if (early) return early
    const target = await this.#find(arrival, opening)
    if (typeof target === 'string') return { code: target }
    if (arrival.isStranger?.(target)) return { target, leaveSeat: () => {} }
    const late = await limits.refuseLate(arrival, target)
    if (late) return late
    const leaveSeat = await limits.takeSeat(arrival, target)
    return typeof leaveSeat === 'function' ? { target, leaveSeat } : leaveSeat
  }

  /** Dials the container. Looks up its address again if the dial fails or the container has moved. */
  async #openTcpConnection<Found extends FoundInstance>(
    arrival: Arrival<Found>,
    opening: Opening,
    first: Found,
  ): Promise<Readonly<{ container: Socket; target: Found }> | ProblemCode> {
    let target = first
    for (let tries = 0; tries < maxTries; tries += 1) {
      const container = opening.isOutdated ? undefined : await this.dial(arrival, target)
      if (container && !opening.isOutdated) return { container, target }
      container?.destroy()
      const wasOutdated = opening.isOutdated
      opening.isOutdated = false
      const fresh = await this.#find(arrival, opening)
      if (typeof fresh === 'string') return fresh
      // Refuse the client if the port now belongs to another instance. The connection was counted for the earlier instance.
      if (fresh.instanceId !== target.instanceId || (!wasOutdated && isSameInstanceTarget(fresh, target)))
        return 'proxy.unreachable'
      target = fresh
    }
    return 'proxy.unreachable'
  }

  /** Finds the signed-in user for the row of the connection. The connection does not wait for the result. */
  async #identify(session: SessionQuestion): Promise<string | undefined> {
    try {
      return (await this.#options.backend.session(session))?.userId
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not find the user of a proxied connection')
      return undefined
    }
  }
}
