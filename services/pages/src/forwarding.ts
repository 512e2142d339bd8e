import { type ClientRequest, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type Duplex, PassThrough } from 'node:stream'
import { hopIdleMs } from '@capstan/contract/limits'
import { problemAnswer } from '@capstan/contract/server-texts'
import { type Client, createClientWriter } from '@capstan/http/client'
import { Guard } from '@capstan/http/guard'
import { HopAgent } from '@capstan/http/hop-agent'
import { createLimitedServer, type ListenerLimits } from '@capstan/http/listener'
import { createReplicaLookup } from '@capstan/http/replica-lookup'
import { traceRequest } from '@capstan/tracing/http-server'
import type { Tracer } from '@capstan/tracing/tracer'
import type { FastifyBaseLogger } from 'fastify'
import { createProxyServer } from 'httpxy'
import type { PagesConfig } from './config.ts'

/** Which process answers an address. Longer prefixes first. */
const upstreamOf = (url: string): 'api' | 'gateway' | 'pages' => {
  if (/^\/(hub|api\/proxy)(\/|\?|$)/i.test(url)) return 'gateway'
  return /^\/(api|assets|healthz|favicon\.webp)(\/|\?|$)/i.test(url) ? 'api' : 'pages'
}

/** Sockets that are passed on, and whether this process is about to leave. */
export interface Traffic {
  isRetired: boolean
  /** Clients of the hubs connect again by themselves, clients of instances do not. */
  readonly sockets: Map<Socket, Passage>
}

/** A socket that is passed on. */
interface Passage {
  readonly kind: 'hub' | 'tunnel'
  /** The connection to the gateway, once it has accepted the upgrade. */
  upstream?: Socket
}

/** Maximum time that a gateway and a client have to close a socket, in ms. */
const farewellMs = 5_000

/**
 * Closes the socket of a hub in the words of its protocol. Only the gateway knows where a frame ends: it answers the end of its connection
 * with the closing messages, which are passed on.
 */
export const sendAway = (client: Socket, { upstream }: Passage): void => {
  if (!upstream) return void client.destroy()
  client.unpipe(upstream)
  client.resume()
  upstream.end()
  const timer = setTimeout(() => client.destroy(), farewellMs)
  new Guard(undefined, client).once(client, 'close', () => clearTimeout(timer))
}

export interface ForwardingOptions {
  readonly log: FastifyBaseLogger | undefined
  readonly tracer: Tracer | undefined
  readonly traffic: Traffic
  readonly limits: ListenerLimits | undefined
  /** Called for each connection to another process that only a second address has accepted. */
  readonly onRetry: () => void
  readonly readClient: (request: IncomingMessage) => Client
  /** Answers what is for this process. */
  readonly handlePage: (request: IncomingMessage, response: ServerResponse) => void
}

/** One way of a call to its process. */
interface Attempt {
  readonly target: string
  readonly isRepeat: boolean
  /** False: nothing of the call has been sent. */
  isConnected: boolean
}

const repeatableMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Whether a call may be sent once more: nothing of it was sent, or it changes nothing and its connection was lost without an answer. */
const mayRepeat = (error: Error, request: IncomingMessage, response: ServerResponse, attempt: Attempt): boolean => {
  if (attempt.isRepeat || response.headersSent || response.destroyed || request.socket.destroyed) return false
  if (!attempt.isConnected) return true
  const { code } = error as NodeJS.ErrnoException
  return (code === 'ECONNRESET' || code === 'EPIPE') && repeatableMethods.has(request.method ?? '') && !hasBody(request)
}

/**
 * An HTTP server that passes calls and sockets on, under the client's own Host and with what is believed of its address, and gives
 * everything else to `handlePage`.
 */
export const createForwardingServer = (config: PagesConfig, options: ForwardingOptions): Server => {
  const { log, tracer, traffic, limits, onRetry, readClient, handlePage } = options
  const writeClient = createClientWriter(config.internalToken)
  // As many as there are calls: slow ones must not keep the others waiting, and the listener bounds their number.
  const replicas = createReplicaLookup()
  const agent = new HopAgent({ keepAlive: true, timeout: hopIdleMs, replicas, onRetry })
  const onceOnly = new HopAgent({ replicas, onRetry })
  const proxy = createProxyServer()
  const attempts = new WeakMap<IncomingMessage, Attempt>()
  const guard = new Guard(log)

  const send = (request: IncomingMessage, response: ServerResponse, target: string, isRepeat = false): void => {
    attempts.set(request, { target, isRepeat, isConnected: false })
    const buffer = hasBody(request) && new PassThrough()
    const options = { target, agent: isRepeat ? onceOnly : agent, ...(buffer && { buffer }) }
    new Guard(log, response).run(() => proxy.web(request, response, options))
  }
  // The body begins when there is a connection, so that until then nothing is sent and all of it is still here.
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
      log?.warn({ err: error }, 'Could not pass a request on')
      target?.destroy()
      return
    }
    const attempt = attempts.get(request)
    if (attempt && mayRepeat(error, request, target, attempt)) return send(request, target, attempt.target, true)
    log?.warn({ err: error }, 'Could not pass a request on')
    const { status, headers, body } = problemAnswer('server.unavailable', request.headers['accept-language'])
    // Nobody will read the rest of its body.
    if (!request.complete) target.shouldKeepAlive = false
    target.writeHead(status, { ...headers, 'retry-after': '5' })
    target.end(JSON.stringify(body))
  })
  guard.on(proxy, 'proxyReqWs', (outgoing: ClientRequest, _request: IncomingMessage, client: Socket) => {
    new Guard(log, client).once(outgoing, 'upgrade', (_answer: IncomingMessage, upstream: Socket) => {
      const passage = traffic.sockets.get(client)
      if (passage) passage.upstream = upstream
    })
  })
  guard.on(proxy, 'proxyRes', (answer: IncomingMessage) => {
    if (traffic.isRetired) answer.headers.connection = 'close'
  })

  const targets = { api: config.apiUrl, gateway: config.gatewayUrl, pages: undefined }
  const server = createLimitedServer(
    (request, response) => {
      // Clients open a new connection, which reaches another process.
      if (traffic.isRetired) response.shouldKeepAlive = false
      const upstream = upstreamOf(request.url ?? '/')
      const target = targets[upstream]
      traceRequest(tracer, `${request.method} ${upstream}`, request, response, () => {
        if (!target) return handlePage(request, response)
        const traceparent = tracer?.current()?.traceparent
        if (traceparent) request.headers.traceparent = traceparent
        // Node has told the client already to go on.
        delete request.headers.expect
        writeClient(request, readClient(request))
        send(request, response, target)
      })
    },
    limits,
    { log },
  )
  guard.on(server, 'upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = request.url ?? '/'
    const target = targets[upstreamOf(url)]
    if (!target || !(socket instanceof Socket)) return void socket.destroy()
    traffic.sockets.set(socket, { kind: /^\/hub/i.test(url) ? 'hub' : 'tunnel' })
    guard.once(socket, 'close', () => traffic.sockets.delete(socket))
    writeClient(request, readClient(request))
    new Guard(log, socket).run(() => proxy.ws(request, socket, { target, agent: onceOnly }, head))
  })
  guard.once(server, 'close', () => agent.destroy())
  return server
}
