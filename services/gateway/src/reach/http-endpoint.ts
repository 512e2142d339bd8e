import { type ClientRequest, type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ListenerLimits } from '@capstan/contract/limits'
import type { DoorPage } from '@capstan/contract/server-texts'
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
import type { Doors, ReadyDoor } from './doors.ts'
import { guardAnswer, holdsKey, keysName } from './guard.ts'
import { asPairs, asRecord, canHaveBody, isAmbiguous, requestHeaders, responseHeaders } from './headers.ts'
import { readHost } from './host.ts'
import { pageAnswer } from './pages.ts'
import { Relay, type RelayTimings } from './relay.ts'
import { type Exchange, Visit, type VisitOptions } from './visit.ts'

export interface HttpEndpointOptions {
  readonly connections: InstanceConnections
  readonly doors: Doors
  readonly domain: string
  /** Who sends a request, as far as proxies in front are believed. */
  readonly client: (request: IncomingMessage) => HostClient
  readonly timings: RelayTimings & {
    readonly connectMs: number
    readonly lifetimeMs: number
    /** Until the connection of a client is gone whose last request was of an instance that has ended. */
    readonly endMs: number
    /** How long a client behind a proxy has its place after its last request. */
    readonly restMs: number
    /** How long it holds where an instance is, for further connections of the same visit. */
    readonly freshMs: number
  }
  readonly isLeaving: () => boolean
  readonly metrics: GatewayMetrics
  readonly log: GatewayLogger
}

export interface HostClient {
  readonly address: string
  /** By which it came. */
  readonly protocol: 'http' | 'https'
  /** A proxy in front, whose connections are those of many, names the address. */
  readonly isBehindProxy: boolean
}

/** A request for a label whose form and connection are in order. */
interface Asked {
  readonly label: string
  /** As the client named it. */
  readonly host: string
  readonly client: HostClient
}

/** Nothing was opened: the instance asks for its key, which this request does not bring. */
interface Guarded {
  readonly key: string
}

/** A request to an instance, and the guard of the exchange that it belongs to. */
interface Outgoing {
  readonly outgoing: ClientRequest
  readonly guard: Guard
}

type Opened = Visit | Guarded | DoorPage

/** One connection may ask many instances. One that is forgotten is asked for anew by the next request, which counts as another attempt. */
const visitsPerConnectionMax = 64

/** Interim answers (1xx) to a request. They cost the client nothing, so that it is no bound for an instance that sends them without end. */
const informationMax = 1_000

const endVisit = (opened: Opened): void => {
  if (opened instanceof Visit) opened.end()
}

const pageOf: Partial<Record<Refusal['code'], DoorPage>> = {
  'proxy.unreachable': 'starting',
  'instance.none': 'ended',
  'instance.unknown': 'unknown',
  'request.rate-limited': 'crowded',
  'proxy.full': 'crowded',
}

/** HTTP to the host names of instances: read and written by Node's own server and client, passed on request by request. */
export class HttpEndpoint {
  readonly #options: HttpEndpointOptions
  /** By the client's connection, then by label. */
  readonly #visits = new WeakMap<ClientConnection, Map<string, Promise<Opened>>>()
  /** Connections of clients that are being ended: what is asked on them meanwhile is the last. */
  readonly #ending = new WeakSet<ClientConnection>()
  /**
   * Of clients behind proxies, by label, address and the keys that they bring: a proxy sends what comes next on whichever of its
   * connections is idle, and strangers of the same address keep nobody waiting.
   */
  readonly #lasting = new Map<string, Promise<Opened>>()

  constructor(options: HttpEndpointOptions) {
    this.#options = options
  }

  /** Whether a request is for an instance, as it says anywhere, or for no host that can be named. */
  isOurs(request: IncomingMessage): boolean {
    const { domain } = this.#options
    const { url = '' } = request
    if (readHost(hostOf(request), domain).kind !== 'platform') return true
    // An address in full goes before the header (RFC 9112, section 3.2.2).
    return !url.startsWith('/') && readHost(URL.parse(url)?.host, domain).kind === 'instance'
  }

