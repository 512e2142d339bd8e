import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ProxyTarget, SessionQuestion } from '@capstan/contract/gateway-backend'
import type { ProblemCode } from '@capstan/contract/problems'
import { joinSmallPieces } from '@capstan/http/join-pieces'
import type { Address } from '../http/address.ts'
import { type Answer, createProblemHttpResponse, noContent, refuseUpgrade } from '../http/answers.ts'
import { isOwnOrigin } from '../http/origin.ts'
import type { ReadSession } from '../http/session-reader.ts'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { Arrival, FoundInstance, Refusal } from './arrival.ts'
import { createWebSocketAcceptResponse } from './handshake.ts'
import type { InstanceConnections } from './instance-connections.ts'
import { Tunnel, type TunnelTimings } from './tunnel.ts'

export type ProxyAddress = Extract<Address, { kind: 'proxy' }>

export type ProxyEndpointOptions = Readonly<{
  connections: InstanceConnections
  clientAddress: (request: IncomingMessage) => string
  readSession: ReadSession
  publicOrigin: string | undefined
  timings: TunnelTimings
  /** True once the gateway is stopping. Requests that are still pending are then refused. */
  isShuttingDown: () => boolean
  metrics: GatewayMetrics
  log: GatewayLogger
}>

type KnownTarget = Extract<ProxyTarget, { state: 'ready' | 'unreachable' }>
type Outcome = 'opened' | Refusal

/** Serves TCP over WebSocket: `/api/proxy/{id}` for team containers, and `/api/proxy/noinst/{id}` for test containers. */
export class ProxyEndpoint {
  readonly #options: ProxyEndpointOptions

  constructor(options: ProxyEndpointOptions) {
    this.#options = options
  }

  /**
   * Responds to a request that does not open a WebSocket. Clients send such a request to probe whether a container exists. If the
   * container exists, the status is 204.
   */
  async probe(address: ProxyAddress, request: IncomingMessage): Promise<Answer> {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') return createProblemHttpResponse('route.method', request, { allow: 'GET, HEAD' })
    const { connections, clientAddress } = this.#options
    const tooMany = await connections.limits.refuseAddress(clientAddress(request))
    if (tooMany) return answerOf(tooMany, request)
    const target = await this.#lookUp(address)
    // Answer 204 even if the container currently has no address.
    return typeof target === 'string' ? createProblemHttpResponse(target, request) : noContent
  }

  /** Handles the socket of an upgrade request: refuses the upgrade or opens a tunnel. */
  async upgrade(address: ProxyAddress, request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const outcome = await this.#tryToOpen(address, request, client, head)
    this.#options.metrics.proxyOpened.inc({ outcome: outcome === 'opened' ? outcome : outcome.code })
    if (outcome !== 'opened') refuseUpgrade(client, answerOf(outcome, request))
  }

  /** Returns the session of the client. A request from a page of another site counts as a request without a session. */
  #sessionOf(request: IncomingMessage): SessionQuestion | undefined {
    const { origin, host } = request.headers
    return isOwnOrigin(origin, host, this.#options.publicOrigin) ? this.#options.readSession(request) : undefined
  }

  async #lookUp({ instanceId, owner }: ProxyAddress): Promise<KnownTarget | ProblemCode> {
    let target: ProxyTarget
    try {
      target = await this.#options.connections.target(instanceId)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Could not look up a container')
      return 'server.unavailable'
    }
    if (target.state === 'proxy-off') return 'proxy.off'
    return target.state !== 'unknown' && target.kind === owner ? target : 'instance.unknown'
  }

  async #find(address: ProxyAddress): Promise<FoundInstance | ProblemCode> {
    const target = await this.#lookUp(address)
    if (typeof target === 'string') return target
    return target.state === 'ready' ? { ...target, instanceId: address.instanceId } : 'proxy.unreachable'
  }

  async #tryToOpen(address: ProxyAddress, request: IncomingMessage, client: Duplex, head: Buffer): Promise<Outcome> {
    const acceptance = createWebSocketAcceptResponse(request)
    if (acceptance === undefined) return { code: 'request.invalid' }
    const { connections, clientAddress, timings, isShuttingDown, log } = this.#options
    joinSmallPieces(client)
    const arrival: Arrival = {
      way: 'websocket',
      clientAddress: clientAddress(request),
      instanceId: address.instanceId,
      find: () => this.#find(address),
    }
    return connections.reach(arrival, (entered, container): Outcome => {
      if (isShuttingDown() || client.destroyed || !client.writable) {
        container.destroy()
        entered.leaveSeat()
        // Send no response if the client has disconnected.
        return isShuttingDown() ? { code: 'server.unavailable' } : 'opened'
      }
      client.write(acceptance)
      if (client instanceof Socket) {
        client.setTimeout(0)
        client.setNoDelay(true)
        client.setKeepAlive(true, 30_000)
      }
      connections.open(
        arrival,
        entered,
        (events) => new Tunnel({ client, head, container, timings, log, ...events }),
        this.#sessionOf(request),
      )
      return 'opened'
    })
  }
}

function answerOf({ code, retryAfterSeconds }: Refusal, request: IncomingMessage): Answer {
  return createProblemHttpResponse(code, request, {
    ...(code === 'request.invalid' && { 'sec-websocket-version': '13' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  })
}
