import { randomUUID, X509Certificate } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket, Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { createBusGate } from '@capstan/bus/bus-gate'
import type { BusState, MessageBus } from '@capstan/bus/message-bus'
import { createMemoryRateLimitStore, type RateLimitStore } from '@capstan/bus/rate-limit-store'
import { createInProcessSeatCounter, type Seats } from '@capstan/bus/seats'
import { normalizeIpAddress } from '@capstan/contract/addresses'
import { gatewayClientsIntervalMs, type RealtimeMessage } from '@capstan/contract/events'
import { GatewayLimits, Limits, ListenerLimits } from '@capstan/contract/limits'
import { AddressLimit, type ListenerClients } from '@capstan/http/address-limit'
import { createClientReader, type TrustedProxies } from '@capstan/http/client'
import { Guard } from '@capstan/http/guard'
import {
  type CutReason,
  createLimitedServer,
  isRequestOver,
  type ListenerOptions,
  type ListenerLimits as ListenerTimes,
  protectUpgradeSockets,
  send100Continue,
} from '@capstan/http/listener'
import type { RelayTimings } from '@capstan/http/relay'
import { traceparentOf, traceRequest } from '@capstan/tracing/http-server'
import { runInSpan, type Tracer } from '@capstan/tracing/tracer'
import { Registry } from 'prom-client'
import type { Backend } from './backend.ts'
import { type Address, parseGatewayAddress } from './http/address.ts'
import { type Answer, createProblemHttpResponse, refuseUpgrade, sendHttpResponse } from './http/answers.ts'
import { createClientAddressReader } from './http/client-address-reader.ts'
import { createSessionReader } from './http/session-reader.ts'
import { createUpgradeRequiredResponse, HubEndpoint, type HubEndpointOptions } from './hubs/hub-endpoint.ts'
import { Attempts } from './limits/attempts.ts'
import type { GatewayLimitSettings } from './limits/settings.ts'
import type { GatewayLogger } from './log.ts'
import { LookupCache } from './lookup-cache.ts'
import { createGatewayMetrics } from './metrics.ts'
import { type ConnectionTimings, InstanceConnections } from './proxy/instance-connections.ts'
import { ProxyEndpoint } from './proxy/proxy-endpoint.ts'
import type { TunnelTimings } from './proxy/tunnel.ts'
import { ByteEndpoint } from './reach/byte-endpoint.ts'
import { HttpEndpoint } from './reach/http-endpoint.ts'
import { RouteLookup } from './reach/route-lookup.ts'
import { type Certificate, TlsEndpoint } from './reach/tls-endpoint.ts'

export type GatewayConfig = Readonly<{
  /**
   * Secret that all processes of the platform share (CAPSTAN_INTERNAL_TOKEN). The key of negotiation tokens is derived from it.
   */
  internalToken: string
  /** Trusted proxies besides our web process, which proves its identity with `internalToken`. */
  trustedProxies: TrustedProxies
  /** Public origin of the site. Needed only if a proxy in front of the platform rewrites `Host`. */
  publicOrigin: string | undefined
  /**
   * Maximum number of unsent bytes that the gateway buffers for a hub client that reads slowly. Above this maximum, the
   * gateway drops the client.
   */
  maxHubWaitingBytes: number
  /** Values that replace the defaults in `GatewayLimits`. */
  limits?: Partial<GatewayLimitSettings>
  /**
   * Maximum number of connections that one client address may have at each listener. Concurrent requests of one client
   * address have the same maximum.
   */
  connectionsPerAddress?: number
  /** Methods to connect to instances in addition to WebSockets. If absent, WebSockets are the only method. */
  ways?: WaysConfig
}>

export type WaysConfig = Readonly<{
  /** Parent domain of the host names of instances. */
  domain: string
  /** Certificate for TLS that ends at the gateway. If absent, the gateway accepts no TLS connections. */
  tls?: Certificate
}>

