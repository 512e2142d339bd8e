import type { Server as HttpServer } from 'node:http'
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Server, Socket } from 'node:net'
import { createSecureContext, createServer, type SecureContext, type TLSSocket, type Server as TlsServer } from 'node:tls'
import { limitKeyOfIpAddress, normalizeIpAddress } from '@capstan/contract/addresses'
import { GatewayBounds, ListenerLimits } from '@capstan/contract/limits'
import { SeatCounts } from '@capstan/contract/seat-counts'
import { Guard, ignoreSocketErrors } from '@capstan/http/guard'
import type { ListenerLimits as ListenerTimes } from '@capstan/http/listener'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { InstanceConnections } from '../proxy/instance-connections.ts'
import type { ByteEndpoint } from './byte-endpoint.ts'
import { parseInstanceHost } from './host.ts'
import type { ReadyRoute, RouteLookup } from './route-lookup.ts'
import { type Hello, readTlsClientHello } from './server-name.ts'
import { maxExchanges } from './visit.ts'

/** Certificate and key, both in PEM. */
export type Certificate = Readonly<{
  certificate: string
  key: string
}>

export type TlsEndpointOptions = Readonly<{
  connections: InstanceConnections
  routes: RouteLookup
  bytes: ByteEndpoint
  domain: string
  handshakeMs: number
  certificate: Certificate
  /** HTTP/1.1 server for connections whose TLS ends at the gateway. The server does not listen. */
  http: HttpServer
  listener: Pick<ListenerTimes, 'idleMs' | 'stalledMs'>
  metrics: GatewayMetrics
  log: GatewayLogger
}>

function contextOf({ certificate: cert, key }: Certificate) {
  return { cert, key, minVersion: 'TLSv1.2' } as const
}

/**
 * Closes stalled and idle HTTP/2 sessions. Idle sessions need a separate timer, because Node's timeout counts pings as activity.
 * After an idle session has ended, the client must close the connection within the same time.
 */
function endWhenIdle(
  session: ServerHttp2Session,
  socket: TLSSocket,
  log: GatewayLogger,
  { idleMs, stalledMs }: TlsEndpointOptions['listener'],
  onCut: (limit: 'idle' | 'stalled') => void,
): void {
  const guard = new Guard(log)
  let streams = 0
  const idle = setTimeout(() => {
    if (streams > 0) return
    if (session.closed || session.destroyed) {
      socket.destroy()
      return
    }
    onCut('idle')
    session.close()
    idle.refresh()
  }, idleMs)
  guard.on(session, 'stream', (stream: ServerHttp2Stream) => {
    streams += 1
    cancelWhenStalled(stream, new Guard(log, stream), stalledMs, () => onCut('stalled'))
    guard.once(stream, 'close', () => {
      streams -= 1
      if (streams === 0) idle.refresh()
    })
  })
  session.setTimeout(stalledMs)
  guard.once(session, 'timeout', () => {
    onCut('stalled')
    session.destroy()
  })
  guard.once(socket, 'close', () => clearTimeout(idle))
}

/**
 * Cancels a stream that makes no progress. Node's timeout does not suffice, because it counts pings as activity while unsent data
 * waits.
 */
function cancelWhenStalled(stream: ServerHttp2Stream, guard: Guard, stalledMs: number, onCut: () => void): void {
  const cancel = () => {
    if (stream.closed) return
    onCut()
    stream.close(constants.NGHTTP2_CANCEL)
  }
  let isWaiting = false
  const look = () => {
    if (isWaiting && stream.bufferSize > 0) cancel()
    isWaiting = stream.bufferSize > 0
  }
  const untaken = setInterval(() => guard.run(look), stalledMs)
  const hasTaken = () => {
    isWaiting = false
  }
  stream.setTimeout(stalledMs)
  guard.on(stream, 'timeout', cancel)
  guard.on(stream, 'drain', hasTaken)
  guard.once(stream, 'close', () => clearInterval(untaken))
}

type Passage = 'through' | 'bytes' | 'http' | 'page'

function handlingOf(route: ReadyRoute | undefined): Passage {
  if (route === undefined) return 'page'
  if (route.key !== undefined) return 'http'
  if (route.hasOwnCertificate) return 'through'
  return route.speaks === 'http' && !route.isRaw ? 'http' : 'bytes'
}

