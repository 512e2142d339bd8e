import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { InstanceRoute } from '@capstan/contract/gateway-backend'
import type { ProblemCode } from '@capstan/contract/problems'
import { joinSmallPieces } from '@capstan/http/join-pieces'
import { Relay, type RelayTimings } from '@capstan/http/relay'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { Arrival } from '../proxy/arrival.ts'
import type { InstanceConnections } from '../proxy/instance-connections.ts'
import type { ReadyRoute, RouteLookup } from './route-lookup.ts'

export type ByteEndpointOptions = Readonly<{
  connections: InstanceConnections
  routes: RouteLookup
  timings: RelayTimings
  isShuttingDown: () => boolean
  metrics: GatewayMetrics
  log: GatewayLogger
}>

export type ByteArrival = Readonly<{
  way: 'tls' | 'tcp'
  route: InstanceRoute
  clientAddress: string
  /** Paused socket of the client, with `allowHalfOpen`. */
  client: Duplex
  /** Bytes of the client that were already read from the socket. */
  head?: Buffer
}>

/**
 * Forwards connections as bytes. Disconnects refused clients without a message, because the gateway does not know their protocol.
 */
export class ByteEndpoint {
  readonly #options: ByteEndpointOptions

  constructor(options: ByteEndpointOptions) {
    this.#options = options
  }

  async take({ way, route, clientAddress, client, head }: ByteArrival): Promise<void> {
    const { connections, isShuttingDown, metrics, timings, log } = this.#options
    joinSmallPieces(client)
    const arrival: Arrival = { way, clientAddress, find: () => this.#find(route) }
    const outcome = isShuttingDown()
      ? { code: 'server.unavailable' as const }
      : await connections.reach(arrival, (entered, container: Socket) => {
          if (isShuttingDown() || client.destroyed) {
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

  /** Looks up an instance. Refuses guarded instances, because the gateway cannot find an access key in raw bytes. */
  async #find(route: InstanceRoute): Promise<ReadyRoute | ProblemCode> {
    const found = await this.#options.routes.find(route)
    return typeof found === 'object' && found.key !== undefined ? 'instance.unknown' : found
  }
}
