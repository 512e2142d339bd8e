import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ListenerLimits as defaultLimits, GatewayBounds } from '@capstan/contract/limits'
import { AddressLimit, type ListenerClients } from './address-limit.ts'
import { type FailureLog, Guard, ignoreSocketErrors } from './guard.ts'

/** Limits of a listener, see `@capstan/contract/limits`. Tests use shorter limits. */
export type ListenerLimits = { readonly [Name in keyof typeof defaultLimits]: number }

interface OpenBody {
  readonly response: ServerResponse
  readonly guard: Guard
  readonly isUpload: boolean
  isAnswered: boolean
  checkedAtMs: number
  bytesRead: number
  /** Time that the body has taken so far, in ms. It must not exceed `bodyMs`. In an upload, received bytes reduce this time. */
  lateMs: number
}

/** Parts of an HTTP/2 request that HTTP/1.1 does not have. */
type Http2Part = {
  readonly stream?: Duplex &
    Readonly<{
      endAfterHeaders?: boolean
      session: { destroy(): void } | undefined
      close(code: number): void
    }>
}

/** True if a request has a body. An HTTP/2 request without a length has a body if its headers do not end the stream. */
function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    (request.headers['content-length'] ?? '0') !== '0' ||
    (request as Http2Part).stream?.endAfterHeaders === false
  )
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/form-data') ?? false
}

function emptyAnswer(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
}

/** Error codes REFUSED_STREAM and CANCEL of HTTP/2 (RFC 9113). */
const [refusedStream, cancelled] = [7, 8]

function cut(request: IncomingMessage, response: ServerResponse, status: string): void {
  const { stream } = request as Http2Part
  if (stream) {
    stream.close(cancelled)
    return
  }
  const { socket } = request
  if (!response.headersSent && response.socket === socket) socket.write(emptyAnswer(status))
  socket.destroySoon()
}

/**
 * Refuses a request whose client has too many concurrent requests. Ends the connection of a direct client, so that none of its
 * pipelined requests remains in memory. A hop gets a response instead, because its connection may carry requests of other clients.
 */
function refuseRequest(request: IncomingMessage, response: ServerResponse, isFromHop: boolean): void {
  const { stream } = request as Http2Part
  if (!isFromHop) {
    const connection = stream ? stream.session : request.socket
    connection?.destroy()
    return
  }
  if (stream) {
    stream.close(refusedStream)
    return
  }
  const headers = { 'retry-after': String(GatewayBounds.retryAfterSeconds), 'content-length': 0, connection: 'close' }
  request.resume()
  response.writeHead(429, headers).end()
}

/** True if the listener has refused a request, or if its connection or stream has ended. */
export function isRequestOver(request: IncomingMessage, response: ServerResponse): boolean {
  const { stream } = request as Http2Part
  return response.headersSent || (stream ? stream.closed : request.socket.destroyed)
}

/**
 * Calls `refuse` once if a request body arrives in too many small pieces, and drops its further pieces. The pieces are
 * counted in `push`, because a `data` listener would start to read the body. The buffers limit only bytes and would
 * store any number of pieces. Therefore, a piece is counted before it enters the first buffer (in HTTP/2, the buffer of
 * the stream).
 */
function limitPieces(request: IncomingMessage, { minPieceBytes, maxSmallPieces }: ListenerLimits, refuse: () => void): void {
  /** Counter that rises with each small piece and falls with each large piece. */
  let excess = 0
  let isRefused = false
  const first = (request as Http2Part).stream ?? request
  const { push } = first
  Object.assign(first, {
    push(piece: Buffer | null): boolean {
      if (isRefused) return false
      if (piece !== null) excess = Math.max(0, excess + 1 - piece.length / minPieceBytes)
      isRefused = excess > maxSmallPieces
      if (!isRefused) return push.call(first, piece)
      refuse()
      return false
    },
  })
}

/**
 * Ends connections whose request body is too slow or has too many small pieces. Node's `requestTimeout` cannot replace
 * this time limit, because it is the same for all requests. It would have to be several hours long, so that uploads
 * over slow connections succeed.
 */
