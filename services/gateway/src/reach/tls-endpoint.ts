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
import { SeatCounts } from '@capstan/bus/seat-counts'
import { addressLimitKey, plainAddress } from '@capstan/contract/addresses'
import { GatewayBounds, ListenerLimits } from '@capstan/contract/limits'
import { Guard, surviveErrors } from '@capstan/http/guard'
import type { ListenerLimits as ListenerTimes } from '@capstan/http/listener'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import type { InstanceConnections } from '../proxy/instance-connections.ts'
import type { ByteEndpoint } from './byte-endpoint.ts'
import type { Doors, ReadyDoor } from './doors.ts'
import { readHost } from './host.ts'
import { type Hello, readHello } from './server-name.ts'
import { exchangesMax } from './visit.ts'

/** Both in PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

export interface TlsEndpointOptions {
  readonly connections: InstanceConnections
  readonly doors: Doors
  readonly bytes: ByteEndpoint
  readonly domain: string
  /** From the start of a connection to the end of its handshake. */
  readonly handshakeMs: number
  readonly certificate: Certificate
  /** Answers HTTP/1.1 on connections whose TLS has ended; it listens nowhere itself. */
  readonly http: HttpServer
  readonly listener: Pick<ListenerTimes, 'idleMs' | 'stalledMs'>
  readonly metrics: GatewayMetrics
  readonly log: GatewayLogger
}

/** Of every context that a client of TLS meets. */
const contextOf = ({ certificate: cert, key }: Certificate) => ({ cert, key, minVersion: 'TLSv1.2' }) as const

/**
 * Ends a session that stands still, or has no request for a while: Node takes a ping for something that happens. A client that does not
 * close the connection of a session that is over has as long again.
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

/** Ends a stream on which no byte comes, goes or is taken. Node takes a ping for the latter while some wait to be taken. */
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

/** What a door is to a client of TLS. */
type Passage = 'through' | 'bytes' | 'http' | 'page'

const passageOf = (door: ReadyDoor | undefined): Passage => {
  if (door === undefined) return 'page'
  if (door.key !== undefined) return 'http'
  if (door.hasOwnCertificate) return 'through'
  return door.speaks === 'http' && !door.isRaw ? 'http' : 'bytes'
}

/** Whoever names protocols is told of one that the instance may speak, and of any rather than none. */
const chooseProtocol = ({ protocols }: { readonly protocols: readonly string[] }): string | undefined =>
  protocols.find((protocol) => protocol === 'http/1.1') ?? protocols[0]

/**
 * TLS by server name on one port. It ends here, and what is inside goes to the instance as requests or as bytes; or it passes through
 * where the challenge has a certificate of its own.
 */
export class TlsEndpoint {
  readonly #options: TlsEndpointOptions
  #context: SecureContext
  readonly #http2: Http2SecureServer
  /** End TLS of the connections that they are given; they listen nowhere. */
  readonly #ofHttp: TlsServer
  readonly #ofBytes: TlsServer
  /** Who waits for the end of TLS, by both ends of the connection. */
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
      surviveErrors(socket)
      const take = this.#waiting.get(endsOf(socket))
      // Its client has left while it was secured.
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
    // It is given connections whose TLS has ended.
    this.#http2 = createSecureServer({
      settings: { maxConcurrentStreams: exchangesMax, maxHeaderListSize: ListenerLimits.headersMaxBytes },
      maxHeaderListPairs: 256,
    })
    for (const event of ['request', 'checkContinue'])
      guard.on(this.#http2, event, (request: Http2ServerRequest, response: Http2ServerResponse) => {
        options.http.emit(event, request, response)
      })
  }

  attach(server: Server): void {
    this.#guard.on(server, 'connection', (socket: Socket) => this.#take(socket))
  }

  /** Handshakes from now on show another certificate; what is open stays. */
  renew(certificate: Certificate): void {
    const context = contextOf(certificate)
    this.#context = createSecureContext(context)
    for (const server of [this.#ofHttp, this.#ofBytes]) server.setSecureContext(context)
  }

  /** Asks clients of HTTP/2 to go elsewhere with what is new. */
  retire(): void {
    for (const session of this.#sessions) session.close()
  }

  /** Ends whatever is left of its connections. */
  stop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async #take(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    this.#guard.once(socket, 'close', () => this.#sockets.delete(socket))
    const clientAddress = plainAddress(socket.remoteAddress ?? '')
    const seats = ['all', addressLimitKey(clientAddress)] as const
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

  /** Handshakes that are under way are bounded, for all and for each address. */
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
    const { connections, doors, bytes, domain } = this.#options
    const hello = await readHello(socket, this.#context, this.#options.log)
    const owner = readHost(hello?.serverName, domain)
    if (hello === undefined || owner.kind !== 'instance' || owner.label === undefined) {
      socket.destroy()
      return
    }
    const door = { label: owner.label }
    const found = (await connections.refuseAddress(clientAddress)) ?? (await doors.find(door))
    const ready = typeof found === 'object' && 'state' in found ? found : undefined
    const passage = passageOf(ready)
    if (socket.destroyed) return
    if (passage === 'through') {
      await bytes.take({ way: 'tls', door, clientAddress, client: socket, head: hello.bytes })
      return
    }
    if (typeof found === 'object' && 'code' in found) {
      socket.destroy()
      return
    }
    const secured = await this.#secure(socket, hello, passage)
    if (secured === undefined) return
    if (passage === 'bytes') await bytes.take({ way: 'tls', door, clientAddress, client: secured })
    else if (secured.alpnProtocol === 'h2') this.#serveHttp2(secured)
    else if (secured.alpnProtocol === 'http/1.1' || passage === 'http') this.#options.http.emit('connection', secured)
    // Nothing is there, and nobody knows what the client speaks.
    else secured.destroy()
  }

  #serveHttp2(secured: TLSSocket): void {
    const { listener, metrics, log } = this.#options
    // Node does not ask sessions what they make of an end: without this a client that only closes its connection would stay for a while.
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

  /** Ends TLS. Undefined: the client did not come through it, and is gone. */
  #secure(socket: Socket, { serverName, bytes }: Hello, passage: Passage): Promise<TLSSocket | undefined> {
    const { promise, resolve } = Promise.withResolvers<TLSSocket | undefined>()
    const ends = endsOf(socket)
    const giveUp = () => resolve(undefined)
    this.#guard.once(socket, 'close', giveUp)
    this.#waiting.set(ends, (secured) => {
      // A session of TLS 1.2 that was resumed does not tell it, or tells the one that it began with.
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

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
