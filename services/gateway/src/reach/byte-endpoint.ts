import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { InstanceDoor } from '@capstan/contract/gateway-backend'
import type { ProblemCode } from '@capstan/contract/problems'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { Arrival, InstanceConnections } from '../proxy/instance-connections.ts'
import type { Doors, ReadyDoor } from './doors.ts'
import { Relay, type RelayTimings } from './relay.ts'

export interface ByteEndpointOptions {
  readonly connections: InstanceConnections
  readonly doors: Doors
  readonly timings: RelayTimings
  readonly isLeaving: () => boolean
  readonly metrics: GatewayMetrics
  readonly log: GatewayLogger
}

export interface ByteArrival {
  readonly way: 'tls' | 'tcp'
  readonly door: InstanceDoor
  readonly clientAddress: string
  /** Paused, with `allowHalfOpen`. */
  readonly client: Duplex
  /** What was read from it already. */
  readonly head?: Buffer
}

/** Hands connections over by bytes. Whoever is refused is disconnected: there is no language to say more in. */
export class ByteEndpoint {
  readonly #options: ByteEndpointOptions

  constructor(options: ByteEndpointOptions) {
    this.#options = options
  }

  async take({ way, door, clientAddress, client, head }: ByteArrival): Promise<void> {
    const { connections, isLeaving, metrics, timings, log } = this.#options
    const arrival: Arrival = { way, clientAddress, find: () => this.#find(door) }
    const outcome = isLeaving()
      ? { code: 'server.unavailable' as const }
      : await connections.reach(arrival, (entered, container: Socket) => {
          if (isLeaving() || client.destroyed) {
            container.destroy()
            entered.leaveSeat()
            return { code: 'server.unavailable' as const }
          }
          const onStalled = () => metrics.refusals.inc({ limit: 'slow-reader' })
          connections.open(
            arrival,
            entered,
            (events) => new Relay({ client, container, timings, onStalled, log, ...(head && { head }), ...events }),
          )
          return undefined
        })
    metrics.directOpened.inc({ way, outcome: outcome?.code ?? 'opened' })
    if (outcome) client.destroy()
  }

  /** Bytes bring no key: where strangers are kept out, nobody comes in this way. */
  async #find(door: InstanceDoor): Promise<ReadyDoor | ProblemCode> {
    const found = await this.#options.doors.find(door)
    return typeof found === 'object' && found.key !== undefined ? 'instance.unknown' : found
  }
}