export type GatewayTimings = HubEndpointOptions['timings'] &
  ConnectionTimings &
  TunnelTimings &
  RelayTimings &
  Readonly<{
    /** Maximum duration of a TLS handshake, from the start of the connection, in ms. */
    tlsMs: number
    /**
     * Time in ms after which a client behind a proxy counts as disconnected from an instance, if the client sent no
     * request in this time.
     */
    restMs: number
    /**
     * Time in ms for which the address of an instance is cached. Only further connections of the same HTTP client use
     * the cached address.
     */
    freshMs: number
    /**
     * Time over which the gateway spreads its requests to clients to reconnect, in ms. The gateway asks clients to
     * reconnect if messages may have been lost, and when the gateway stops.
     */
    recycleMs: number
    /** Interval at which the gateway reports its number of clients to the api, in ms. */
    announceClientCountsMs: number
  }>

/** Default times, see docs/contract/live-hubs.md. Tests use shorter times. */
export const defaultTimings: GatewayTimings = {
  handshakeMs: 15_000,
  pingMs: 15_000,
  silenceMs: 30_000,
  sweepMs: 1_000,
  tokenMs: 120_000,
  recheckMs: 60_000,
  recycleMs: 3_000,
  announceClientCountsMs: gatewayClientsIntervalMs,
  connectMs: 5_000,
  settleMs: 100,
  restMs: 15_000,
  freshMs: 1_000,
  tlsMs: ListenerLimits.headersMs,
  lifetimeMs: Limits.proxyConnectionMinutes * 60_000,
  reportMs: 30_000,
  gatherReportsMs: 1_000,
  missMs: 1_000,
  closeMs: 5_000,
  endMs: 750,
  lingerMs: 1_000,
  stalledMs: ListenerLimits.stalledMs,
}

export type GatewayDeps = Readonly<{
  backend: Backend
  bus: MessageBus
  log: GatewayLogger
  /**
   * Counts of open proxied connections. Several gateways may share one object with these counts. By default, each
   * gateway counts separately. The caller must close the object that it passes.
   */
  seats?: Seats
  /**
   * Counter of attempts to connect. Several gateways may share one counter. By default, each gateway has a separate
   * counter. The caller must close the counter that it passes.
   */
  rateLimits?: RateLimitStore
  /** Registry of the metrics. If absent, the gateway creates a registry. */
  registry?: Registry
  timings?: Partial<GatewayTimings>
  /** Time limits of connections whose TLS ends at the gateway. Tests use shorter times. */
  listener?: ListenerTimes
  /** Tracer of requests. If absent, tracing is off. */
  tracer?: Tracer | undefined
}>

/**
 * Hubs and TCP proxy for any Node HTTP server. The gateway does not listen itself. To run it in the process of the api:
 * ```
 * const gateway = buildGateway(config, { backend, bus, log })
 * const server = createLimitedServer((request, response) => {
 *   if (!gateway.handle(request, response)) app.routing(request, response)
 * })
 * gateway.attach(server)
 * ```
 */
