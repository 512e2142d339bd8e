import type { Seats } from '@capstan/bus/seats'
import { limitKeyOfIpAddress } from '@capstan/contract/addresses'
import { GatewayBounds, Limits } from '@capstan/contract/limits'
import { SeatCounts } from '@capstan/contract/seat-counts'
import type { Attempts } from '../limits/attempts.ts'
import type { GatewayLimitSettings } from '../limits/settings.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { Arrival, FoundInstance, Refusal } from './arrival.ts'

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

/** Counts attempts to connect to instances, and open connections and requests. A seat is a counted connection or request. */
export class InstanceLimits {
  readonly #options: InstanceLimitsOptions
  readonly #ofAddresses = new SeatCounts()

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

  /** Counts an attempt to connect to a port of an instance. Addresses of players have a higher limit than other addresses. */
  async #refuseAtPort({ clientAddress }: Arrival, target: FoundInstance): Promise<Refusal | undefined> {
    const { proxyAttemptsPerInstanceMinute: all } = this.#options.limits
    const address = limitKeyOfIpAddress(clientAddress)
    const isPlayer = isOfPlayer(target, address)
    const key = `${target.instanceId} ${address}`
    const ofAddress = await this.#refuseAttempt('port-address', `port-address:${key}`, isPlayer ? all : addressShare(all))
    if (ofAddress || isPlayer) return ofAddress
    return this.#refuseAttempt('port-strangers', `port-strangers:${target.instanceId}`, all)
  }

  /**
   * Counts a connection through a plain port. As with attempts, strangers have a separate limit and use up nothing of
   * the players' limit. In addition, all strangers together get at most half of the connections of this process.
   */
  async #seatAtPort({ clientAddress }: Arrival, target: FoundInstance): Promise<(() => void) | Refusal> {
    const { limits, seats } = this.#options
    const { instanceId } = target
    const address = limitKeyOfIpAddress(clientAddress)
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

/** Returns the limit for one client address that belongs to no player. */
function addressShare(all: number): number {
  return Math.max(1, Math.floor(all / 8))
}

function isOfPlayer({ playerAddresses = [] }: FoundInstance, address: string): boolean {
  return playerAddresses.includes(address)
}