function createBodyWatch(limits: ListenerLimits, { isUpload = () => false, onCut, log }: ListenerOptions) {
  const { bodyMs, uploadBytesPerSecond } = limits
  const open = new Map<IncomingMessage, OpenBody>()

  const isTooLate = (request: IncomingMessage, body: OpenBody, nowMs: number): boolean => {
    const { response } = body
    const elapsedMs = nowMs - body.checkedAtMs
    const receivedBytes = request.socket.bytesRead - body.bytesRead
    body.checkedAtMs = nowMs
    body.bytesRead = request.socket.bytesRead
    // The response is complete, so all data that still arrives is discarded. Apply the normal time limit to this data.
    if (response.writableFinished && !body.isAnswered) Object.assign(body, { isAnswered: true, lateMs: 0 })
    // The buffer is full, so the client waits for this process. Do not count this time.
    if (!body.isAnswered && request.readableLength >= request.readableHighWaterMark) return false
    const allowedMs = body.isUpload && !body.isAnswered ? (receivedBytes / uploadBytesPerSecond) * 1_000 : 0
    body.lateMs = Math.max(0, body.lateMs + elapsedMs - allowedMs)
    return body.lateMs > bodyMs
  }

  const end = (request: IncomingMessage, response: ServerResponse, reason: CutReason, status: string): void => {
    open.delete(request)
    onCut?.(reason)
    cut(request, response, status)
  }

  return {
    watch(request: IncomingMessage, response: ServerResponse): void {
      if (!hasBody(request)) return
      const guard = new Guard(log, request)
      open.set(request, {
        response,
        guard,
        isUpload: isForm(request) || isUpload(request),
        isAnswered: false,
        checkedAtMs: performance.now(),
        bytesRead: request.socket.bytesRead,
        lateMs: 0,
      })
      guard.once(request, 'close', () => open.delete(request))
      limitPieces(request, limits, () => guard.run(() => end(request, response, 'small-pieces', '400 Bad Request')))
    },
    sweep(): void {
      const nowMs = performance.now()
      for (const [request, body] of open)
        body.guard.run(() => {
          if (request.complete || request.socket.destroyed) open.delete(request)
          else if (isTooLate(request, body, nowMs)) end(request, body.response, 'slow-body', '408 Request Timeout')
        })
    },
  }
}

/**
 * Reason why a connection was ended: `stalled` during a call, `idle` between calls. `listener-address` and `listener-requests`
 * mean that the client's address has too many connections or requests.
 */
export type CutReason =
  | 'slow-headers'
  | 'slow-body'
  | 'small-pieces'
  | 'pipelined-requests'
  | 'stalled'
  | 'idle'
  | 'listener-address'
  | 'listener-requests'

export type ListenerOptions = Readonly<{
  onCut?: (reason: CutReason) => void
  /**
   * Returns true if the time limit of the request grows with the received bytes. The time limit of a multipart form
   * always grows.
   */
  isUpload?: (request: IncomingMessage) => boolean
  /** By default, no hop is trusted, so each peer counts as a client. */
  clients?: ListenerClients | undefined
  log?: FailureLog | undefined
}>

/**
 * True if a request asks for an upgrade to WebSocket, even if the handshake is malformed. Upgrades to other protocols are ignored,
 * as HTTP allows.
 */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return (headers.upgrade ?? '').toLowerCase() === 'websocket'
}