export type Gateway = Readonly<{
  /**
   * Responds to requests to host names of instances, and to requests below `/hub/` and `/api/proxy/`.
   * @returns false for any other request, to which it does not respond
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /**
   * Handles WebSocket requests below `/hub/` and `/api/proxy/`. Leaves all other WebSocket requests to the other
   * listeners of the server. If there is no other listener, refuses these requests.
   */
  attach(server: Server): void
  /**
   * Handles all connections to a server that `openPorts` opened. The connections must use TLS with a server name. The configuration
   * must contain `ways.tls`.
   */
  attachTls(server: TcpServer): void
  /**
   * Replaces the certificate. New handshakes use the new certificate. Has no effect if the gateway accepts no TLS
   * connections.
   */
  renewCertificate(certificate: Certificate): void
  /**
   * Handles all connections to a server that `openPorts` opened. Forwards each connection to the instance that currently owns the
   * port.
   */
  attachPort(server: TcpServer, port: number): void
  listening: ListenerOptions
  registry: Registry
  /**
   * Returns the health of the gateway. `isReady` is false while a starting gateway waits for the bus, and after `close`. A later
   * loss of Redis does not make the gateway unready, because the proxy needs no Redis.
   */
  health(): Readonly<{
    isReady: boolean
    isStarting: boolean
    bus: BusState
    hubClients: number
    proxyConnections: number
  }>
  /**
   * Stops the gateway. It refuses new connections, asks hub clients to reconnect to another gateway, and drains proxied
   * connections for up to `drainMs`. Then it closes all connections and sends the last reports. The caller closes the bus.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>
}>

const gameKnownMs = 60_000
const gameUnknownMs = 2_000
const maxCachedGames = 10_000

/**
 * Builds the gateway.
 * @throws Error if `trustedProxies` has an invalid entry
 */
export function buildGateway(config: GatewayConfig, deps: GatewayDeps): Gateway {
  const { backend, bus, log, tracer, seats = createInProcessSeatCounter() } = deps
  const limits = { ...GatewayLimits, ...config.limits }
  const guard = new Guard(log)
  const clientAddress = createClientAddressReader(config)
  const timings = { ...defaultTimings, ...deps.timings }
  const registry = deps.registry ?? new Registry()
  const metrics = createGatewayMetrics(registry, bus, seats)
  const isPastStart = createBusGate({ state: () => bus.health().state, log })
  const games = new LookupCache<number, boolean>({
    load: (gameId) => backend.gameExists(gameId),
    lifetimeMs: (exists) => (exists ? gameKnownMs : gameUnknownMs),
    maxEntries: maxCachedGames,
    now,
  })
  const readSession = createSessionReader(config)
  const hubs = new HubEndpoint({
    backend: { session: (question) => backend.session(question), gameExists: (gameId) => games.get(gameId) },
    secret: config.internalToken,
    publicOrigin: config.publicOrigin,
    readSession,
    maxWaitingBytes: config.maxHubWaitingBytes,
    clientAddress,
    limits,
    attempts: new Attempts({ store: createMemoryRateLimitStore(), now }),
    isShuttingDown,
    timings,
    now,
    metrics,
    log,
  })
  const connections = new InstanceConnections({
    backend,
    timings,
    now,
    limits,
    attempts: new Attempts({ store: deps.rateLimits ?? createMemoryRateLimitStore(), now }),
    seats,
    bus,
    metrics,
    log,
  })
  const proxy = new ProxyEndpoint({
    connections,
    clientAddress,
    readSession,
    publicOrigin: config.publicOrigin,
    timings,
    isShuttingDown,
    metrics,
    log,
  })
  const routes = new RouteLookup({ backend, missMs: timings.missMs, now, log })
  const bytes = new ByteEndpoint({ connections, routes, timings, isShuttingDown, metrics, log })
  const readClient = createClientReader(config)
  const hosts =
    config.ways &&
    new HttpEndpoint({
      connections,
      routes,
      domain: config.ways.domain,
      client: (request) => {
        const { address, protocol } = readClient(request)
        return {
          address,
          protocol: 'encrypted' in request.socket && request.socket.encrypted ? 'https' : protocol,
          isBehindProxy: address !== normalizeIpAddress(request.socket.remoteAddress ?? ''),
        }
      },
      timings,
      isShuttingDown,
      metrics,
      log,
    })
  const secureHosts = hosts && config.ways?.tls && createHostServer(hosts, countCut, guard, log, config, deps.listener)
  const tls =
    config.ways?.tls && secureHosts
      ? new TlsEndpoint({
          connections,
          routes,
          bytes,
          domain: config.ways.domain,
          handshakeMs: timings.tlsMs,
          certificate: config.ways.tls,
          http: secureHosts,
          listener: deps.listener ?? ListenerLimits,
          metrics,
          log,
        })
      : undefined
  if (config.ways?.tls) noteExpiry(config.ways.tls)
  const unsubscribe = bus.subscribe(receive)
  let interruptionsSeen = bus.health().interruptions
  const interruptionTimer = setInterval(checkInterruptions, timings.sweepMs)
  interruptionTimer.unref()
  const gatewayId = randomUUID()
  const clientCountsTimer = setInterval(announceClientCounts, timings.announceClientCountsMs)
  clientCountsTimer.unref()
  let closing: Promise<void> | undefined

  function noteExpiry({ certificate }: Certificate): void {
    metrics.certificateExpires.set(new X509Certificate(certificate).validToDate.getTime() / 1000)
  }

  function countCut(reason: CutReason): void {
    metrics.refusals.inc({ limit: reason })
  }

  /**
   * Limits the connections of each client address at a server for TLS or plain TCP. HTTP servers enforce this limit
   * themselves.
   */
  function limitAddresses(server: TcpServer): void {
    const max = config.connectionsPerAddress ?? deps.listener?.maxConnectionsPerAddress ?? ListenerLimits.maxConnectionsPerAddress
    const addresses = new AddressLimit({ clients: config, max, onRefused: countCut, log })
    guard.on(server, 'connection', (socket: Socket) => addresses.takeConnection(socket))
  }

  function isShuttingDown(): boolean {
    return closing !== undefined
  }

  function receive(message: RealtimeMessage): void {
    if (message.kind === 'instance-ended' || message.kind === 'instance-moved') routes.forgetAll()
    if (message.kind === 'instance-ended') connections.instanceEnded(message.instanceId)
    else if (message.kind === 'instance-moved') connections.instanceMoved(message.instanceId, message.from)
    else if (message.kind === 'instance-crowded') connections.instanceCrowded(message.instanceId)
    else hubs.receive(message)
  }

  function announceClientCounts(): void {
    bus.publish({ kind: 'gateway-clients', gatewayId, rooms: hubs.roomSizes })
  }

  /** Lost messages are not replayed, so clients must reconnect and refetch. */
  function checkInterruptions(): void {
    const { interruptions } = bus.health()
    if (interruptions === interruptionsSeen) return
    interruptionsSeen = interruptions
    log.info({ clients: hubs.clientCount }, 'Asked clients to connect again: messages were lost')
    void hubs.recycle(timings.recycleMs)
    void connections.recheck()
  }

  async function answer(address: Address, request: IncomingMessage): Promise<Answer> {
    switch (address.kind) {
      case 'negotiate':
        return isShuttingDown() ? createProblemHttpResponse('server.unavailable', request) : hubs.negotiate(address.hub, request)
      case 'hub':
        return createUpgradeRequiredResponse(request)
      case 'proxy':
        return proxy.probe(address, request)
      case 'nothing':
        return createProblemHttpResponse('route.not-found', request)
    }
  }

  async function handleSafely(address: Address, request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Drain the body, because the gateway reads no bodies.
    request.resume()
    try {
      sendHttpResponse(response, await answer(address, request))
    } catch (error) {
      log.error({ err: error }, 'Request failed unexpectedly')
      if (response.headersSent) response.destroy()
      else sendHttpResponse(response, createProblemHttpResponse('server.unexpected', request))
    }
  }

  function upgrade(address: Address, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (address.kind === 'nothing' || address.kind === 'negotiate')
      refuseUpgrade(socket, createProblemHttpResponse('route.not-found', request))
    else if (isShuttingDown()) refuseUpgrade(socket, createProblemHttpResponse('server.unavailable', request))
    else void upgradeSafely(address, request, socket, head)
  }

  async function upgradeSafely(
    address: Extract<Address, { kind: 'hub' | 'proxy' }>,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    try {
      if (address.kind === 'hub') {
        await hubs.upgrade(address.hub, request, socket, head)
        return
      }
      // End the span when the connection is open or refused. The duration of an open connection is in the connection log.
      const options = { kind: 'server', parent: traceparentOf(request) } as const
      await runInSpan(tracer, 'Open a proxied connection', options, () => proxy.upgrade(address, request, socket, head))
    } catch (error) {
      log.error({ err: error }, 'A connection could not be opened for an unexpected reason')
      socket.destroy()
    }
  }

  async function shutDown(drainMs: number): Promise<void> {
    clearInterval(interruptionTimer)
    clearInterval(clientCountsTimer)
    const end = now() + drainMs
    connections.retireAll()
    tls?.retire()
    secureHosts?.closeIdleConnections()
    await hubs.recycle(Math.min(drainMs, timings.recycleMs))
    await waitUntilClosed(() => connections.openCount, end)
    connections.endAll()
    // Give clients time to confirm that their connections close.
    await waitUntilClosed(() => connections.openCount + hubs.clientCount, Math.max(now() + timings.closeMs + 100, end))
    // Unsubscribe from the bus only after the drain. Otherwise the gateway would not close the connections of instances
    // that end during the drain.
    unsubscribe()
    hubs.stop()
    tls?.stop()
    secureHosts?.close()
    await connections.stop()
  }

  return {
    handle(request, response) {
      if (hosts?.isInstanceHost(request)) {
        handleHost(hosts, log, request, response)
        return true
      }
      const address = parseGatewayAddress(request.url ?? '')
      if (address === undefined) return false
      const name = `${request.method} ${address.kind}`
      const ofRequest = new Guard(log, response)
      traceRequest(tracer, name, request, response, () => ofRequest.run(() => handleSafely(address, request, response)))
      return true
    },
    attach(server) {
      protectUpgradeSockets(server)
      guard.on(server, 'upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (hosts?.isInstanceHost(request)) {
          upgradeHost(hosts, log, request, socket, head)
          return
        }
        hosts?.leave(request.socket)
        const address = parseGatewayAddress(request.url ?? '')
        if (address !== undefined) upgrade(address, request, socket, head)
        else if (server.listenerCount('upgrade') === 1)
          refuseUpgrade(socket, createProblemHttpResponse('route.not-found', request))
      })
      if (!hosts) return
      guard.on(server, 'checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        if (isRequestOver(request, response)) return
        if (hosts.isInstanceHost(request)) handleHost(hosts, log, request, response, { waitsForContinue: true })
        else if (send100Continue(request, response)) server.emit('request', request, response)
      })
    },
    attachTls(server) {
      if (!tls) throw new Error('A gateway without a certificate cannot end TLS')
      limitAddresses(server)
      tls.attach(server)
    },
    renewCertificate(certificate) {
      if (!tls) return
      tls.renew(certificate)
      noteExpiry(certificate)
    },
    attachPort(server, port) {
      limitAddresses(server)
      guard.on(server, 'connection', async (client: Socket) => {
        if (client.destroyed) return
        await bytes.take({ way: 'tcp', route: { port }, clientAddress: normalizeIpAddress(client.remoteAddress ?? ''), client })
      })
    },
    listening: { isUpload: (request) => hosts?.isInstanceHost(request) ?? false, onCut: countCut, clients: config, log },
    registry,
    health() {
      const isStarting = !isPastStart()
      return {
        isReady: !isShuttingDown() && !isStarting,
        isStarting,
        bus: bus.health().state,
        hubClients: hubs.clientCount,
        proxyConnections: connections.openCount,
      }
    },
    close({ drainMs = 0 } = {}) {
      closing ??= shutDown(drainMs)
      return closing
    },
  }
}