  /** @param waitsForContinue the client sends its body when it is told to */
  async handle(request: IncomingMessage, response: ServerResponse, { waitsForContinue = false } = {}): Promise<void> {
    const admitted = await this.#admit(request)
    // Where a body is still on its way, an end after the answer would break that off.
    const isLast = request.complete && this.#ending.has(connectionOf(request))
    if (isLast || this.#options.isLeaving()) response.shouldKeepAlive = false
    if ('status' in admitted) {
      // Whoever is told to wait may keep the connection; a body that nobody reads may not.
      request.resume()
      if (admitted.status === 400 || admitted.status === 421) response.shouldKeepAlive = false
      sendAnswer(response, admitted)
      return
    }
    // Whoever left meanwhile is not heard to leave.
    if (!isGone(request, response)) this.#forward(admitted.visit, admitted.asked, request, response, waitsForContinue)
  }

  /** A connection of plain HTTP goes on as one of the platform's: it has nothing to do with instances any more. */
  leave(connection: Socket): void {
    this.#visits.delete(connection)
  }

  /** Takes over the socket of a request that asks for a WebSocket. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Whoever upgrades sends no body: what follows would be one to the instance and something else to us, or the other way round.
    const admitted = canHaveBody(request) ? pageAnswer('malformed', request) : await this.#admit(request)
    if ('status' in admitted) refuseUpgrade(socket, admitted)
    else if (!socket.destroyed) this.#forwardUpgrade(admitted.visit, admitted.asked, request, socket, head)
  }

  /** The visit that a request belongs to, or what it is answered in the place of the instance. */
  async #admit(request: IncomingMessage): Promise<{ readonly asked: Asked; readonly visit: Visit } | Answer> {
    const asked = this.#read(request)
    if (typeof asked === 'string') return pageAnswer(asked, request)
    // Twice: it may have waited for a request of the same connection that was a stranger's.
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

  /** Whom a request is for; a page where it must not go on. */
  #read(request: IncomingMessage): Asked | DoorPage {
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

  /** The visit that a request belongs to: that of earlier requests of its client, or a new one. */
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

  /** @param connection that the visits are of; absent: they are of clients behind proxies, and of no connection */
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
    // Another request of the same moment may have begun a new one while this one waited.
    const meanwhile = visits.get(key)
    if (meanwhile !== undefined && meanwhile !== known) return meanwhile
    const forget = () => void (visits.get(key) === opening && visits.delete(key))
    const onEnd =
      connection === undefined ? forget : (isGivenUp: boolean) => void (isGivenUp || this.#letGo(connection, visits, opening))
    const opening = this.#open(asked, request, onEnd).catch((error: unknown): DoorPage => {
      this.#options.log.error({ err: error }, 'A connection could not be opened for an unexpected reason')
      return 'unavailable'
    })
    visits.delete(key)
    visits.set(key, opening)
    if (connection === undefined) {
      // What did not become a visit is asked for by each request anew, as from connections of their own.
      void opening.then((opened) => opened instanceof Visit || forget())
      return opening
    }
    for (const [oldest, left] of visits) {
      if (visits.size <= visitsPerConnectionMax) break
      visits.delete(oldest)
      void left.then((opened) => opened instanceof Visit && opened.retire())
    }
    return opening
  }

  async #open({ label, client }: Asked, request: IncomingMessage, onEnd: VisitOptions['onEnd']): Promise<Opened> {
    const { connections, doors, isLeaving, metrics } = this.#options
    if (isLeaving()) return 'unavailable'
    const isStranger = ({ key }: ReadyDoor) => key !== undefined && !holdsKey(request.headers, key, client.protocol)
    const arrival: Arrival<ReadyDoor> = {
      way: 'http',
      clientAddress: client.address,
      find: () => doors.find({ label }),
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

  /** Apart from what it was opened by, which functions of its own would keep as long as it lasts. */
  #begun(
    target: ReadyDoor,
    { label, client }: Pick<Asked, 'label' | 'client'>,
    events: CarrierEvents,
    onEnd: VisitOptions['onEnd'],
  ): Visit {
    const { connections, doors, timings, log } = this.#options
    const { connectMs, freshMs, restMs, lifetimeMs } = timings
    const isThere = async () => {
      const found = await doors.find({ label })
      if (found === 'server.unavailable') return undefined
      return typeof found === 'object' && found.instanceId === target.instanceId && isSameTarget(found, target)
    }
    const going = { connectMs, freshMs, isThere, onEnd, log }
    if (!client.isBehindProxy)
      return new Visit(target, events, { ...going, takeSeat: () => connections.takeRequestSeat(client.address, target) })
    return new Visit(target, events, {
      ...going,
      takeSeat: () => connections.takeFurtherSeat(client.address, target),
      // Requests that are under way when it retires have the other half.
      lasting: { restMs, retireMs: lifetimeMs / 2 },
    })
  }

  /**
   * The instance of a visit has ended, or is elsewhere: a connection whose last request was of it ends as well, although nothing happens
   * on it. Those of proxies are nobody's, and none of a visit's.
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
      maxHeaderSize: ListenerLimits.headersMaxBytes * 4,
    })
    // Their size bounds their number. Node would drop those beyond a number without a word.
    outgoing.maxHeadersCount = 0
    const guard = new Guard(this.#options.log, outgoing, { destroy: () => exchange.abort() })
    let said = 0
    guard.on(outgoing, 'information', () => {
      said += 1
      if (said > informationMax) outgoing.destroy(new Error('The instance says that it will answer, and does not'))
    })
    return { outgoing, guard }
  }

  /** The same as the client sees it: the request is passed on, the answer comes back. */
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
      // Something in it that Node's client does not say: a character in its path or in a header.
      visit.finish(exchange)
      request.resume()
      sendAnswer(response, pageAnswer('malformed', request))
      return
    }
    const { outgoing, guard } = begun
    let isAnswered = false
    const finish = () => {
      visit.finish(exchange)
      // Of HTTP/2 an answer that was broken off is finished, too.
      if (!response.writableEnded) outgoing.destroy()
    }
    guard.once(response, 'close', finish)
    // Once: an instance may say so without end, and a client may read nothing.
    guard.once(outgoing, 'continue', () => waitsForContinue && !isAnswered && sayContinue(request, response))
    guard.on(outgoing, 'response', (answer: IncomingMessage) => {
      isAnswered = true
      passAnswer(answer, request, response, guard)
    })
    /** It may be elsewhere by now: the next request asks. */
    const giveUp = (): void => {
      visit.retire()
      sendAnswer(response, pageAnswer(visit.isOutOfTouch ? 'unavailable' : 'unanswered', request))
    }
    // An upgrade that nobody asked for.
    guard.on(outgoing, 'upgrade', (_answer: IncomingMessage, socket: Socket) => {
      socket.destroy()
      request.unpipe(outgoing)
      request.resume()
      giveUp()
    })
    guard.on(outgoing, 'error', (error: NodeJS.ErrnoException) => {
      // The rest of a body that the instance did not want.
      request.unpipe(outgoing)
      request.resume()
      if (isAnswered || response.headersSent || response.destroyed) return
      // It closed a connection that had been idle while this was on its way. Nothing was lost: there is no body.
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

const outcomeOf = (opened: Opened): string => {
  if (typeof opened === 'string') return opened
  return opened instanceof Visit ? 'opened' : 'guarded'
}

const isOfHttp2 = (request: IncomingMessage): boolean => request.httpVersionMajor === 2

/** Of HTTP/2 the one thing that is no message of HTTP/1.1. */
type Http2Parts = {
  readonly stream: { readonly session: Http2Connection | undefined; readonly closed: boolean; close(code: number): void }
}

const hostOf = (request: IncomingMessage): string | undefined =>
  (request.headers[':authority'] as string | undefined) ?? request.headers.host

/** The name of the server that the client asked for when TLS began; undefined: TLS does not end here. */
const serverNameOf = ({ socket }: IncomingMessage): string | undefined => {
  const { servername, encrypted } = socket as { readonly servername?: string | false; readonly encrypted?: boolean }
  return encrypted ? (servername || '').toLowerCase() : undefined
}

/** Nobody waits for the answer any more, or it could not be said. */
const isGone = (request: IncomingMessage, response: ServerResponse): boolean =>
  isOfHttp2(request) ? (request as unknown as Http2Parts).stream.closed : response.destroyed || request.socket.writableEnded

const connectionOf = (request: IncomingMessage): ClientConnection =>
  isOfHttp2(request) ? ((request as unknown as Http2Parts).stream.session ?? request.socket) : request.socket

/** Breaks an answer off so that the client knows: not a well-formed end. One that is whole goes its way. */
function cut(response: ServerResponse): void {
  if (response.writableEnded) return
  const { stream } = response as unknown as Partial<Http2Parts>
  // NGHTTP2_CANCEL
  if (stream) stream.close(8)
  else response.destroy()
}

function passBody(request: IncomingMessage, outgoing: ClientRequest, waitsForContinue: boolean, guard: Guard): void {
  // Made again: its end, without a body, was heard by the request that failed.
  if (request.readableEnded) {
    outgoing.end()
    return
  }
  // Headers go at once where the client waits for word about its body.
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
    // HTTP/2 keeps those that it took before it met one that it does not say.
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    sendAnswer(response, pageAnswer('unanswered', request))
    return
  }
  // Streams of events and the like begin before their first byte. What is here already goes out together with the headers.
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

const upgradeHead = (answer: IncomingMessage): string => {
  const lines: string[] = []
  for (let index = 0; index + 1 < answer.rawHeaders.length; index += 2)
    lines.push(`${answer.rawHeaders[index]}: ${answer.rawHeaders[index + 1]}\r\n`)
  const { statusCode = 101, statusMessage } = answer
  return `HTTP/1.1 ${statusCode} ${statusMessage || STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`
}
