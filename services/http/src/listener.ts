import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ListenerLimits as defaultLimits } from '@capstan/contract/limits'
import { type FailureLog, Guard, surviveErrors } from './guard.ts'

/** See `@capstan/contract/limits`. Tests pass shorter ones. */
export type ListenerLimits = { readonly [Name in keyof typeof defaultLimits]: number }

interface OpenBody {
  readonly response: ServerResponse
  readonly guard: Guard
  readonly isUpload: boolean
  isAnswered: boolean
  lookedAtMs: number
  bytesRead: number
  /** Time that the client has taken beyond what its bytes pay for. */
  lateMs: number
}

/** What of HTTP/2 is no message of HTTP/1.1. */
type Http2Part = {
  readonly stream?: {
    readonly endAfterHeaders?: boolean
    readonly closed: boolean
    readonly destroyed: boolean
    close(code: number): void
  }
}

/** A request of HTTP/2 that names no length has a body where its headers do not end it. */
const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined ||
  (request.headers['content-length'] ?? '0') !== '0' ||
  (request as Http2Part).stream?.endAfterHeaders === false

const isForm = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.toLowerCase().startsWith('multipart/form-data') ?? false

const timedOut = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** NGHTTP2_CANCEL */
const cancelled = 8

/** Ends the connection as the server itself does after slow headers, with an answer where none is under way; of HTTP/2 one stream. */
const cut = (request: IncomingMessage, response: ServerResponse): void => {
  const { stream } = request as Http2Part
  if (stream) {
    stream.close(cancelled)
    return
  }
  const { socket } = request
  if (!response.headersSent && response.socket === socket) socket.write(timedOut)
  socket.destroySoon()
}

/**
 * Ends connections whose bodies come too slowly. Node has one time for all bodies (`requestTimeout`): what an honest upload needs
 * on a slow line would be hours for everybody else.
 */
const createBodyWatch = (
  { bodyMs, uploadBytesPerSecond }: ListenerLimits,
  { isUpload = () => false, onCut, log }: ListenerOptions,
) => {
  const open = new Map<IncomingMessage, OpenBody>()

  const isTooLate = (request: IncomingMessage, body: OpenBody, nowMs: number): boolean => {
    const { response } = body
    const elapsedMs = nowMs - body.lookedAtMs
    const cameBytes = request.socket.bytesRead - body.bytesRead
    body.lookedAtMs = nowMs
    body.bytesRead = request.socket.bytesRead
    // What comes after the answer is thrown away: it gets the plain time, however it was announced.
    if (response.writableFinished && !body.isAnswered) Object.assign(body, { isAnswered: true, lateMs: 0 })
    // A full buffer waits for us, not for the client.
    if (!body.isAnswered && request.readableLength >= request.readableHighWaterMark) return false
    const paidMs = body.isUpload && !body.isAnswered ? (cameBytes / uploadBytesPerSecond) * 1_000 : 0
    body.lateMs = Math.max(0, body.lateMs + elapsedMs - paidMs)
    return body.lateMs > bodyMs
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
        lookedAtMs: performance.now(),
        bytesRead: request.socket.bytesRead,
        lateMs: 0,
      })
      guard.once(request, 'close', () => open.delete(request))
    },
    sweep(): void {
      const nowMs = performance.now()
      for (const [request, body] of open)
        body.guard.run(() => {
          if (request.complete || request.socket.destroyed) open.delete(request)
          else if (isTooLate(request, body, nowMs)) {
            open.delete(request)
            onCut?.('slow-body')
            cut(request, body.response)
          }
        })
    },
  }
}

/** Why a connection was ended: `stalled` stood still in a call, `idle` had none. */
export type CutReason = 'slow-headers' | 'slow-body' | 'stalled' | 'idle'

export interface ListenerOptions {
  readonly onCut?: (reason: CutReason) => void
  /** Bodies beside forms that may take as long as their bytes pay for. */
  readonly isUpload?: (request: IncomingMessage) => boolean
  readonly log?: FailureLog | undefined
}

/** True if a request asks for a WebSocket, well formed or not. Other protocols are ignored, as HTTP allows. */
const asksForWebSocket = ({ headers }: IncomingMessage): boolean => (headers.upgrade ?? '').toLowerCase() === 'websocket'

/** Node notes there which answer a socket carries. */
export const answerUnderWay = (socket: Socket): ServerResponse | undefined =>
  (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? undefined

/**
 * Decides ahead of all `upgrade` listeners of a server. An upgrade that was sent ahead, behind a request
 * whose answer is still under way, would write into that answer: its connection is destroyed. Node still owns the socket here, so that
 * every waiting exchange of it is closed.
 */
const mayUpgrade = (server: Server, request: IncomingMessage): boolean => {
  if (server.listenerCount('upgrade') === 0 || !asksForWebSocket(request)) return false
  if (!answerUnderWay(request.socket)) return true
  request.socket.destroy()
  return false
}

/** For every server whose sockets may be handed over: no error of a socket is uncaught, and no upgrade interrupts an answer. */
export const protectSockets = (server: Server): void => {
  if (server.listeners('connection').includes(surviveErrors)) return
  new Guard(undefined).on(server, 'connection', surviveErrors)
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => mayUpgrade(server, request) })
}

/**
 * Tells a client to send its body, if its answer owns the connection. Otherwise `100 Continue` would be a part of an earlier answer, so
 * the connection ends, or the stream of HTTP/2.
 */
export const sayContinue = (request: IncomingMessage, response: ServerResponse): boolean => {
  if (response.headersSent) return false
  const { stream } = request as Http2Part
  const isAlive = stream ? !stream.closed && !stream.destroyed : response.socket === request.socket && request.socket.writable
  if (isAlive) response.writeContinue()
  else if (stream) stream.close(cancelled)
  else request.socket.destroy()
  return isAlive
}

/** Whoever listens to these events has to end the connection, with the right answer: they are seen on their way, and Node does it. */
function tellCuts(server: Server, { stalledMs }: ListenerLimits, onCut: (reason: CutReason) => void): void {
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
 * An HTTP server that no client can hold up or end: every listener of the platform is made here. A listener of its `checkContinue`
 * answers such requests by itself, with `sayContinue`.
 */
export const createLimitedServer = (
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  limits: ListenerLimits = defaultLimits,
  listenerOptions: ListenerOptions = {},
): Server => {
  const bodies = createBodyWatch(limits, listenerOptions)
  const guard = new Guard(listenerOptions.log)
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.sweepMs,
    maxHeaderSize: limits.headersMaxBytes,
  })
  protectSockets(server)
  guard.on(server, 'request', (request: IncomingMessage, response: ServerResponse) => {
    // Requests that were sent ahead are still read after their connection was destroyed.
    if (request.socket.destroyed) return
    bodies.watch(request, response)
    return answer(request, response)
  })
  // With a listener of this event Node leaves the rest to it, and emits no `request`.
  guard.on(server, 'checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (request.socket.destroyed) return
    bodies.watch(request, response)
    if (server.listenerCount('checkContinue') > 1) return
    return sayContinue(request, response) && answer(request, response)
  })
  // Their size bounds their number. Node would drop those beyond a number without a word, X-Forwarded-For among them.
  server.maxHeadersCount = 0
  server.maxConnections = limits.connectionsMax
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.timeout = limits.stalledMs
  if (listenerOptions.onCut) tellCuts(server, limits, listenerOptions.onCut)
  guard.once(server, 'listening', () => {
    const timer = setInterval(bodies.sweep, limits.sweepMs).unref()
    guard.once(server, 'close', () => clearInterval(timer))
  })
  return server
}
