import { type ClientRequest, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type Duplex, PassThrough } from 'node:stream'
import { ListenerLimits as defaultLimits, hopIdleMs } from '@capstan/contract/limits'
import { createProblemResponse } from '@capstan/contract/server-texts'
import { isTerminalAddress } from '@capstan/contract/terminal-address'
import { type Client, createForwardingHeaderWriter } from '@capstan/http/client'
import { Guard } from '@capstan/http/guard'
import { HopAgent } from '@capstan/http/hop-agent'
import { joinSmallPieces } from '@capstan/http/join-pieces'
import { createLimitedServer, type ListenerLimits } from '@capstan/http/listener'
import { Relay } from '@capstan/http/relay'
import { createReplicaLookup, type ReplicaLookup } from '@capstan/http/replica-lookup'
import { traceRequest } from '@capstan/tracing/http-server'
import type { Tracer } from '@capstan/tracing/tracer'
import type { FastifyBaseLogger } from 'fastify'
import { createProxyServer } from 'httpxy'
import type { PagesConfig } from './config.ts'

/**
 * True if the path has a segment `.` or `..`, plain or encoded. A server could resolve the path to an address that
 * another process serves.
 */
function hasDotSegment(url: string): boolean {
  const [path = ''] = url.split('?', 1)
  const decoded = path.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/')
  return decoded.split('/').some((segment) => segment === '.' || segment === '..')
}

/**
 * Returns the process that serves an address. `/api/proxy` is checked before `/api`, because `/api/proxy` belongs to
 * the gateway. Addresses with dot segments are not forwarded.
 */
function upstreamOf(url: string): 'api' | 'gateway' | 'pages' {
  if (hasDotSegment(url)) return 'pages'
  if (/^\/(hub|api\/proxy)(\/|\?|$)/i.test(url)) return 'gateway'
  return /^\/(api|assets|healthz|favicon\.webp)(\/|\?|$)/i.test(url) ? 'api' : 'pages'
}

/**
 * Returns the process that accepts WebSockets at an address: the gateway for hubs and instances, the api for terminals.
 * @returns undefined if no process accepts a WebSocket at this address
 */
function upgradeTargetOf(url: string): 'api' | 'gateway' | undefined {
  const upstream = upstreamOf(url)
  return upstream === 'gateway' || (upstream === 'api' && isTerminalAddress(url)) ? upstream : undefined
}

/** Forwarded sockets, and the state of this process. */
export interface Traffic {
  isStopping: boolean
  /**
   * Map from the socket of each client to its forwarded connection. When this process stops, hub sockets are closed first,
   * because only hub clients reconnect automatically.
   */
  readonly sockets: Map<Socket, ForwardedSocket>
}

interface ForwardedSocket {
  readonly kind: 'hub' | 'tunnel'
  /** Connection to the gateway. Present once the gateway has accepted the upgrade. */
  upstream?: Socket
}

/** Maximum time in ms until gateway and client have closed a WebSocket. */
const maxCloseMs = 5_000

/**
 * Closes the WebSocket of a hub client, so that the client receives a close message. Only the gateway can send this
 * message, because only the gateway knows where a frame ends. It sends the message when this process ends the upstream
 * connection.
 */
export function closeHubSocket(client: Socket, { upstream }: ForwardedSocket): void {
  if (!upstream) return void client.destroy()
  client.resume()
  upstream.end()
  const timer = setTimeout(() => client.destroy(), maxCloseMs)
  new Guard(undefined, client).once(client, 'close', () => clearTimeout(timer))
}

export type ForwardingOptions = Readonly<{
  log: FastifyBaseLogger | undefined
  tracer: Tracer | undefined
  traffic: Traffic
  limits: ListenerLimits | undefined
  onRetry: () => void
  replicas?: ReplicaLookup | undefined
  readClient: (request: IncomingMessage) => Client
  handlePage: (request: IncomingMessage, response: ServerResponse) => void
}>

interface Attempt {
  readonly target: string
  readonly isRepeat: boolean
  /** False if the connection to the target was never opened, so that no part of the request was sent. */
  isConnected: boolean
}

const repeatableMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** True if a request may be retried: no part of it was sent, or it is safe and its connection was lost before the response. */
function mayRetry(error: Error, request: IncomingMessage, response: ServerResponse, attempt: Attempt): boolean {
  if (attempt.isRepeat || response.headersSent || response.destroyed || request.socket.destroyed) return false
  if (!attempt.isConnected) return true
  const { code } = error as NodeJS.ErrnoException
  return (code === 'ECONNRESET' || code === 'EPIPE') && repeatableMethods.has(request.method ?? '') && !hasBody(request)
}

/**
 * Creates an HTTP server that forwards requests and sockets to other processes, with the client's Host and verified
 * address. The server passes requests for pages and files to `handlePage`.
 */
