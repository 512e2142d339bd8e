import { type ClientRequest, type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ListenerLimits } from '@capstan/contract/limits'
import { Guard } from '@capstan/http/guard'
import { joinSmallPieces } from '@capstan/http/join-pieces'
import { send100Continue } from '@capstan/http/listener'
import { Relay, type RelayTimings } from '@capstan/http/relay'
import { refuseUpgrade, sendHttpResponse } from '../http/answers.ts'
import type { GatewayLogger } from '../log.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { type Asked, type Http2Parts, isHttp2Request } from './asked.ts'
import { buildRequestHeaders, buildResponseHeaders, canRequestHaveBody, toHttp2Headers, toTrailerPairs } from './headers.ts'
import { createErrorPageResponse } from './pages.ts'
import type { Exchange, Visit } from './visit.ts'

export type ForwardingDeps = Readonly<{
  domain: string
  timings: RelayTimings
  metrics: GatewayMetrics
  log: GatewayLogger
}>

/**
 * Request that the gateway has admitted, with the `Visit` to which the request belongs. A `Visit` is the group of
 * requests that one client sends to one instance.
 */
export type Admitted = Readonly<{
  visit: Visit
  asked: Asked
  request: IncomingMessage
}>

type Outgoing = Readonly<{
  outgoing: ClientRequest
  guard: Guard
}>

/**
 * Maximum number of interim responses (1xx) to a request. Without this limit, an instance could send interim responses
 * forever, because the gateway reads all responses.
 */
const maxInterimAnswers = 1_000

/**
 * Number of bytes that the gateway reads ahead after an upgrade request. Above this number, the gateway stops reading
 * until the instance accepts the upgrade.
 */
const maxEarlyBytes = 16 * 1024

