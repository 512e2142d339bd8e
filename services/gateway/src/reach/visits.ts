import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { RoutePage } from '@capstan/contract/server-texts'
import { Guard } from '@capstan/http/guard'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { type Arrival, isSameInstanceTarget, type Refusal } from '../proxy/arrival.ts'
import type { CarrierEvents } from '../proxy/carrier.ts'
import type { InstanceConnections } from '../proxy/instance-connections.ts'
import { type Asked, connectionOf } from './asked.ts'
import { type ClientConnection, endClientConnection } from './client-end.ts'
import { hasAccessKey, hashAccessKeys } from './guard.ts'
import type { ReadyRoute, RouteLookup } from './route-lookup.ts'
import { Visit, type VisitOptions } from './visit.ts'

export type VisitsOptions = Readonly<{
  connections: InstanceConnections
  routes: RouteLookup
  timings: Readonly<{
    lifetimeMs: number
    /**
     * Maximum time in ms for closing a client's connection after an instance has ended. The gateway closes the connection if its
     * last request was for this instance.
     */
    endMs: number
    /** Time in ms after which a client behind a proxy counts as disconnected, if the client sent no request in this time. */
    restMs: number
    /** Time for which the gateway trusts that an instance still has its address, in ms. */
    freshMs: number
  }>
  isShuttingDown: () => boolean
  metrics: GatewayMetrics
  log: GatewayLogger
}>

/** Result for a client that did not send the access key of the instance. */
type Guarded = Readonly<{
  key: string
}>

type Opened = Visit | Guarded | RoutePage

/** Maximum number of open `Visit` objects of a client connection. A further `Visit` retires the least recently used `Visit`. */
const maxVisitsPerConnection = 64

const pageOf: Partial<Record<Refusal['code'], RoutePage>> = {
  'proxy.unreachable': 'starting',
  'instance.none': 'ended',
  'instance.unknown': 'unknown',
  'request.rate-limited': 'crowded',
  'proxy.full': 'crowded',
}

function endVisit(opened: Opened): void {
  if (opened instanceof Visit) opened.end()
}

function outcomeOf(opened: Opened): string {
  if (typeof opened === 'string') return opened
  return opened instanceof Visit ? 'opened' : 'guarded'
}

/**
 * The `Visit` objects of all clients. Requests to the same instance share a `Visit` if they arrive on the same
 * connection of a client.
 */
export class Visits {
  readonly #options: VisitsOptions
  /** Maps a client connection and the label of an instance to a `Visit`. */
  readonly #visits = new WeakMap<ClientConnection, Map<string, Promise<Opened>>>()
  /**
   * Client connections that are being closed. If a request still arrives on such a connection, the response is marked
   * as the last response.
   */
  readonly #ending = new WeakSet<ClientConnection>()
  /**
   * Visits of clients behind proxies, by label, client address and access keys. A proxy may send a client's next request on any
   * idle connection, so connections do not identify clients. The access keys are included, so that strangers with the same
   * address do not delay players.
   */
  readonly #lasting = new Map<string, Promise<Opened>>()

  constructor(options: VisitsOptions) {
    this.#options = options
  }

  isEnding(connection: ClientConnection): boolean {
    return this.#ending.has(connection)
  }

  /**
   * Detaches the `Visit` of each instance from a plain HTTP connection that now serves the platform. The connection
   * then remains open when these instances end.
   */
  leave(connection: Socket): void {
    this.#visits.delete(connection)
  }

  /**
   * Returns the `Visit` that contains the client's earlier requests to the instance. If there is no such `Visit`, opens
   * a new `Visit`.
   */
  async find(asked: Asked, request: IncomingMessage): Promise<Opened> {
    const { label, client } = asked
    const connection = connectionOf(request)
    if (!client.isBehindProxy) return this.#visitOf(this.#visitsOn(connection), label, asked, request, connection)
    const place = `${label} ${client.address} ${hashAccessKeys(request.headers, client.protocol)}`
    return this.#visitOf(this.#lasting, place, asked, request)
  }

  #visitsOn(connection: ClientConnection): Map<string, Promise<Opened>> {
    const known = this.#visits.get(connection)
    if (known !== undefined) return known
    const visits = new Map<string, Promise<Opened>>()
    this.#visits.set(connection, visits)
    const guard = new Guard(this.#options.log, connection)
    guard.once(connection, 'close', () => {
      for (const visit of visits.values()) guard.run(async () => endVisit(await visit))
    })
    return visits
  }

