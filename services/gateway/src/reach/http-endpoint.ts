import { type ClientRequest, type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ListenerLimits } from '@capstan/contract/limits'
import type { RoutePage } from '@capstan/contract/server-texts'
import { Guard } from '@capstan/http/guard'
import { sayContinue } from '@capstan/http/listener'
import { type Answer, refuseUpgrade, sendAnswer } from '../http/answers.ts'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import {
  type Arrival,
  type CarrierEvents,
  type InstanceConnections,
  isSameTarget,
  type Refusal,
} from '../proxy/instance-connections.ts'
import { type ClientConnection, endClient, type Http2Connection } from './client-end.ts'
import { guardAnswer, hasKey, keysName } from './guard.ts'
import { asPairs, asRecord, canHaveBody, isAmbiguous, requestHeaders, responseHeaders } from './headers.ts'
import { readHost } from './host.ts'
import { pageAnswer } from './pages.ts'
import { Relay, type RelayTimings } from './relay.ts'
import type { ReadyRoute, RouteLookup } from './route-lookup.ts'
import { type Exchange, Visit, type VisitOptions } from './visit.ts'

export type HttpEndpointOptions = Readonly<{
  connections: InstanceConnections
  routes: RouteLookup
  domain: string
  /** Returns the sender of a request, as far as proxies are trusted. */
  client: (request: IncomingMessage) => HostClient
  timings: RelayTimings & {
    readonly connectMs: number
    readonly lifetimeMs: number
    /** Maximum time to end a client's connection after the instance of its last request ended, in ms. */
    readonly endMs: number
    /** Time that a client behind a proxy retains its seat after its last request. */
    readonly restMs: number
    /** Time that the address of an instance is cached for further connections of the same visit. */
    readonly freshMs: number
  }
  isLeaving: () => boolean
  metrics: GatewayMetrics
  log: GatewayLogger
}>

export type HostClient = Readonly<{
  address: string
  protocol: 'http' | 'https'
  /** True if a proxy in front names the address. Its connections carry requests of many clients. */
  isBehindProxy: boolean
}>

/** Well-formed request for a label on a valid connection. */
type Asked = Readonly<{
  label: string
  /** Host name as the client sent it. */
  host: string
  client: HostClient
}>

/** Refused without a connection, because the instance is guarded and the request lacks its key. */
type Guarded = Readonly<{
  key: string
}>

/** Request to an instance, with the guard of its exchange. */
type Outgoing = Readonly<{
  outgoing: ClientRequest
  guard: Guard
}>

type Opened = Visit | Guarded | RoutePage

/** Maximum number of visits per connection. The next request reopens a dropped visit, as another attempt. */
const maxVisitsPerConnection = 64

/** Maximum number of interim answers (1xx) to a request. Clients need not read them, so back-pressure does not limit them. */
const maxInterimAnswers = 1_000

function endVisit(opened: Opened): void {
  if (opened instanceof Visit) opened.end()
}

const pageOf: Partial<Record<Refusal['code'], RoutePage>> = {
  'proxy.unreachable': 'starting',
  'instance.none': 'ended',
  'instance.unknown': 'unknown',
  'request.rate-limited': 'crowded',
  'proxy.full': 'crowded',
}

/** Forwards HTTP to the host names of instances, request by request, with Node's server and client. */
export class HttpEndpoint {
  readonly #options: HttpEndpointOptions
  /** Visits by client connection and label. */
  readonly #visits = new WeakMap<ClientConnection, Map<string, Promise<Opened>>>()
  /** Client connections that are being closed. Requests that still arrive are the last. */
  readonly #ending = new WeakSet<ClientConnection>()
  /**
   * Visits of clients behind proxies, by label, address and keys. A proxy sends the next request on any idle connection.
   * Strangers with the same address must not delay others.
   */
  readonly #lasting = new Map<string, Promise<Opened>>()

  constructor(options: HttpEndpointOptions) {
    this.#options = options
  }

