import { randomUUID, X509Certificate } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket, Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { createBusGate } from '@capstan/bus/bus-gate'
import type { BusState, MessageBus } from '@capstan/bus/message-bus'
import { createMemoryRateLimitStore, type RateLimitStore } from '@capstan/bus/rate-limit-store'
import { createInProcessSeats, type Seats } from '@capstan/bus/seats'
import { plainAddress } from '@capstan/contract/addresses'
import { gatewayClientsIntervalMs, type RealtimeMessage } from '@capstan/contract/events'
import { GatewayLimits, Limits, ListenerLimits } from '@capstan/contract/limits'
import { createClientReader, type TrustedProxies } from '@capstan/http/client'
import { Guard } from '@capstan/http/guard'
import {
  type CutReason,
  createLimitedServer,
  type ListenerOptions,
  type ListenerLimits as ListenerTimes,
  protectSockets,
  sayContinue,
} from '@capstan/http/listener'
import { parentOf, traceRequest } from '@capstan/tracing/http-server'
import { type Tracer, traced } from '@capstan/tracing/tracer'
import { Registry } from 'prom-client'
import type { Backend } from './backend.ts'
import { type Address, readAddress } from './http/address.ts'
import { type Answer, problemAnswer, refuseUpgrade, sendAnswer } from './http/answers.ts'
import { createClientAddress } from './http/client-address.ts'
import { createReadSession } from './http/session-question.ts'
import { HubEndpoint, type HubEndpointOptions, hubWithoutUpgrade } from './hubs/hub-endpoint.ts'
import { Attempts } from './limits/attempts.ts'
import type { GatewayLimitSettings } from './limits/settings.ts'
import type { GatewayLogger } from './log.ts'
import { LookupCache } from './lookup-cache.ts'
import { createMetrics } from './metrics.ts'
import { type ConnectionTimings, InstanceConnections } from './proxy/instance-connections.ts'
import { ProxyEndpoint } from './proxy/proxy-endpoint.ts'
import type { TunnelTimings } from './proxy/tunnel.ts'
import { ByteEndpoint } from './reach/byte-endpoint.ts'
import { Doors } from './reach/doors.ts'
import { HttpEndpoint } from './reach/http-endpoint.ts'
import type { RelayTimings } from './reach/relay.ts'
import { type Certificate, TlsEndpoint } from './reach/tls-endpoint.ts'

export interface GatewayConfig {
  /** Shared by all processes of the platform (CAPSTAN_INTERNAL_TOKEN); negotiation tokens are proved with a key made from it. */
  readonly internalToken: string
  /** Besides our own web process, which proves itself with `internalToken`. */
  readonly trustedProxies: TrustedProxies
  /** Only needed where a proxy in front rewrites `Host`. */
  readonly publicOrigin: string | undefined
  /** A hub client that leaves more than this unread is dropped. */
  readonly hubWaitingMaxBytes: number
  /** Absent parts are as in `GatewayLimits`. */
  readonly limits?: Partial<GatewayLimitSettings>
  /** Ways to instances beside WebSockets. Absent: there are none. */
  readonly ways?: WaysConfig
}

export interface WaysConfig {
  /** Below it every instance has a host name. */
  readonly domain: string
  /** For connections whose TLS ends here. Absent: there are none. */
  readonly tls?: Certificate
}

export type GatewayTimings = HubEndpointOptions['timings'] &
  ConnectionTimings &
  TunnelTimings &
  RelayTimings & {
    /** From the start of a connection of TLS to the end of its handshake. */
    readonly tlsMs: number
    /** How long a client behind a proxy has its place at an instance after its last request. */
    readonly restMs: number
    /** How long it holds where an instance is, for further connections of one client that speaks HTTP. */
    readonly freshMs: number
    /** Time over which clients are asked to connect again after messages may have been lost. */
    readonly recycleMs: number
    /** How often the api hears how many clients there are. */
    readonly announceClientCountsMs: number
  }

/** Rules: docs/contract/live-hubs.md. Tests pass shorter ones. */
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

export interface GatewayDeps {
  readonly backend: Backend
  readonly bus: MessageBus
  readonly log: GatewayLogger
  /** Seats of proxied connections. Absent: of this process alone. Stays the caller's to close. */
  readonly seats?: Seats
  /** Counts attempts on proxied connections. Absent: those of this process alone. Stays the caller's to close. */
  readonly rateLimits?: RateLimitStore
  /** Where the metrics go; absent: a registry of its own. */
  readonly registry?: Registry
  readonly timings?: Partial<GatewayTimings>
  /** What connections may do whose TLS has ended here. Tests pass shorter times. */
  readonly listener?: ListenerTimes
  /** Absent: no traces. */
  readonly tracer?: Tracer | undefined
}