function begin(
  { domain, log }: ForwardingDeps,
  { visit, asked, request }: Admitted,
  exchange: Exchange,
  isUpgrade = false,
): Outgoing {
  const { host, client } = asked
  const headers = buildRequestHeaders(request, {
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
  // Disable the limit on the number of headers, because Node silently drops the headers above this limit. The limit
  // on the total size of the headers is enough.
  outgoing.maxHeadersCount = 0
  const guard = new Guard(log, outgoing, { destroy: () => exchange.abort() })
  let said = 0
  guard.on(outgoing, 'information', () => {
    said += 1
    if (said > maxInterimAnswers) outgoing.destroy(new Error('The instance sent too many interim answers'))
  })
  return { outgoing, guard }
}

/** Forwards a request to the instance and the response to the client. */
export function forwardRequest(
  deps: ForwardingDeps,
  admitted: Admitted,
  response: ServerResponse,
  waitsForContinue: boolean,
  isRepeated = false,
): void {
  const { visit, request } = admitted
  const exchange: Exchange = { abort: () => cut(response) }
  if (!visit.begin(exchange)) {
    request.resume()
    sendHttpResponse(response, createErrorPageResponse('crowded', request))
    return
  }
  let begun: Outgoing
  try {
    begun = begin(deps, admitted, exchange)
  } catch {
    // The path or a header contains a character that Node's client rejects.
    visit.finish(exchange)
    request.resume()
    sendHttpResponse(response, createErrorPageResponse('malformed', request))
    return
  }
  const { outgoing, guard } = begun
  let isAnswered = false
  const finish = () => {
    visit.finish(exchange)
    // Check `writableEnded`, because Node reports even an interrupted HTTP/2 response as finished.
    if (!response.writableEnded) outgoing.destroy()
  }
  guard.once(response, 'close', finish)
  // Forward 100 Continue only once. An instance may repeat it forever while the client reads nothing, which would fill the
  // memory.
  guard.once(outgoing, 'continue', () => waitsForContinue && !isAnswered && send100Continue(request, response))
  guard.on(outgoing, 'response', (answer: IncomingMessage) => {
    isAnswered = true
    passAnswer(answer, request, response, guard)
  })
  /**
   * Responds with an error page and ends the `Visit`. The client's next request then causes a new lookup, because the
   * instance may have moved.
   */
  const giveUp = (): void => {
    visit.retire()
    sendHttpResponse(response, createErrorPageResponse(visit.isCheckDue ? 'unavailable' : 'unanswered', request))
  }
  // If the instance switches protocols although the client did not request an upgrade, respond with an error page.
  guard.on(outgoing, 'upgrade', (_answer: IncomingMessage, socket: Socket) => {
    socket.destroy()
    request.unpipe(outgoing)
    request.resume()
    giveUp()
  })
  guard.on(outgoing, 'error', (error: NodeJS.ErrnoException) => {
    // Drain the rest of the body, because the instance did not read it.
    request.unpipe(outgoing)
    request.resume()
    if (isAnswered || response.headersSent || response.destroyed) return
    // The instance closed an idle connection just as the request was sent. Retry only a request without a body, because a body
    // cannot be read twice.
    if (outgoing.reusedSocket && error.code === 'ECONNRESET' && !isRepeated && !canRequestHaveBody(request)) {
      visit.finish(exchange)
      response.off('close', finish)
      forwardRequest(deps, admitted, response, waitsForContinue, true)
      return
    }
    giveUp()
  })
  passBody(request, outgoing, waitsForContinue, guard)
}

/**
 * Forwards an upgrade to the instance, and then the bytes of the WebSocket in both directions. The listener ends the connection if
 * the instance does not respond within `stalledMs`.
 */
export function forwardUpgrade(deps: ForwardingDeps, admitted: Admitted, socket: Duplex, head: Buffer): void {
  const { metrics, timings, log } = deps
  const { visit, request } = admitted
  const exchange: Exchange = { abort: () => socket.destroy() }
  if (!visit.begin(exchange)) {
    refuseUpgrade(socket, createErrorPageResponse('crowded', request))
    return
  }
  const finish = () => visit.finish(exchange)
  let begun: Outgoing
  try {
    begun = begin(deps, admitted, exchange, true)
  } catch {
    finish()
    refuseUpgrade(socket, createErrorPageResponse('malformed', request))
    return
  }
  const { outgoing, guard } = begun
  const giveUp = () => {
    outgoing.destroy()
    finish()
  }
  joinSmallPieces(socket)
  // Read what the client sends. Otherwise, the gateway would not notice that the client has disconnected.
  const early = [head]
  let earlyBytes = head.length
  const readEarly = (bytes: Buffer) => {
    early.push(bytes)
    // Join the pieces, because each separate piece would take about 500 bytes of memory.
    if (early.length > 64) early.splice(0, early.length, Buffer.concat(early))
    earlyBytes += bytes.length
    if (earlyBytes > maxEarlyBytes) socket.pause()
  }
  const leave = () => void socket.destroy()
  guard.once(socket, 'close', giveUp)
  guard.once(socket, 'end', leave)
  guard.on(socket, 'data', readEarly)
  guard.on(outgoing, 'upgrade', (answer: IncomingMessage, container: Socket, containerHead: Buffer) => {
    socket.off('close', giveUp)
    socket.off('end', leave)
    socket.off('data', readEarly)
    if (socket instanceof Socket) {
      socket.setTimeout(0)
      socket.setNoDelay(true)
      socket.setKeepAlive(true, 30_000)
    }
    socket.write(upgradeHead(answer), 'latin1')
    if (containerHead.length > 0) socket.write(containerHead)
    const onStalled = () => metrics.refusals.inc({ limit: 'slow-reader' })
    // `Visit` already counts the bytes of this connection.
    const ahead = Buffer.concat(early.splice(0))
    new Relay({ client: socket, head: ahead, container, timings, onStalled, log, onBytes: () => {}, onEnd: finish })
  })
  let isAnswered = false
  guard.on(outgoing, 'response', (answer: IncomingMessage) => {
    isAnswered = true
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Socket)
    // Discard further data of the client, but continue to read, because the client may disconnect.
    socket.off('data', readEarly)
    early.length = 0
    socket.resume()
    // Node forwards this event to the response only for connections that its server still manages.
    guard.on(socket, 'drain', () => response.emit('drain'))
    guard.once(response, 'finish', () => socket.end(leave))
    passAnswer(answer, request, response, guard)
  })
  guard.on(outgoing, 'error', () => {
    if (socket.destroyed || isAnswered) return
    visit.retire()
    refuseUpgrade(socket, createErrorPageResponse('unanswered', request))
  })
  outgoing.end()
}

/** Interrupts an incomplete response, so that the client notices the failure. */
function cut(response: ServerResponse): void {
  if (response.writableEnded) return
  const { stream } = response as unknown as Partial<Http2Parts>
  // Error code 8 is NGHTTP2_CANCEL.
  if (stream) stream.close(8)
  else response.destroy()
}

function passBody(request: IncomingMessage, outgoing: ClientRequest, waitsForContinue: boolean, guard: Guard): void {
  // In a retry, the body of the client's request has already been read to its end.
  if (request.readableEnded) {
    outgoing.end()
    return
  }
  // If the client waits for 100 Continue, send the headers to the instance at once. The client sends the body only after the
  // instance has responded to the headers.
  if (waitsForContinue) outgoing.flushHeaders()
  if (!canRequestHaveBody(request)) {
    outgoing.end()
    request.resume()
    return
  }
  request.pipe(outgoing, { end: false })
  guard.once(request, 'end', () => {
    const trailers = toTrailerPairs(request.rawTrailers)
    if (trailers.length > 0 && outgoing.chunkedEncoding) outgoing.addTrailers(trailers)
    outgoing.end()
  })
  guard.once(request, 'close', () => {
    if (!request.complete) outgoing.destroy()
  })
}

function passAnswer(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse, guard: Guard): void {
  joinSmallPieces(answer)
  const { statusCode = 502, statusMessage } = answer
  const isChunked =
    answer.headers['transfer-encoding'] !== undefined && request.method !== 'HEAD' && request.httpVersion !== '1.0'
  const headers = buildResponseHeaders(answer, isChunked)
  response.sendDate = false
  try {
    if (isHttp2Request(request)) response.writeHead(statusCode, toHttp2Headers(headers))
    else response.writeHead(statusCode, statusMessage, headers)
  } catch {
    answer.destroy()
    // Remove the headers that HTTP/2 accepted before the invalid header, and the status text of HTTP/1.1, which may be invalid.
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    if (!isHttp2Request(request)) response.statusMessage = ''
    sendHttpResponse(response, createErrorPageResponse('unanswered', request))
    return
  }
  // Send the headers even if no byte of the body follows soon, as in event streams. Wait one turn, so that one packet contains the
  // headers and the available bytes.
  setImmediate(() =>
    guard.run(() => {
      if (!response.destroyed && !response.writableEnded) response.flushHeaders()
    }),
  )
  answer.pipe(response, { end: false })
  guard.once(answer, 'end', () => {
    const trailers = toTrailerPairs(answer.rawTrailers)
    if (trailers.length > 0 && isChunked)
      response.addTrailers(isHttp2Request(request) ? Object.fromEntries(trailers) : (trailers as never))
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