  /**
   * Returns the open `Visit` for the key, or opens a new `Visit`.
   * @param connection connection of the client, or undefined for a client behind a proxy
   */
  async #visitOf(
    visits: Map<string, Promise<Opened>>,
    key: string,
    asked: Asked,
    request: IncomingMessage,
    connection?: ClientConnection,
  ): Promise<Opened> {
    const known = visits.get(key)
    const visit = await known
    if (known && visit instanceof Visit && visit.isOpen) {
      visits.delete(key)
      visits.set(key, known)
      return visit
    }
    // A concurrent request may have opened a new `Visit` during the `await`.
    const current = visits.get(key)
    if (current !== undefined && current !== known) return current
    const forget = () => void (visits.get(key) === opening && visits.delete(key))
    const onEnd =
      connection === undefined
        ? forget
        : (canConnectionRemain: boolean) => void (canConnectionRemain || this.#letGo(connection, visits, opening))
    const opening = this.#open(asked, request, onEnd).catch((error: unknown): RoutePage => {
      this.#options.log.error({ err: error }, 'A connection could not be opened for an unexpected reason')
      return 'unavailable'
    })
    visits.delete(key)
    visits.set(key, opening)
    if (connection === undefined) {
      // Do not store a refusal, so that the client's next request tries again.
      void opening.then((opened) => opened instanceof Visit || forget())
      return opening
    }
    for (const [oldest, left] of visits) {
      if (visits.size <= maxVisitsPerConnection) break
      visits.delete(oldest)
      void left.then((opened) => opened instanceof Visit && opened.retire())
    }
    return opening
  }

  async #open({ label, client }: Asked, request: IncomingMessage, onEnd: VisitOptions['onEnd']): Promise<Opened> {
    const { connections, routes, isShuttingDown, metrics } = this.#options
    if (isShuttingDown()) return 'unavailable'
    const isStranger = ({ key }: ReadyRoute) => key !== undefined && !hasAccessKey(request.headers, key, client.protocol)
    const arrival: Arrival<ReadyRoute> = {
      way: 'http',
      clientAddress: client.address,
      find: () => routes.find({ label }),
      isStranger,
    }
    const outcome = await connections.enter(arrival, (entered): Opened => {
      const { target, leaveSeat } = entered
      const isByBytes = target.isRaw || target.hasOwnCertificate || target.speaks !== 'http'
      if (isByBytes || isShuttingDown() || (connectionOf(request).destroyed && !client.isBehindProxy)) {
        leaveSeat()
        return isByBytes ? 'bytes' : 'unavailable'
      }
      if (target.key !== undefined && isStranger(target)) {
        leaveSeat()
        return { key: target.key }
      }
      let visit: Visit | undefined
      connections.open(arrival, entered, (events) => {
        visit = this.#begun(target, { label, client }, events, onEnd)
        return visit
      })
      return visit ?? 'unavailable'
    })
    const isRefused = typeof outcome === 'object' && 'code' in outcome
    metrics.directOpened.inc({ way: 'http', outcome: isRefused ? outcome.code : outcomeOf(outcome) })
    return isRefused ? (pageOf[outcome.code] ?? 'unavailable') : outcome
  }

  /** Begins a `Visit`. This is a separate method, because its closures would otherwise retain all variables of `#open`. */
  #begun(
    target: ReadyRoute,
    { label, client }: Pick<Asked, 'label' | 'client'>,
    events: CarrierEvents,
    onEnd: VisitOptions['onEnd'],
  ): Visit {
    const { connections, routes, timings, log } = this.#options
    const { freshMs, restMs, lifetimeMs } = timings
    const isThere = async () => {
      const found = await routes.find({ label })
      if (found === 'server.unavailable') return undefined
      return typeof found === 'object' && found.instanceId === target.instanceId && isSameInstanceTarget(found, target)
    }
    const dial = () => connections.dial({ way: 'http', clientAddress: client.address }, target)
    const going = { dial, freshMs, isThere, onEnd, log }
    if (!client.isBehindProxy)
      return new Visit(target, events, { ...going, takeSeat: () => connections.limits.takeRequestSeat(client.address, target) })
    return new Visit(target, events, {
      ...going,
      takeSeat: () => connections.limits.takeFurtherSeat(client.address, target),
      // Accept no new requests after half of the lifetime, so that pending requests can use the other half.
      lasting: { restMs, retireMs: lifetimeMs / 2 },
    })
  }

  /**
   * Ends a client's connection if the instance of its last request ended or moved. Never called for a connection of a proxy,
   * because such a connection carries requests of several clients.
   */
  #letGo(connection: ClientConnection, visits: ReadonlyMap<string, Promise<Opened>>, opening: Promise<Opened>): void {
    const last = () => [...visits.values()].at(-1)
    if (connection.destroyed || this.#visits.get(connection) !== visits || last() !== opening) return
    this.#ending.add(connection)
    const { timings, log } = this.#options
    endClientConnection(connection, timings.endMs, new Guard(log, connection), async () => {
      if (this.#visits.get(connection) !== visits) return true
      const opened = await last()
      return opened instanceof Visit && opened.isOpen
    })
  }
}
