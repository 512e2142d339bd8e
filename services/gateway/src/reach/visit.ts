import { Agent, type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { Guard } from '@capstan/http/guard'
import type { GatewayLogger } from '../log.ts'
import { type DialTarget, dial } from './../proxy/dial.ts'
import type { Carrier, CarrierEvents } from '../proxy/instance-connections.ts'

/** Requests of one visit that are answered at once. HTTP/2 allows as many streams; whoever sends more by HTTP/1.1 does not wait for answers. */
export const maxExchanges = 64

/** Connections to an instance, those that are being opened among them: a client may give up its requests faster than they close. */
const maxSockets = 2 * maxExchanges

/** A request that is being answered, or an upgraded connection. */
export interface Exchange {
  /** The instance is gone. */
  abort(): void
}

/** Of a visit that outlives the connections of its client, who comes by a proxy: it ends by itself. */
export type Lasting = Readonly<{
  /** It ends so long after its last request. */
  restMs: number
  /** After so long another one takes its place, and it ends when nothing is under way. */
  retireMs: number
}>

/** Where an instance is, and what opens it if strangers are kept out. */
export type VisitTarget = DialTarget & { readonly key?: string }

export type VisitOptions = Readonly<{
  connectMs: number
  /** Whether the instance is still where it was when the visit began; undefined: nobody tells. */
  isThere(): Promise<boolean | undefined>
  /** How long it holds that it is there: an instance that closes each connection does not cost a question for each. */
  freshMs: number
  /** For each request under way but one. @returns what frees it; undefined: all are taken */
  takeSeat(): (() => void) | undefined
  /** @param isGivenUp by itself, and not because its instance is gone or its time is over */
  onEnd(isGivenUp: boolean): void
  /** Absent: it ends with the connection of its client. */
  lasting?: Lasting
  log: GatewayLogger
}>

/**
 * Lets Node's client have the connections of a visit. With one of Node's own agents for each visit an idle one would cost some
 * kilobytes more: an agent keeps with each connection all that its first request was made with.
 */
class VisitAgent extends Agent {
  addRequest(request: ClientRequest, { visit }: { readonly visit: Visit }): void {
    visit.serve(request)
  }
}

/** Of every visit: it keeps nothing. */
const visitAgent = new VisitAgent({ keepAlive: true })

/** A connection to the instance. */
interface Kept {
  readonly guard: Guard
  /** Ends an idle connection on which the instance says something: the next request would take that for its answer. */
  readonly endUnasked: () => void
  /** Told already. */
  sent: number
  received: number
  /** That has it. Undefined: it is idle. */
  request: ClientRequest | undefined
}

/** Node goes by the header Keep-Alive of the answer. False: the instance would close it too soon. */
function keepAlive(socket: Socket): boolean {
  return Boolean(visitAgent.keepSocketAlive(socket))
}

/**
 * One client's connection at one instance, or one client that comes by a proxy. It has connections to the instance of its own, which no
 * other client's requests ever use: what one client makes an instance misread harms that client alone.
 */
export class Visit implements Carrier {
  readonly target: VisitTarget
  readonly #events: CarrierEvents
  readonly #options: VisitOptions
  #connecting = 0
  /** It was said a moment ago where the instance is. */
  #isFresh = false
  #isOutOfTouch = false
  readonly #sockets = new Map<Socket, Kept>()
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

  /** Begins a request to the instance. @throws where something in it cannot be said */
  request(options: RequestOptions): ClientRequest {
    const { host, port } = this.target
    const own = { ...options, host, port, agent: visitAgent, visit: this }
    return httpRequest(own)
  }

  /** Gives a request an idle connection, or a new one. */
  serve(request: ClientRequest): void {
    for (const [socket, kept] of this.#sockets) {
      if (kept.request !== undefined || !socket.writable) continue
      kept.request = request
      for (const event of ['data', 'end']) socket.off(event, kept.endUnasked)
      visitAgent.reuseSocket(socket, request)
      request.onSocket(socket)
      return
    }
    new Guard(this.#options.log, request).run(async () => {
      const socket = await this.#connect(request)
      if (socket) request.onSocket(socket)
      // Its second argument, by which Node's agent says why there is none, is not in the types.
      else Reflect.apply(request.onSocket, request, [undefined, new Error('The instance cannot be reached')])
    })
  }

  /** Nobody told where the instance is now, so that it was not asked. */
  get isOutOfTouch(): boolean {
    return this.#isOutOfTouch
  }

  /** False: everything of it is closed, and the next request asks for the instance again. */
  get isOpen(): boolean {
    return !this.#isOver && !this.#isRetiring
  }

  /** False: there are too many at once. */
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
    for (const [socket, kept] of this.#sockets) if (kept.request === undefined && socket.writable) return true
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

  #leave(isGivenUp: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#resting)
    clearTimeout(this.#retiring)
    for (const leaveSeat of this.#seats.splice(0)) leaveSeat()
    for (const exchange of this.#exchanges) exchange.abort()
    this.count()
    for (const socket of this.#sockets.keys()) socket.destroy()
    this.#events.onEnd()
    this.#options.onEnd(isGivenUp)
  }

  count(): void {
    for (const [socket, told] of this.#sockets) {
      const { bytesWritten, bytesRead } = socket
      if (bytesWritten > told.sent) this.#events.onBytes('sent', bytesWritten - told.sent)
      if (bytesRead > told.received) this.#events.onBytes('received', bytesRead - told.received)
      told.sent = bytesWritten
      told.received = bytesRead
    }
  }

  /** No connection goes to a remembered address: word of its end may have been lost, and it may be another instance's by now. */
  async #connect(request: ClientRequest): Promise<Socket | undefined> {
    if (this.#isOver) return undefined
    this.#connecting += 1
    if (!this.#isFresh) {
      const isThere = await this.#options.isThere()
      this.#isOutOfTouch = isThere === undefined
      if (isThere) this.#trust()
    }
    const socket = this.#isFresh ? await dial(this.target, this.#options.connectMs) : undefined
    this.#connecting -= 1
    if (socket === undefined) return undefined
    if (this.#isOver) {
      socket.destroy()
      return undefined
    }
    const guard = new Guard(this.#options.log, socket)
    const kept: Kept = { guard, endUnasked: () => socket.destroy(), sent: 0, received: 0, request }
    this.#sockets.set(socket, kept)
    guard.on(socket, 'free', () => this.#keep(socket, kept))
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

  /** Its request is over. */
  #keep(socket: Socket, kept: Kept): void {
    const isWhole = socket.writable && !socket.readableEnded && socket.readableLength === 0
    const isKept = isWhole && kept.request?.shouldKeepAlive && keepAlive(socket)
    kept.request = undefined
    // Node notes there which request has it, and with it all that was asked and answered.
    Object.assign(socket, { _httpMessage: null })
    if (isKept) for (const event of ['data', 'end']) kept.guard.on(socket, event, kept.endUnasked)
    else socket.destroy()
  }
}