function handleHost(
  hosts: HttpEndpoint,
  log: GatewayLogger,
  request: IncomingMessage,
  response: ServerResponse,
  options?: { readonly waitsForContinue: boolean },
): void {
  hosts.handle(request, response, options).catch((error: unknown) => {
    log.error({ err: error }, 'Request failed unexpectedly')
    response.destroy()
  })
}

function upgradeHost(hosts: HttpEndpoint, log: GatewayLogger, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  hosts.upgrade(request, socket, head).catch((error: unknown) => {
    log.error({ err: error }, 'A connection could not be opened for an unexpected reason')
    socket.destroy()
  })
}

/**
 * Creates an HTTP server for connections whose TLS ends at the gateway. The server does not listen, and serves only host names of
 * instances.
 */
function createHostServer(
  hosts: HttpEndpoint,
  onCut: (reason: CutReason) => void,
  guard: Guard,
  log: GatewayLogger,
  clients: ListenerClients,
  limits: ListenerTimes = ListenerLimits,
): Server {
  const answer = (request: IncomingMessage, response: ServerResponse) => handleHost(hosts, log, request, response)
  const server = createLimitedServer(answer, limits, { isUpload: () => true, onCut, clients, log })
  guard.on(server, 'checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!isRequestOver(request, response)) handleHost(hosts, log, request, response, { waitsForContinue: true })
  })
  guard.on(server, 'upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    upgradeHost(hosts, log, request, socket, head),
  )
  // Emit `listening`, because this event starts the checks of the time limits. Node does not emit the event, because this server
  // never listens.
  server.emit('listening')
  return server
}

/** Returns the current time in ms since 1970, from a clock that never goes back. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

async function waitUntilClosed(count: () => number, end: number): Promise<void> {
  while (count() > 0 && now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
}