  /** True if a request names an instance anywhere, or has an invalid host. */
  isOurs(request: IncomingMessage): boolean {
    const { domain } = this.#options
    const { url = '' } = request
    if (readHost(hostOf(request), domain).kind !== 'platform') return true
    // An absolute address overrides the header (RFC 9112, section 3.2.2).
    return !url.startsWith('/') && readHost(URL.parse(url)?.host, domain).kind === 'instance'
  }

  /** @param waitsForContinue true if the client sends its body only after 100 Continue */
  async handle(request: IncomingMessage, response: ServerResponse, { waitsForContinue = false } = {}): Promise<void> {
    const admitted = await this.#admit(request)
    // While a body arrives, closing after the answer would interrupt the body.
    const isLast = request.complete && this.#ending.has(connectionOf(request))
    if (isLast || this.#options.isLeaving()) response.shouldKeepAlive = false
    if ('status' in admitted) {
      // On 429 keep the connection open and drain the unread body. After a malformed or misdirected request close it.
      request.resume()
      if (admitted.status === 400 || admitted.status === 421) response.shouldKeepAlive = false
      sendAnswer(response, admitted)
      return
    }
    if (!isClosed(request, response)) this.#forward(admitted.visit, admitted.asked, request, response, waitsForContinue)
  }

  /** Forgets a plain HTTP connection that continues with requests to the platform. */
  leave(connection: Socket): void {
    this.#visits.delete(connection)
  }

  /** Handles the socket of a WebSocket request. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // An upgrade has no body. With a body, instance and gateway could disagree about the following bytes.
    const admitted = canHaveBody(request) ? pageAnswer('malformed', request) : await this.#admit(request)
    if ('status' in admitted) refuseUpgrade(socket, admitted)
    else if (!socket.destroyed) this.#forwardUpgrade(admitted.visit, admitted.asked, request, socket, head)
  }

  async #admit(request: IncomingMessage): Promise<{ readonly asked: Asked; readonly visit: Visit } | Answer> {
    const asked = this.#read(request)
    if (typeof asked === 'string') return pageAnswer(asked, request)
    // Try twice: the request may have waited for a refused request on the same connection.
    for (let tries = 0; tries < 2; tries += 1) {
      const opened = await this.#visit(asked, request)
      if (typeof opened === 'string') return pageAnswer(opened, request)
      const { key } = opened instanceof Visit ? opened.target : opened
      const stopped = key === undefined ? undefined : guardAnswer(request, key, asked.client.protocol)
      if (stopped) return stopped
      if (opened instanceof Visit) return { asked, visit: opened }
    }
    return pageAnswer('unavailable', request)
  }

  #read(request: IncomingMessage): Asked | RoutePage {
    if (isAmbiguous(request)) return 'malformed'
    const host = hostOf(request) ?? ''
    const owner = readHost(host, this.#options.domain)
    if (owner.kind === 'malformed') return 'malformed'
    const serverName = serverNameOf(request)
    if (owner.kind === 'platform') return 'elsewhere'
    if (owner.label === undefined) return 'unknown'
    if (serverName !== undefined && serverName !== `${owner.label}.${this.#options.domain}`) return 'elsewhere'
    return { label: owner.label, host, client: this.#options.client(request) }
  }

  /** Returns the visit of earlier requests of the client, or a new one. */
  async #visit(asked: Asked, request: IncomingMessage): Promise<Opened> {
    const { label, client } = asked
    const connection = connectionOf(request)
    if (!client.isBehindProxy) return this.#visitOf(this.#visitsOn(connection), label, asked, request, connection)
    const place = `${label} ${client.address} ${keysName(request.headers, client.protocol)}`
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

  /** @param connection connection of the visits, or undefined for clients behind proxies */
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
    // A concurrent request may have opened a new visit during the wait.
    const current = visits.get(key)
    if (current !== undefined && current !== known) return current
    const forget = () => void (visits.get(key) === opening && visits.delete(key))
    const onEnd =
      connection === undefined ? forget : (isGivenUp: boolean) => void (isGivenUp || this.#letGo(connection, visits, opening))
    const opening = this.#open(asked, request, onEnd).catch((error: unknown): RoutePage => {
      this.#options.log.error({ err: error }, 'A connection could not be opened for an unexpected reason')
      return 'unavailable'
    })
    visits.delete(key)
    visits.set(key, opening)
    if (connection === undefined) {
      // Do not cache a refusal: each request asks again, as separate connections would.
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
    const { connections, routes, isLeaving, metrics } = this.#options
    if (isLeaving()) return 'unavailable'
    const isStranger = ({ key }: ReadyRoute) => key !== undefined && !hasKey(request.headers, key, client.protocol)
    const arrival: Arrival<ReadyRoute> = {
      way: 'http',
      clientAddress: client.address,
      find: () => routes.find({ label }),
      isStranger,
    }
    const outcome = await connections.enter(arrival, (entered): Opened => {
      const { target, leaveSeat } = entered
      const isByBytes = target.isRaw || target.hasOwnCertificate || target.speaks !== 'http'
      if (isByBytes || isLeaving() || (connectionOf(request).destroyed && !client.isBehindProxy)) {
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

  /** Begins a visit. A separate method, because closures of its caller would be retained for the whole visit. */
  #begun(
    target: ReadyRoute,
    { label, client }: Pick<Asked, 'label' | 'client'>,
    events: CarrierEvents,
    onEnd: VisitOptions['onEnd'],
  ): Visit {
    const { connections, routes, timings, log } = this.#options
    const { connectMs, freshMs, restMs, lifetimeMs } = timings
    const isThere = async () => {
      const found = await routes.find({ label })
      if (found === 'server.unavailable') return undefined
      return typeof found === 'object' && found.instanceId === target.instanceId && isSameTarget(found, target)
    }
    const going = { connectMs, freshMs, isThere, onEnd, log }
    if (!client.isBehindProxy)
      return new Visit(target, events, { ...going, takeSeat: () => connections.takeRequestSeat(client.address, target) })
    return new Visit(target, events, {
      ...going,
      takeSeat: () => connections.takeFurtherSeat(client.address, target),
      // Pending requests get the other half when it retires.
      lasting: { restMs, retireMs: lifetimeMs / 2 },
    })
  }

  /**
   * Ends a connection whose last request was for an instance that ended or moved. Connections of proxies remain, because they
   * belong to no single visit.
   */
  #letGo(connection: ClientConnection, visits: ReadonlyMap<string, Promise<Opened>>, opening: Promise<Opened>): void {
    const last = () => [...visits.values()].at(-1)
    if (connection.destroyed || this.#visits.get(connection) !== visits || last() !== opening) return
    this.#ending.add(connection)
    const { timings, log } = this.#options
    endClient(connection, timings.endMs, new Guard(log, connection), async () => {
      if (this.#visits.get(connection) !== visits) return true
      const opened = await last()
      return opened instanceof Visit && opened.isOpen
    })
  }

  #begin(visit: Visit, asked: Asked, request: IncomingMessage, exchange: Exchange, isUpgrade = false): Outgoing {
    const { host, client } = asked
    const { domain } = this.#options
    const headers = requestHeaders(request, {
      clientAddress: client.address,
      protocol: client.protocol,
      host,
      domain,
      isUpgrade,
    })
    const outgoing = visit.request({
      method: request.method,
      path: request.url,
      headers,
      setHost: false,
      maxHeaderSize: ListenerLimits.maxHeadersBytes * 4,
    })
    // The size limit also limits the number of headers. With a count limit, Node would silently drop headers.
    outgoing.maxHeadersCount = 0
    const guard = new Guard(this.#options.log, outgoing, { destroy: () => exchange.abort() })
    let said = 0
    guard.on(outgoing, 'information', () => {
      said += 1
      if (said > maxInterimAnswers) outgoing.destroy(new Error('The instance sent too many interim answers'))
    })
    return { outgoing, guard }
  }

  /** Forwards a request and its answer. */
  #forward(
    visit: Visit,
    asked: Asked,
    request: IncomingMessage,
    response: ServerResponse,
    waitsForContinue: boolean,
    isRepeated = false,
  ): void {
    const exchange: Exchange = { abort: () => cut(response) }
    if (!visit.begin(exchange)) {
      request.resume()
      sendAnswer(response, pageAnswer('crowded', request))
      return
    }
    let begun: Outgoing
    try {
      begun = this.#begin(visit, asked, request, exchange)
    } catch {
      // Node's client refuses a character of the path or of a header.
      visit.finish(exchange)
      request.resume()
      sendAnswer(response, pageAnswer('malformed', request))
      return
    }
    const { outgoing, guard } = begun
    let isAnswered = false
    const finish = () => {
      visit.finish(exchange)
      // In HTTP/2, interrupted answers also count as finished.
      if (!response.writableEnded) outgoing.destroy()
    }
    guard.once(response, 'close', finish)
    // Send this answer only once. An instance may repeat it without end, and the client may read nothing.
    guard.once(outgoing, 'continue', () => waitsForContinue && !isAnswered && sayContinue(request, response))
    guard.on(outgoing, 'response', (answer: IncomingMessage) => {
      isAnswered = true
      passAnswer(answer, request, response, guard)
    })
    /** The instance may have moved, so the next request asks for its address. */
    const giveUp = (): void => {
      visit.retire()
      sendAnswer(response, pageAnswer(visit.isOutOfTouch ? 'unavailable' : 'unanswered', request))
    }
    // The client did not request this upgrade.
    guard.on(outgoing, 'upgrade', (_answer: IncomingMessage, socket: Socket) => {
      socket.destroy()
      request.unpipe(outgoing)
      request.resume()
      giveUp()
    })
    guard.on(outgoing, 'error', (error: NodeJS.ErrnoException) => {
      // Drain the rest of a body that the instance did not read.
      request.unpipe(outgoing)
      request.resume()
      if (isAnswered || response.headersSent || response.destroyed) return
      // The instance closed an idle connection while the request was sent. The request has no body, so it can be repeated.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !isRepeated && !canHaveBody(request)) {
        visit.finish(exchange)
        response.off('close', finish)
        this.#forward(visit, asked, request, response, waitsForContinue, true)
        return
      }
      giveUp()
    })
    passBody(request, outgoing, waitsForContinue, guard)
  }

  #forwardUpgrade(visit: Visit, asked: Asked, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { metrics, timings, log } = this.#options
    const exchange: Exchange = { abort: () => socket.destroy() }
    if (!visit.begin(exchange)) {
      refuseUpgrade(socket, pageAnswer('crowded', request))
      return
    }
    const finish = () => visit.finish(exchange)
    let begun: Outgoing
    try {
      begun = this.#begin(visit, asked, request, exchange, true)
    } catch {
      finish()
      refuseUpgrade(socket, pageAnswer('malformed', request))
      return
    }
    const { outgoing, guard } = begun
    const giveUp = () => {
      outgoing.destroy()
      finish()
    }
    guard.once(socket, 'close', giveUp)
    guard.on(outgoing, 'upgrade', (answer: IncomingMessage, container: Socket, containerHead: Buffer) => {
      socket.off('close', giveUp)
      if (socket instanceof Socket) {
        socket.setTimeout(0)
        socket.setNoDelay(true)
        socket.setKeepAlive(true, 30_000)
      }
      socket.write(upgradeHead(answer), 'latin1')
      if (containerHead.length > 0) socket.write(containerHead)
      const onStalled = () => metrics.refusals.inc({ limit: 'slow-reader' })
      // The visit counts the bytes of its connections to the instance.
      new Relay({ client: socket, head, container, timings, onStalled, log, onBytes: () => {}, onEnd: finish })
    })
    let isAnswered = false
    guard.on(outgoing, 'response', (answer: IncomingMessage) => {
      isAnswered = true
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket as Socket)
      guard.once(response, 'finish', () => socket.end())
      passAnswer(answer, request, response, guard)
    })
    guard.on(outgoing, 'error', () => {
      if (socket.destroyed || isAnswered) return
      visit.retire()
      refuseUpgrade(socket, pageAnswer('unanswered', request))
    })
    outgoing.end()
  }
}

