import type { Seats } from '@capstan/bus/seats'
import { addressNetworkKey, limitKeyOfIpAddress } from '@capstan/contract/addresses'
import { GatewayBounds, Limits } from '@capstan/contract/limits'
import { SeatCounts } from '@capstan/contract/seat-counts'
import type { Attempts } from '../limits/attempts.ts'
import type { GatewayLimitSettings } from '../limits/settings.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { Arrival, ArrivedClient, FoundInstance, Refusal } from './arrival.ts'

export type InstanceLimitsOptions = Readonly<{
  limits: GatewayLimitSettings
  /** Counter of attempts. Gateways that share a Redis also share the counts. */
  attempts: Attempts
  seats: Seats
  metrics: GatewayMetrics
}>

function attemptsKey(instanceId: string): string {
  return `proxy-instance:${instanceId}`
}

/**
 * Enforces the limits on attempts to connect to instances, on open connections, and on concurrent requests. A seat is a
 * counted connection or request.
 */
export class InstanceLimits {
  readonly #options: InstanceLimitsOptions
  readonly #ofAddresses = new SeatCounts()
  /** Ids of instances that currently accept no strangers at their plain ports. */
  readonly #paused = new Set<string>()

  constructor(options: InstanceLimitsOptions) {
    this.#options = options
  }

  refuseAddress(clientAddress: string): Promise<Refusal | undefined> {
    const key = `proxy-address:${limitKeyOfIpAddress(clientAddress)}`
    return this.#refuseAttempt('proxy-address', key, this.#options.limits.proxyAttemptsPerAddressMinute)
  }

  /** Counts an attempt for the client's address, before the target is looked up. */
  async refuseEarly({ clientAddress, instanceId }: Arrival): Promise<Refusal | undefined> {
    const { attempts } = this.#options
    const refusal = await this.refuseAddress(clientAddress)
    if (refusal || instanceId === undefined) return refusal
    return this.tooMany('proxy-instance', attempts.refusedFor(attemptsKey(instanceId)))
  }