export function createForwardingServer(config: PagesConfig, options: ForwardingOptions): Server {
  const { log, tracer, traffic, limits = defaultLimits, onRetry, replicas = createReplicaLookup() } = options
  const { readClient, handlePage } = options
  const { stalledMs } = limits
  const writeClient = createForwardingHeaderWriter(config.internalToken)
  // Use one upstream connection per request, so that a slow request does not delay other requests. The listener limits
  // the number of requests.
  const agent = new HopAgent({ keepAlive: true, timeout: hopIdleMs, replicas, onRetry })
  const unpooledAgent = new HopAgent({ replicas, onRetry })
  const proxy = createProxyServer()
  const attempts = new WeakMap<IncomingMessage, Attempt>()
  /** Map from each accepted connection to another process to the socket of its client. */
  const clientOf = new WeakMap<Socket, Socket>()
  const guard = new Guard(log)

  const send = (request: IncomingMessage, response: ServerResponse, target: string, isRepeat = false): void => {
    attempts.set(request, { target, isRepeat, isConnected: false })
    const buffer = hasBody(request) && new PassThrough()
    const options = { target, agent: isRepeat ? unpooledAgent : agent, ...(buffer && { buffer }) }
    new Guard(log, response).run(() => proxy.web(request, response, options))
  }
  // Pipe the body only once a connection exists. Before that, no part of the request is sent, so the request can be retried.
  guard.on(
    proxy,
    'proxyReq',
    (outgoing: ClientRequest, request: IncomingMessage, _response: ServerResponse, { buffer }: { buffer?: unknown }) => {
      const begin = (): void => {
        const attempt = attempts.get(request)
        if (attempt) attempt.isConnected = true
        if (buffer instanceof PassThrough) request.pipe(buffer)
      }
      const { socket } = outgoing
      if (socket?.connecting) new Guard(log, outgoing, request).once(socket, 'connect', begin)
      else if (!socket?.destroyed) begin()
    },
  )
  guard.on(proxy, 'error', (error: Error, request?: IncomingMessage, target?: ServerResponse | Socket) => {
    if (!request || !(target instanceof ServerResponse) || target.headersSent) {
      log?.warn({ err: error }, 'Could not forward a request')
      target?.destroy()
      return
    }
    const attempt = attempts.get(request)
    if (attempt && mayRetry(error, request, target, attempt)) return send(request, target, attempt.target, true)
    log?.warn({ err: error }, 'Could not forward a request')
    const { status, headers, body } = createProblemResponse('server.unavailable', request.headers['accept-language'])
    // The rest of the body remains unread, so the connection cannot be reused.
    if (!request.complete) target.shouldKeepAlive = false
    target.writeHead(status, { ...headers, 'retry-after': '5' })
    target.end(JSON.stringify(body))
  })
  guard.on(proxy, 'proxyReqWs', (outgoing: ClientRequest, _request: IncomingMessage, client: Socket) => {
    // `httpxy` has disabled the timeout of the client's socket. Set the timeout again, so that the listener destroys
    // the socket if the upgrade takes too long.
    const ofClient = new Guard(log, client)
    // If the client ends its side before the response, destroy the client's socket. `httpxy` then ends the request to
    // the other process.
    const leave = () => client.destroy()
    joinSmallPieces(client)
    ofClient.once(client, 'end', leave)
    ofClient.once(outgoing, 'upgrade', (_answer: IncomingMessage, upstream: Socket) => {
      client.off('end', leave)
      const forwarded = traffic.sockets.get(client)
      if (forwarded) forwarded.upstream = upstream
      clientOf.set(upstream, client)
      ofClient.once(upstream, 'close', () => {
        client.setTimeout(stalledMs)
        client.destroySoon()
      })
    })
    // The other process refuses the upgrade, so the client gets a response, and the connection ends.
    ofClient.once(outgoing, 'response', () => {
      client.setTimeout(stalledMs)
      ofClient.once(client, 'finish', leave)
    })
  })
  // Replace the pipes of `httpxy`. If a client disconnects while it has unread data, the pipes never close the connection to the
  // other process. They also let a buffer fill with small pieces.
  guard.on(proxy, 'open', (upstream: Socket) => {
    const client = clientOf.get(upstream)
    if (!client) return
    upstream.unpipe(client)
    client.unpipe(upstream)
    const timings = { closeMs: maxCloseMs, stalledMs }
    new Relay({ client, container: upstream, timings, mayStall: true, onStalled() {}, onBytes() {}, onEnd() {}, log })
  })
  guard.on(proxy, 'proxyRes', (answer: IncomingMessage) => {
    if (traffic.isStopping) answer.headers.connection = 'close'
  })

  // Omit the internal token, because no other web process is in front of this process.
  const { trustedProxies, connectionsPerAddress } = config
  const clients = { trustedProxies, connectionsPerAddress }
  const targets = { api: config.apiUrl, gateway: config.gatewayUrl, pages: undefined }
  const server = createLimitedServer(
    (request, response) => {
      // Close the connection, so that the client connects again and reaches another process.
      if (traffic.isStopping) response.shouldKeepAlive = false
      const upstream = upstreamOf(request.url ?? '/')
      const target = targets[upstream]
      traceRequest(tracer, `${request.method} ${upstream}`, request, response, () => {
        if (!target) return handlePage(request, response)
        const traceparent = tracer?.current()?.traceparent
        if (traceparent) request.headers.traceparent = traceparent
        // Remove the header `Expect`, because Node has already sent 100 Continue.
        delete request.headers.expect
        writeClient(request, readClient(request))
        send(request, response, target)
      })
    },
    limits,
    { clients, log },
  )
  guard.on(server, 'upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = request.url ?? '/'
    const upstream = upgradeTargetOf(url)
    if (!upstream || !(socket instanceof Socket)) return void socket.destroy()
    const target = targets[upstream]
    traffic.sockets.set(socket, { kind: /^\/hub/i.test(url) ? 'hub' : 'tunnel' })
    guard.once(socket, 'close', () => traffic.sockets.delete(socket))
    writeClient(request, readClient(request))
    new Guard(log, socket).run(() => proxy.ws(request, socket, { target, agent: unpooledAgent, upgradeTimeout: stalledMs }, head))
  })
  guard.once(server, 'close', () => agent.destroy())
  return server
}