/**
 * Hubs and TCP proxy as a part of any Node HTTP server. Nothing listens here. To compose one process:
 *
 *     const gateway = buildGateway(config, { backend, bus, log })
 *     const server = createLimitedServer((request, response) => {
 *       if (!gateway.handle(request, response)) app.routing(request, response)
 *     })
 *     gateway.attach(server)
 */
export interface Gateway {
  /** Answers requests to host names of instances, and those under `/hub/` and `/api/proxy/`. False: not ours, nothing was written. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /**
   * Takes over the server's upgrades: WebSockets under our prefixes. A WebSocket elsewhere is left to other listeners of the server,
   * or refused if there is none.
   */
  attach(server: Server): void
  /** Takes every connection of a server of `openPorts` for TLS by server name. Needs `ways.tls`. */
  attachTls(server: TcpServer): void
  /** Shows another certificate from the next handshake on. Does nothing where no TLS ends here. */
  renewCertificate(certificate: Certificate): void
  /** Takes every connection of one of `openPorts` for the instance that has this port at that moment. */
  attachPort(server: TcpServer, port: number): void
  /** What the server that it is attached to needs to know of it, and has to tell it. */
  readonly listening: ListenerOptions
  readonly registry: Registry
  /**
   * `isReady` is false while it starts, waiting for the bus for a while, and from `close` on. A Redis that goes away later does not
   * make it so: the proxy works without.
   */
  health(): {
    readonly isReady: boolean
    readonly isStarting: boolean
    readonly bus: BusState
    readonly hubClients: number
    readonly proxyConnections: number
  }
  /**
   * Refuses what is new, asks the clients of the hubs to connect again (elsewhere), lets proxied connections run for up to
   * `drainMs`, then ends all and sends the last reports. The bus stays open: it belongs to the caller.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>
}

const gameKnownMs = 60_000
const gameUnknownMs = 2_000
const cachedGamesMax = 10_000

/** @throws Error for a wrong entry in `trustedProxies` */
export function buildGateway(config: GatewayConfig, deps: GatewayDeps): Gateway {
  const { backend, bus, log, tracer, seats = createInProcessSeats() } = deps
  const limits = { ...GatewayLimits, ...config.limits }
  const guard = new Guard(log)
  const clientAddress = createClientAddress(config)
  const timings = { ...defaultTimings, ...deps.timings }
  const registry = deps.registry ?? new Registry()
  const metrics = createMetrics(registry, bus, seats)
  const isPastStart = createBusGate({ state: () => bus.health().state, log })
  const games = new LookupCache<number, boolean>({
    load: (gameId) => backend.gameExists(gameId),
    lifetimeMs: (exists) => (exists ? gameKnownMs : gameUnknownMs),
    maxEntries: cachedGamesMax,
    now,
  })
  const readSession = createReadSession(config)
  const hubs = new HubEndpoint({
    backend: { session: (question) => backend.session(question), gameExists: (gameId) => games.get(gameId) },
    secret: config.internalToken,
    publicOrigin: config.publicOrigin,
    readSession,
    waitingMaxBytes: config.hubWaitingMaxBytes,
    clientAddress,
    limits,
    attempts: new Attempts({ store: createMemoryRateLimitStore(), now }),
    isLeaving,
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
    metrics,
    log,
  })
  const proxy = new ProxyEndpoint({
    connections,
    clientAddress,
    readSession,
    publicOrigin: config.publicOrigin,
    timings,
    isLeaving,
    metrics,
    log,
  })
  const doors = new Doors({ backend, missMs: timings.missMs, now, log })
  const bytes = new ByteEndpoint({ connections, doors, timings, isLeaving, metrics, log })
  const readClient = createClientReader(config)
  const hosts =
    config.ways &&
    new HttpEndpoint({
      connections,
      doors,
      domain: config.ways.domain,
      client: (request) => {
        const { address, protocol } = readClient(request)
        return {
          address,
          protocol: 'encrypted' in request.socket && request.socket.encrypted ? 'https' : protocol,
          isBehindProxy: address !== plainAddress(request.socket.remoteAddress ?? ''),
        }
      },
      timings,
      isLeaving,
      metrics,
      log,
    })
  const secureHosts = hosts && config.ways?.tls && createHostServer(hosts, countCut, guard, log, deps.listener)
  const tls =
    config.ways?.tls && secureHosts
      ? new TlsEndpoint({
          connections,
          doors,
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
  const interruptionTimer = setInterval(lookForInterruption, timings.sweepMs)
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

  function isLeaving(): boolean {
    return closing !== undefined
  }

  function receive(message: RealtimeMessage): void {
    if (message.kind === 'instance-ended' || message.kind === 'instance-moved') doors.forgetAll()
    if (message.kind === 'instance-ended') connections.instanceEnded(message.instanceId)
    else if (message.kind === 'instance-moved') connections.instanceMoved(message.instanceId, message.from)
    else hubs.receive(message)
  }

  function announceClientCounts(): void {
    bus.publish({ kind: 'gateway-clients', gatewayId, rooms: hubs.roomSizes })
  }

  /** Messages went past while the bus was away, and nothing is replayed: clients come again and refetch. */
  function lookForInterruption(): void {
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
        return isLeaving() ? problemAnswer('server.unavailable', request) : hubs.negotiate(address.hub, request)
      case 'hub':
        return hubWithoutUpgrade(request)
      case 'proxy':
        return proxy.probe(address, request)
      case 'nothing':
        return problemAnswer('route.not-found', request)
    }
  }

  async function handleSafely(address: Address, request: IncomingMessage, response: ServerResponse): Promise<void> {
    // No call here takes a body: whatever is sent is read and forgotten.
    request.resume()
    try {
      sendAnswer(response, await answer(address, request))
    } catch (error) {
      log.error({ err: error }, 'Request failed unexpectedly')
      if (response.headersSent) response.destroy()
      else sendAnswer(response, problemAnswer('server.unexpected', request))
    }
  }

  function upgrade(address: Address, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (address.kind === 'nothing' || address.kind === 'negotiate')
      refuseUpgrade(socket, problemAnswer('route.not-found', request))
    else if (isLeaving()) refuseUpgrade(socket, problemAnswer('server.unavailable', request))
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
      // Until the connection is open or refused: how long it lasts is in its row.
      const options = { kind: 'server', parent: parentOf(request) } as const
      await traced(tracer, 'Open a proxied connection', options, () => proxy.upgrade(address, request, socket, head))
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
    await untilGone(() => connections.openCount, end)
    connections.endAll()
    // Closing takes a moment of its own: clients agree to it.
    await untilGone(() => connections.openCount + hubs.clientCount, Math.max(now() + timings.closeMs + 100, end))
    // Until now: a connection to an instance that ends is not left to its time.
    unsubscribe()
    hubs.stop()
    tls?.stop()
    secureHosts?.close()
    await connections.stop()
  }

  return {
    handle(request, response) {
      if (hosts?.isOurs(request)) {
        handleHost(hosts, log, request, response)
        return true
      }
      const address = readAddress(request.url ?? '')
      if (address === undefined) return false
      const name = `${request.method} ${address.kind}`
      const ofRequest = new Guard(log, response)
      traceRequest(tracer, name, request, response, () => ofRequest.run(() => handleSafely(address, request, response)))
      return true
    },
    attach(server) {
      protectSockets(server)
      guard.on(server, 'upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (hosts?.isOurs(request)) {
          upgradeHost(hosts, log, request, socket, head)
          return
        }
        hosts?.leave(request.socket)
        const address = readAddress(request.url ?? '')
        if (address !== undefined) upgrade(address, request, socket, head)
        else if (server.listenerCount('upgrade') === 1) refuseUpgrade(socket, problemAnswer('route.not-found', request))
      })
      if (!hosts) return
      guard.on(server, 'checkContinue', (request: IncomingMessage, response: ServerResponse) => {
        if (request.socket.destroyed) return
        if (hosts.isOurs(request)) handleHost(hosts, log, request, response, { waitsForContinue: true })
        else if (sayContinue(request, response)) server.emit('request', request, response)
      })
    },
    attachTls(server) {
      if (!tls) throw new Error('A gateway without a certificate ends no TLS')
      tls.attach(server)
    },
    renewCertificate(certificate) {
      if (!tls) return
      tls.renew(certificate)
      noteExpiry(certificate)
    },
    attachPort(server, port) {
      guard.on(server, 'connection', (client: Socket) =>
        bytes.take({ way: 'tcp', door: { port }, clientAddress: plainAddress(client.remoteAddress ?? ''), client }),
      )
    },
    listening: { isUpload: (request) => hosts?.isOurs(request) ?? false, onCut: countCut, log },
    registry,
    health() {
      const isStarting = !isPastStart()
      return {
        isReady: !isLeaving() && !isStarting,
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

/** For connections whose TLS has ended: it listens nowhere, and knows no host but those of instances. */
function createHostServer(
  hosts: HttpEndpoint,
  onCut: (reason: CutReason) => void,
  guard: Guard,
  log: GatewayLogger,
  limits: ListenerTimes = ListenerLimits,
): Server {
  const answer = (request: IncomingMessage, response: ServerResponse) => handleHost(hosts, log, request, response)
  const server = createLimitedServer(answer, limits, { isUpload: () => true, onCut, log })
  guard.on(server, 'checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.socket.destroyed) handleHost(hosts, log, request, response, { waitsForContinue: true })
  })
  guard.on(server, 'upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    upgradeHost(hosts, log, request, socket, head),
  )
  // Its times are looked at from now on.
  server.emit('listening')
  return server
}

/** Milliseconds since 1970, on a clock that never goes back. */
function now(): number {
  return performance.timeOrigin + performance.now()
}

async function untilGone(count: () => number, end: number): Promise<void> {
  while (count() > 0 && now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
}
