import { Agent, type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { Guard } from '@capstan/http/guard'
import type { GatewayLogger } from '../log.ts'
import type { Carrier, CarrierEvents } from '../proxy/carrier.ts'
import type { DialTarget } from '../proxy/dial.ts'

/**
 * Maximum number of concurrent requests in a `Visit`. An HTTP/2 connection allows the same number of streams. An HTTP/1.1 client
 * exceeds the number only if it sends requests without waiting for responses.
 */
export const maxExchanges = 64

/**
 * Maximum number of connections to an instance in a `Visit`. This number is larger than `maxExchanges`, because a client
 * may cancel requests faster than the connections of these requests close.
 */
const maxSockets = 2 * maxExchanges

export interface Exchange {
  /** Ends the exchange (a request and its response), because the instance has ended. */
  abort(): void
}

/** Time limits of a `Visit` by a client behind a proxy. Such a `Visit` does not end when a connection of the client closes. */
export type LongVisitLimits = Readonly<{
  /** Time in ms from the last request to the end of the `Visit`. */
  restMs: number
  /**
   * Age at which a `Visit` accepts no more requests, in ms. The client's next request then begins another `Visit`. The
   * old `Visit` ends with its last pending request.
   */
  retireMs: number
}>

/** Target of a `Visit`. `key` is the access key, which only a guarded instance has. */
export type VisitTarget = DialTarget & { readonly key?: string }

export type VisitOptions = Readonly<{
  /**
   * Connects to the instance.
   * @returns undefined if the instance cannot be reached
   */
  dial(): Promise<Socket | undefined>
  /**
   * Asks the api whether the instance still has the address of the `Visit`.
   * @returns undefined if the api does not respond
   */
  isThere(): Promise<boolean | undefined>
  /**
   * Time for which a positive result of `isThere` is reused, in ms. Without reuse, each new connection to the instance would cost
   * a lookup.
   */
  freshMs: number
  /**
   * Counts a concurrent request. Called for each concurrent request except the first.
   * @returns a function that stops counting the request, or undefined if the limit is reached
   */
  takeSeat(): (() => void) | undefined
  /** Called when the `Visit` ends. */
  onEnd(canConnectionRemain: boolean): void
  /** Time limits of a `Visit` by a client behind a proxy. If absent, the `Visit` ends with the client's connection. */
  lasting?: LongVisitLimits
  log: GatewayLogger
}>

/**
 * HTTP agent that sends each request over a connection of the request's `Visit`. One agent per `Visit` would use too much memory.
 */
class VisitAgent extends Agent {
  addRequest(request: ClientRequest, { visit }: { readonly visit: Visit }): void {
    visit.serve(request)
  }
}

const visitAgent = new VisitAgent({ keepAlive: true })

interface UpstreamSocket {
  readonly guard: Guard
  /**
   * Ends an idle connection if the instance sends data on it. Otherwise this data would be read as the response to the next
   * request.
   */
  readonly endUnasked: () => void
  /** Number of sent bytes that were already reported. */
  sent: number
  received: number
  /** Request that uses the connection. Undefined if the connection is idle. */
  request: ClientRequest | undefined
}

/**
 * True if the connection can be reused. Node reads the Keep-Alive header of the response, and returns false if the instance would
 * close the connection too soon.
 */
function keepAlive(socket: Socket): boolean {
  return Boolean(visitAgent.keepSocketAlive(socket))
}

/**
 * Visit of a client to an instance: the HTTP requests that one client sends to one instance, with the connections that
 * carry them. A `Visit` counts as one proxied connection. No other client uses its connections to the instance.
 * Therefore, a client that makes an instance misread a request harms only itself.
 */
export class Visit implements Carrier {
  readonly target: VisitTarget
  readonly #events: CarrierEvents
  readonly #options: VisitOptions
  #connecting = 0
  /** True if the address of the instance was confirmed recently. */
  #isFresh = false
  #isCheckDue = false
  readonly #sockets = new Map<Socket, UpstreamSocket>()
  readonly #exchanges = new Set<Exchange>()
  readonly #seats: (() => void)[] = []
  readonly #resting: NodeJS.Timeout | undefined
  readonly #retiring: NodeJS.Timeout | undefined
  #isOver = false
  #isRetiring = false

  constructor(target: VisitTarget, events: CarrierEvents, options: VisitOptions) {
    this.target = target
    this.#events = events
    this.#options = options
    this.#trust()
    const { lasting } = options
    if (lasting === undefined) return
    const guard = new Guard(options.log)
    this.#resting = setTimeout(() => guard.run(() => this.#exchanges.size === 0 && this.#leave(true)), lasting.restMs)
    this.#retiring = setTimeout(() => guard.run(() => this.retire()), lasting.retireMs)
  }

  /**
   * Starts a request to the instance.
   * @throws if the request contains characters that cannot be sent
   */
  request(options: RequestOptions): ClientRequest {
    const { host, port } = this.target
    const own = { ...options, host, port, agent: visitAgent, visit: this }
    return httpRequest(own)
  }

  /** Assigns a connection to a request: an idle connection if there is one, and otherwise a new connection. */
  serve(request: ClientRequest): void {
    for (const [socket, upstream] of this.#sockets) {
      if (upstream.request !== undefined || !socket.writable) continue
      upstream.request = request
      for (const event of ['data', 'end']) socket.off(event, upstream.endUnasked)
      visitAgent.reuseSocket(socket, request)
      request.onSocket(socket)
      return
    }
    new Guard(this.#options.log, request).run(async () => {
      const socket = await this.#connect(request)
      if (socket) request.onSocket(socket)
      // Report the error. As in Node's agent, the error is the second argument of `onSocket`. Node's types omit this argument.
      else Reflect.apply(request.onSocket, request, [undefined, new Error('The instance cannot be reached')])
    })
  }

  get isCheckDue(): boolean {
    return this.#isCheckDue
  }

  /** False if the `Visit` has ended or accepts no more requests. The client's next request then begins another `Visit`. */
  get isOpen(): boolean {
    return !this.#isOver && !this.#isRetiring
  }

  /**
   * Starts an exchange.
   * @returns false if too many exchanges are running
   */
  begin(exchange: Exchange): boolean {
    if (!this.isOpen || this.#exchanges.size >= maxExchanges) return false
    if (this.#sockets.size + this.#connecting >= maxSockets && !this.#hasIdle()) return false
    if (this.#exchanges.size > 0) {
      const leaveSeat = this.#options.takeSeat()
      if (leaveSeat === undefined) return false
      this.#seats.push(leaveSeat)
    }
    this.#exchanges.add(exchange)
    return true
  }

  #hasIdle(): boolean {
    for (const [socket, upstream] of this.#sockets) if (upstream.request === undefined && socket.writable) return true
    return false
  }

  finish(exchange: Exchange): void {
    if (!this.#exchanges.delete(exchange)) return
    this.#seats.pop()?.()
    if (this.#exchanges.size === 0 && !this.#isOver) this.#resting?.refresh()
    if (this.#isRetiring && this.#exchanges.size === 0) this.#leave(true)
  }

  retire(): void {
    this.#isRetiring = true
    if (this.#exchanges.size === 0) this.#leave(true)
  }

  end(): void {
    this.#leave(false)
  }

  #leave(canConnectionRemain: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#resting)
    clearTimeout(this.#retiring)
    for (const leaveSeat of this.#seats.splice(0)) leaveSeat()
    for (const exchange of this.#exchanges) exchange.abort()
    this.count()
    for (const socket of this.#sockets.keys()) socket.destroy()
    this.#events.onEnd()
    this.#options.onEnd(canConnectionRemain)
  }

  count(): void {
    for (const [socket, counted] of this.#sockets) {
      const { bytesWritten, bytesRead } = socket
      if (bytesWritten > counted.sent) this.#events.onBytes('sent', bytesWritten - counted.sent)
      if (bytesRead > counted.received) this.#events.onBytes('received', bytesRead - counted.received)
      counted.sent = bytesWritten
      counted.received = bytesRead
    }
  }

  /**
   * Connects to the instance. Asks the api first if the address was not confirmed recently, because another instance may have the
   * address now.
   */
  async #connect(request: ClientRequest): Promise<Socket | undefined> {
    if (this.#isOver) return undefined
    this.#connecting += 1
    if (!this.#isFresh) {
      const isThere = await this.#options.isThere()
      this.#isCheckDue = isThere === undefined
      if (isThere) this.#trust()
    }
    const socket = this.#isFresh ? await this.#options.dial() : undefined
    this.#connecting -= 1
    if (socket === undefined) return undefined
    if (this.#isOver) {
      socket.destroy()
      return undefined
    }
    const guard = new Guard(this.#options.log, socket)
    const upstream: UpstreamSocket = { guard, endUnasked: () => socket.destroy(), sent: 0, received: 0, request }
    this.#sockets.set(socket, upstream)
    guard.on(socket, 'free', () => this.#keep(socket, upstream))
    guard.once(socket, 'close', () => {
      this.count()
      this.#sockets.delete(socket)
    })
    return socket
  }

  #trust(): void {
    if (this.#isFresh) return
    this.#isFresh = true
    setTimeout(() => {
      this.#isFresh = false
    }, this.#options.freshMs).unref()
  }

  #keep(socket: Socket, upstream: UpstreamSocket): void {
    const isFullyRead = socket.writable && !socket.readableEnded && socket.readableLength === 0
    const isReusable = isFullyRead && upstream.request?.shouldKeepAlive && keepAlive(socket)
    upstream.request = undefined
    // Clear the request that Node stores in the socket. Otherwise the content of the request and the response would
    // remain in memory.
    Object.assign(socket, { _httpMessage: null })
    if (isReusable) for (const event of ['data', 'end']) upstream.guard.on(socket, event, upstream.endUnasked)
    else socket.destroy()
  }
}