  /** Counts an attempt for the target, after the target was looked up. */
  refuseLate(arrival: Arrival, target: FoundInstance): Promise<Refusal | undefined> {
    if (arrival.way === 'tcp') return this.#refuseAtPort(arrival, target)
    return this.#refuseAttempt(
      'proxy-instance',
      attemptsKey(target.instanceId),
      this.#options.limits.proxyAttemptsPerInstanceMinute,
    )
  }

  takeSeat(arrival: Arrival, target: FoundInstance): Promise<(() => void) | Refusal> {
    if (arrival.way === 'websocket') return this.#seatOfTunnel(target)
    return arrival.way === 'tcp' ? this.#seatAtPort(arrival, target) : this.#seatOf(arrival, target)
  }

  /**
   * Refuses strangers at the plain ports of an instance for some time. Called when the instance refused a player while strangers
   * were connected, so that the player gets the place of a stranger.
   */
  pauseStrangers(instanceId: string): void {
    if (this.#paused.has(instanceId)) return
    this.#paused.add(instanceId)
    setTimeout(() => this.#paused.delete(instanceId), GatewayBounds.strangersPauseMs).unref()
  }

  /** True if the client is a stranger at a plain port of an instance that currently accepts no strangers. */
  isPaused(arrival: ArrivedClient, target: FoundInstance): boolean {
    return this.#paused.has(target.instanceId) && isStrangerAtPort(arrival, target)
  }

  /**
   * Counts an attempt to connect to a port of an instance. An address of a player has a higher limit than a network of strangers.
   */
  async #refuseAtPort(arrival: Arrival, target: FoundInstance): Promise<Refusal | undefined> {
    const { proxyAttemptsPerInstanceMinute: all } = this.#options.limits
    const isStranger = isStrangerAtPort(arrival, target)
    const key = `port-address:${target.instanceId} ${clientKey(arrival, isStranger)}`
    const ofClient = await this.#refuseAttempt('port-address', key, isStranger ? strangerShare(all) : all)
    if (ofClient || !isStranger) return ofClient
    return this.#refuseAttempt('port-strangers', `port-strangers:${target.instanceId}`, all)
  }

  /**
   * Counts a connection through a plain port. Strangers have a separate limit, as for attempts, so their connections do not count
   * toward the players' limit. In addition, all strangers together get at most half of the connections of this process.
   */
  async #seatAtPort(arrival: Arrival, target: FoundInstance): Promise<(() => void) | Refusal> {
    const { limits, seats } = this.#options
    const { instanceId } = target
    const full: Refusal = { code: 'proxy.full', retryAfterSeconds: GatewayBounds.retryAfterSeconds }
    if (this.isPaused(arrival, target)) return full
    const isStranger = isStrangerAtPort(arrival, target)
    const client = clientKey(arrival, isStranger)
    const most = (ofStrangers: number, ofPlayers: number) => (isStranger ? Math.min(ofStrangers, ofPlayers) : ofPlayers)
    const wanted: readonly (readonly [name: string, most: number, limit: string])[] = [
      [
        `port ${instanceId} ${client}`,
        most(GatewayBounds.strangerConnectionsPerNetwork, limits.instanceConnectionsPerAddress),
        'port-address',
      ],
      ...(isStranger
        ? ([
            [`ports ${client}`, strangerShare(limits.proxyConnections), 'ports-address'],
            ['ports', Math.ceil(limits.proxyConnections / 2), 'ports-strangers'],
          ] as const)
        : []),
    ]
    const taken: (() => void)[] = []
    const leaveAll = () => {
      for (const leave of taken.splice(0)) leave()
    }
    for (const [name, limit, metric] of wanted) {
      const leave = this.#takeOfAddress(name, limit, metric)
      if (leave) taken.push(leave)
      else {
        leaveAll()
        return full
      }
    }
    const leave = await seats.take(
      `port:${isStranger ? 'strangers' : 'players'}:${instanceId}`,
      most(GatewayBounds.strangerConnections, limits.instanceConnections),
    )
    if (leave) {
      taken.push(leave)
      return leaveAll
    }
    leaveAll()
    this.#options.metrics.refusals.inc({ limit: 'port-connections' })
    return full
  }

  async #seatOfTunnel({ instanceId, kind }: FoundInstance): Promise<(() => void) | Refusal> {
    // Connections to test containers are not limited.
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

  /**
   * Counts one more connection from a client's address to an instance.
   * @returns a function that stops counting the connection, or undefined if the limit is reached. The metrics then count a
   * refusal
   */
  takeFurtherSeat(clientAddress: string, { instanceId }: FoundInstance): (() => void) | undefined {
    const ofAddress = `${instanceId} ${limitKeyOfIpAddress(clientAddress)}`
    return this.#takeOfAddress(ofAddress, this.#options.limits.instanceConnectionsPerAddress, 'instance-address')
  }

  /** Counts an additional concurrent request on a connection. */
  takeRequestSeat(clientAddress: string, { instanceId }: FoundInstance): (() => void) | undefined {
    const ofAddress = `requests ${instanceId} ${limitKeyOfIpAddress(clientAddress)}`
    const most = this.#options.limits.instanceConnectionsPerAddress * GatewayBounds.requestsPerPermittedConnection
    return this.#takeOfAddress(ofAddress, most, 'instance-requests')
  }

  #takeOfAddress(name: string, most: number, limit: string): (() => void) | undefined {
    if (this.#ofAddresses.take(name, most)) return () => this.#ofAddresses.leave(name)
    this.#options.metrics.refusals.inc({ limit })
    return undefined
  }

  async #refuseAttempt(limit: string, key: string, perMinute: number): Promise<Refusal | undefined> {
    return this.tooMany(limit, await this.#options.attempts.refuse(key, perMinute))
  }

  /**
   * Returns the refusal of a client that exceeds a limit, and counts the refusal in the metrics.
   * @param retryAfterSeconds undefined if the limit was not exceeded
   * @returns undefined if the limit was not exceeded
   */
  tooMany(limit: string, retryAfterSeconds: number | undefined): Refusal | undefined {
    if (retryAfterSeconds === undefined) return undefined
    this.#options.metrics.refusals.inc({ limit })
    return { code: 'request.rate-limited', retryAfterSeconds }
  }
}

/** Returns the limit for one network of strangers. */
function strangerShare(all: number): number {
  return Math.max(1, Math.floor(all / 8))
}

/** Returns the key of a client's counts. Strangers count by network, because one stranger may own a whole IPv6 network. */
function clientKey({ clientAddress }: ArrivedClient, isStranger: boolean): string {
  return isStranger ? addressNetworkKey(clientAddress) : limitKeyOfIpAddress(clientAddress)
}

/** True if the client connects to a plain port, and no player of the instance was last seen at the client's address. */
export function isStrangerAtPort({ way, clientAddress }: ArrivedClient, { playerAddresses = [] }: FoundInstance): boolean {
  return way === 'tcp' && !playerAddresses.includes(limitKeyOfIpAddress(clientAddress))
}