/**
 * Chooses the ALPN protocol of a connection that is forwarded as bytes. Prefers HTTP/1.1, because the instance may speak it.
 * Otherwise chooses the client's first protocol, because TLS fails if none is chosen.
 */
function chooseProtocol({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return protocols.find((protocol) => protocol === 'http/1.1') ?? protocols[0]
}

/**
 * Serves TLS for all instances on one port, by server name. If the challenge has its own certificate, the TLS connection is
 * forwarded unchanged. Otherwise TLS ends at the gateway, which forwards the decrypted content as HTTP requests or as bytes.
 */
export class TlsEndpoint {
  readonly #options: TlsEndpointOptions
  #context: SecureContext
  readonly #http2: Http2SecureServer
  /** Servers that perform TLS on given connections. They do not listen. */
  readonly #ofHttp: TlsServer
  readonly #ofBytes: TlsServer
  /**
   * Map from each connection to the function to call after its TLS handshake. The key consists of the addresses of both
   * ends of the connection.
   */
  readonly #waiting = new Map<string, (secured: TLSSocket) => void>()
  readonly #unfinished = new SeatCounts()
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #guard: Guard

  constructor(options: TlsEndpointOptions) {
    this.#options = options
    this.#guard = new Guard(options.log)
    const guard = this.#guard
    const context = contextOf(options.certificate)
    this.#context = createSecureContext(context)
    const secured = (socket: TLSSocket) => {
      ignoreSocketErrors(socket)
      const take = this.#waiting.get(endsOf(socket))
      // No function is registered if the client disconnected during the handshake.
      if (take) take(socket)
      else socket.destroy()
    }
    const settings = { ...context, handshakeTimeout: options.handshakeMs, allowHalfOpen: true } as const
    this.#ofHttp = createServer({ ...settings, ALPNProtocols: ['h2', 'http/1.1'] })
    this.#ofBytes = createServer({ ...settings, ALPNCallback: chooseProtocol })
    for (const server of [this.#ofHttp, this.#ofBytes]) {
      guard.on(server, 'secureConnection', secured)
      guard.on(server, 'tlsClientError', (_error: Error, socket: TLSSocket) => socket.destroy())
    }
    // HTTP/2 server for connections whose TLS ends at the gateway.
    this.#http2 = createSecureServer({
      settings: { maxConcurrentStreams: maxExchanges, maxHeaderListSize: ListenerLimits.maxHeadersBytes },
      maxHeaderListPairs: 256,
    })
    for (const event of ['request', 'checkContinue', 'checkExpectation'])
      guard.on(this.#http2, event, (request: Http2ServerRequest, response: Http2ServerResponse) => {
        options.http.emit(event, request, response)
      })
    // End the connection, as Node's HTTP/1.1 server does. Otherwise Node's HTTP/2 server would respond without counting the request.
    guard.on(this.#http2, 'connect', ({ stream }: Http2ServerRequest) => stream.session?.destroy())
  }

  attach(server: Server): void {
    this.#guard.on(server, 'connection', async (socket: Socket) => {
      if (!socket.destroyed) await this.#take(socket)
    })
  }

  /** Uses this certificate for new handshakes. Open connections continue. */
  renew(certificate: Certificate): void {
    const context = contextOf(certificate)
    this.#context = createSecureContext(context)
    for (const server of [this.#ofHttp, this.#ofBytes]) server.setSecureContext(context)
  }

  /** Asks HTTP/2 clients to send new requests on other connections. */
  retire(): void {
    for (const session of this.#sessions) session.close()
  }

  /** Ends all remaining connections. */
  stop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async #take(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    this.#guard.once(socket, 'close', () => this.#sockets.delete(socket))
    const clientAddress = normalizeIpAddress(socket.remoteAddress ?? '')
    const seats = ['all', limitKeyOfIpAddress(clientAddress)] as const
    if (!this.#enter(seats)) {
      socket.destroy()
      return
    }
    const { handshakeMs, metrics } = this.#options
    const timer = setTimeout(() => {
      metrics.refusals.inc({ limit: 'slow-handshake' })
      socket.destroy()
    }, handshakeMs)
    try {
      await this.#open(socket, clientAddress)
    } catch (error) {
      this.#options.log.error({ err: error }, 'A connection could not be opened for an unexpected reason')
      socket.destroy()
    } finally {
      clearTimeout(timer)
      for (const seat of seats) this.#unfinished.leave(seat)
    }
  }

  /**
   * Counts a handshake. Concurrent handshakes are limited in total and per address.
   * @returns false if a limit is reached
   */
  #enter([all, ofAddress]: readonly [string, string]): boolean {
    const { metrics } = this.#options
    if (!this.#unfinished.take(all, GatewayBounds.unfinishedHandshakes)) {
      metrics.refusals.inc({ limit: 'unfinished-tls' })
      return false
    }
    if (this.#unfinished.take(ofAddress, GatewayBounds.unfinishedHandshakesPerAddress)) return true
    this.#unfinished.leave(all)
    metrics.refusals.inc({ limit: 'unfinished-tls-address' })
    return false
  }

  async #open(socket: Socket, clientAddress: string): Promise<void> {
    const { connections, routes, bytes, domain } = this.#options
    const hello = await readTlsClientHello(socket, this.#context, this.#options.log)
    const owner = parseInstanceHost(hello?.serverName, domain)
    if (hello === undefined || owner.kind !== 'instance' || owner.label === undefined) {
      socket.destroy()
      return
    }
    const route = { label: owner.label }
    const found = (await connections.limits.refuseAddress(clientAddress)) ?? (await routes.find(route))
    const ready = typeof found === 'object' && 'state' in found ? found : undefined
    const passage = handlingOf(ready)
    if (socket.destroyed) return
    if (passage === 'through') {
      await bytes.take({ way: 'tls', route, clientAddress, client: socket, head: hello.bytes })
      return
    }
    if (typeof found === 'object' && 'code' in found) {
      socket.destroy()
      return
    }
    const secured = await this.#secure(socket, hello, passage)
    if (secured === undefined) return
    if (passage === 'bytes') await bytes.take({ way: 'tls', route, clientAddress, client: secured })
    else if (secured.alpnProtocol === 'h2') this.#serveHttp2(secured)
    else if (secured.alpnProtocol === 'http/1.1' || passage === 'http') this.#options.http.emit('connection', secured)
    // The client's protocol is unknown, so the gateway cannot send an error page. Disconnect the client.
    else secured.destroy()
  }

  #serveHttp2(secured: TLSSocket): void {
    const { listener, metrics, log } = this.#options
    // Close the connection as soon as the client closes its sending direction. Otherwise the connection would remain open for a
    // while, because Node's HTTP/2 sessions do not notice the closing.
    secured.allowHalfOpen = false
    const begin = (session: ServerHttp2Session) => {
      Object.assign(session, { carrier: secured })
      endWhenIdle(session, secured, log, listener, (limit) => metrics.refusals.inc({ limit }))
      this.#sessions.add(session)
      this.#guard.once(session, 'close', () => this.#sessions.delete(session))
    }
    this.#guard.once(this.#http2, 'session', begin)
    this.#http2.emit('secureConnection', secured)
    this.#http2.off('session', begin)
  }

  /**
   * Performs the TLS handshake.
   * @returns undefined if it failed, which closes the connection
   */
  #secure(socket: Socket, { serverName, bytes }: Hello, passage: Passage): Promise<TLSSocket | undefined> {
    const { promise, resolve } = Promise.withResolvers<TLSSocket | undefined>()
    const ends = endsOf(socket)
    const giveUp = () => resolve(undefined)
    this.#guard.once(socket, 'close', giveUp)
    this.#waiting.set(ends, (secured) => {
      // Set the server name. For a resumed TLS 1.2 session, Node reports no name, or the name of the session's first connection.
      Object.assign(secured, { servername: serverName })
      resolve(secured)
    })
    socket.unshift(bytes)
    const server = passage === 'bytes' ? this.#ofBytes : this.#ofHttp
    server.emit('connection', socket)
    return promise.finally(() => {
      socket.off('close', giveUp)
      this.#waiting.delete(ends)
    })
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