/** Returns the response that a socket is sending. Node stores this response in an internal field of the socket. */
export function findCurrentResponse(socket: Socket): ServerResponse | undefined {
  return (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

/**
 * Decides whether a request may upgrade its connection. If an earlier response is incomplete, destroys the connection,
 * because the upgrade would write into this response. Node still manages the socket at this time, so Node also closes
 * the pending requests and responses of the connection.
 */
function mayUpgrade(server: Server, request: IncomingMessage): boolean {
  if (server.listenerCount('upgrade') === 0 || !asksForWebSocket(request)) return false
  if (!findCurrentResponse(request.socket)) return true
  request.socket.destroy()
  return false
}

/**
 * Until an upgrade is accepted, ends the upgraded connection if it makes no progress for the time limit of a call. The code that
 * accepts an upgrade disables the timer with `setTimeout(0)`, as `ws` does. Without this listener the timer has no effect, because
 * Node removes the listener of its server.
 */
function limitUpgrade(server: Server, socket: Socket): void {
  new Guard(undefined, socket).on(socket, 'timeout', () => {
    server.emit('timeout', socket)
    socket.destroy()
  })
}

/**
 * Protects a server that accepts upgrades. Errors of sockets are caught, no upgrade interrupts a response, and a connection ends if
 * its upgrade is neither accepted nor refused.
 * @param onAsked called for each request that asks for an upgrade
 */
export function protectUpgradeSockets(server: Server, onAsked: (request: IncomingMessage) => void = () => {}): void {
  if (server.listeners('connection').includes(ignoreSocketErrors)) return
  new Guard(undefined).on(server, 'connection', ignoreSocketErrors)
  Object.assign(server, {
    shouldUpgradeCallback(request: IncomingMessage): boolean {
      onAsked(request)
      const isUpgrade = mayUpgrade(server, request)
      if (isUpgrade) limitUpgrade(server, request.socket)
      return isUpgrade
    },
  })
}

/**
 * Sends `100 Continue` if the connection currently belongs to this response. If the connection belongs to an earlier response, ends
 * the connection, because `100 Continue` would become part of that response. In HTTP/2, ends only the stream.
 */
export function send100Continue(request: IncomingMessage, response: ServerResponse): boolean {
  if (response.headersSent) return false
  const { stream } = request as Http2Part
  const isAlive = stream ? !stream.closed && !stream.destroyed : response.socket === request.socket && request.socket.writable
  if (isAlive) response.writeContinue()
  else if (stream) stream.close(cancelled)
  else request.socket.destroy()
  return isAlive
}

/**
 * Creates a function that makes each response emit `close`, at the latest when the connection or stream of the response
 * closes. Node itself does not emit `close` for queued responses of a connection that a CONNECT ends. It also omits
 * `close` for an HTTP/2 response to a HEAD request that the client cancels. The function returns the number of open
 * responses of the HTTP/1.1 connection or HTTP/2 stream, including this response.
 */
function createCloseWatch(log: FailureLog | undefined) {
  const openResponses = new WeakMap<Socket, Set<ServerResponse>>()
  const guard = new Guard(log)

  const closeAll = (responses: Set<ServerResponse>) => {
    // Node emits its own events first.
    setImmediate(() => {
      for (const response of responses) response.emit('close')
    })
  }
  const responsesOf = (socket: Socket): Set<ServerResponse> => {
    const known = openResponses.get(socket)
    if (known) return known
    const responses = new Set<ServerResponse>()
    openResponses.set(socket, responses)
    guard.once(socket, 'close', () => closeAll(responses))
    return responses
  }
  return (request: IncomingMessage, response: ServerResponse): number => {
    const { stream } = request as Http2Part
    const responses = stream ? new Set<ServerResponse>() : responsesOf(request.socket)
    responses.add(response)
    guard.once(response, 'close', () => responses.delete(response))
    if (stream) guard.once(stream, 'close', () => closeAll(responses))
    return responses.size
  }
}

/**
 * Reports ended connections. Intercepts `emit`, because listeners would change the behavior of Node. If `clientError` or `timeout`
 * has a listener, Node itself neither responds to the client nor ends the connection.
 */
function observeCuts(server: Server, { stalledMs }: ListenerLimits, onCut: (reason: CutReason) => void): void {
  const { emit } = server
  const look = (event: unknown, first: unknown): void => {
    if (event === 'clientError' && (first as NodeJS.ErrnoException).code === 'ERR_HTTP_REQUEST_TIMEOUT') onCut('slow-headers')
    if (event === 'timeout') onCut((first as Socket).timeout === stalledMs ? 'stalled' : 'idle')
  }
  Object.assign(server, {
    emit(...args: unknown[]): boolean {
      look(args[0], args[1])
      return Reflect.apply(emit, server, args)
    },
  })
}

/**
 * Creates an HTTP server that clients can neither block nor crash. All listeners of the platform use it. A `checkContinue`
 * listener must answer its requests itself, with `send100Continue`, unless `isRequestOver` is true.
 */
export function createLimitedServer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  limits: ListenerLimits = defaultLimits,
  listenerOptions: ListenerOptions = {},
): Server {
  const { clients = { trustedProxies: false }, onCut = () => {}, log } = listenerOptions
  const max = clients.connectionsPerAddress ?? limits.maxConnectionsPerAddress
  const addresses = new AddressLimit({ clients, max, onRefused: onCut, log })
  const watchClose = createCloseWatch(log)
  const bodies = createBodyWatch(limits, listenerOptions)
  const guard = new Guard(log)
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.sweepMs,
    maxHeaderSize: limits.maxHeadersBytes,
    // `begin` refuses requests without a Host, after it has counted them. Otherwise, Node would refuse them uncounted.
    requireHostHeader: false,
  })
  protectUpgradeSockets(server, (request) => void addresses.readClientAddress(request))
  guard.on(server, 'connection', (socket: Socket) => addresses.takeConnection(socket))
  const begin = (request: IncomingMessage, response: ServerResponse): boolean => {
    // Ignore a request whose connection was destroyed. Node still parses pipelined requests of such a connection.
    if (request.socket.destroyed) return false
    const isPipelined = watchClose(request, response) > limits.maxPipelinedRequests
    if (isPipelined) onCut('pipelined-requests')
    if (isPipelined || !addresses.takeRequest(request, response)) {
      refuseRequest(request, response, addresses.isFromHop(request))
      return false
    }
    // RFC 9112, section 3.2
    if (request.httpVersion === '1.1' && request.headers.host === undefined) {
      response.writeHead(400, { connection: 'close' }).end()
      return false
    }
    bodies.watch(request, response)
    return true
  }
  guard.on(server, 'request', (request: IncomingMessage, response: ServerResponse) => {
    if (begin(request, response)) return answer(request, response)
    return undefined
  })
  // Node emits no `request` for a request that expects `100 Continue`, because `checkContinue` has a listener.
  guard.on(server, 'checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!begin(request, response) || server.listenerCount('checkContinue') > 1) return
    return send100Continue(request, response) && answer(request, response)
  })
  // Respond as Node does, but also count the request. Node emits no `request` for a request with an unknown `Expect`,
  // even without this listener.
  guard.on(server, 'checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    if (begin(request, response)) response.writeHead(417).end()
  })
  // Disable the limit on the number of headers. Otherwise, Node would silently drop the headers above the limit, such as
  // X-Forwarded-For. The size limit also limits the number of headers.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.timeout = limits.stalledMs
  if (listenerOptions.onCut) observeCuts(server, limits, listenerOptions.onCut)
  guard.once(server, 'listening', () => {
    const timer = setInterval(bodies.sweep, limits.sweepMs).unref()
    guard.once(server, 'close', () => clearInterval(timer))
  })
  return server
}