function outcomeOf(opened: Opened): string {
  if (typeof opened === 'string') return opened
  return opened instanceof Visit ? 'opened' : 'guarded'
}

function isOfHttp2(request: IncomingMessage): boolean {
  return request.httpVersionMajor === 2
}

/** Parts of an HTTP/2 request that HTTP/1.1 does not have. */
type Http2Parts = {
  readonly stream: Readonly<{ session: Http2Connection | undefined; closed: boolean; close(code: number): void }>
}

function hostOf(request: IncomingMessage): string | undefined {
  return (request.headers[':authority'] as string | undefined) ?? request.headers.host
}

/** Returns the TLS server name of the client, or undefined if TLS does not end here. */
function serverNameOf({ socket }: IncomingMessage): string | undefined {
  const { servername, encrypted } = socket as { readonly servername?: string | false; readonly encrypted?: boolean }
  return encrypted ? (servername || '').toLowerCase() : undefined
}

/** True if the client no longer waits for the answer, or it cannot be sent. */
function isClosed(request: IncomingMessage, response: ServerResponse): boolean {
  return isOfHttp2(request)
    ? (request as unknown as Http2Parts).stream.closed
    : response.destroyed || request.socket.writableEnded
}

function connectionOf(request: IncomingMessage): ClientConnection {
  return isOfHttp2(request) ? ((request as unknown as Http2Parts).stream.session ?? request.socket) : request.socket
}

/** Interrupts an incomplete answer, so that the client notices. Complete answers are unchanged. */
function cut(response: ServerResponse): void {
  if (response.writableEnded) return
  const { stream } = response as unknown as Partial<Http2Parts>
  // Code of NGHTTP2_CANCEL.
  if (stream) stream.close(8)
  else response.destroy()
}

function passBody(request: IncomingMessage, outgoing: ClientRequest, waitsForContinue: boolean, guard: Guard): void {
  // The failed first attempt has already received the end of a bodiless request.
  if (request.readableEnded) {
    outgoing.end()
    return
  }
  // Send the headers at once if the client waits for 100 Continue.
  if (waitsForContinue) outgoing.flushHeaders()
  if (!canHaveBody(request)) {
    outgoing.end()
    request.resume()
    return
  }
  request.pipe(outgoing, { end: false })
  guard.once(request, 'end', () => {
    const trailers = asPairs(request.rawTrailers)
    if (trailers.length > 0 && outgoing.chunkedEncoding) outgoing.addTrailers(trailers)
    outgoing.end()
  })
  guard.once(request, 'close', () => {
    if (!request.complete) outgoing.destroy()
  })
}

function passAnswer(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse, guard: Guard): void {
  const { statusCode = 502, statusMessage } = answer
  const isChunked =
    answer.headers['transfer-encoding'] !== undefined && request.method !== 'HEAD' && request.httpVersion !== '1.0'
  const headers = responseHeaders(answer, isChunked)
  response.sendDate = false
  try {
    if (isOfHttp2(request)) response.writeHead(statusCode, asRecord(headers))
    else response.writeHead(statusCode, statusMessage, headers)
  } catch {
    answer.destroy()
    // HTTP/2 retains the headers that were set before an invalid one.
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    sendAnswer(response, pageAnswer('unanswered', request))
    return
  }
  // Event streams send their headers before the first byte. Available bytes are sent together with the headers.
  setImmediate(() =>
    guard.run(() => {
      if (!response.destroyed && !response.writableEnded) response.flushHeaders()
    }),
  )
  answer.pipe(response, { end: false })
  guard.once(answer, 'end', () => {
    const trailers = asPairs(answer.rawTrailers)
    if (trailers.length > 0 && isChunked)
      response.addTrailers(isOfHttp2(request) ? Object.fromEntries(trailers) : (trailers as never))
    response.end()
  })
  guard.once(answer, 'close', () => {
    if (!answer.complete) cut(response)
  })
  guard.on(answer, 'error', () => cut(response))
}

function upgradeHead(answer: IncomingMessage): string {
  const lines: string[] = []
  for (let index = 0; index + 1 < answer.rawHeaders.length; index += 2)
    lines.push(`${answer.rawHeaders[index]}: ${answer.rawHeaders[index + 1]}\r\n`)
  const { statusCode = 101, statusMessage } = answer
  return `HTTP/1.1 ${statusCode} ${statusMessage || STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`
}
