import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { type DialTarget, dial } from './../proxy/dial.ts'
import type { Carrier, CarrierEvents } from '../proxy/instance-connections.ts'

/** Requests of one visit that are answered at once. HTTP/2 allows as many streams; whoever sends more by HTTP/1.1 does not wait for answers. */
export const exchangesMax = 64

/** A request that is being answered, or an upgraded connection. */
export interface Exchange {
  /** The instance is gone. */
  abort(): void
}

/** Where an instance is, and what opens it if strangers are kept out. */
export type VisitTarget = DialTarget & { readonly key?: string }

/**
 * One client's connection at one instance. It has connections to the instance of its own, which no other client's requests ever use:
 * what one client makes an instance misread harms that client alone.
 */
export class Visit implements Carrier {
  readonly agent: Agent
  readonly target: VisitTarget
  readonly #events: CarrierEvents
  readonly #sockets = new Map<Socket, { sent: number; received: number }>()
  readonly #exchanges = new Set<Exchange>()
  #isOver = false
  #isRetiring = false

  constructor(target: VisitTarget, events: CarrierEvents, connectMs: number) {
    this.target = target
    this.#events = events
    this.agent = new Agent({ keepAlive: true, maxFreeSockets: exchangesMax })
    Object.assign(this.agent, {
      createConnection: (_options: unknown, done: (error: Error | null, socket?: Socket) => void) => {
        void this.#connect(connectMs).then((socket) =>
          socket ? done(null, socket) : done(new Error('The instance cannot be reached')),
        )
      },
    })
  }

  /** False: everything of it is closed, and the next request asks for the instance again. */
  get isOpen(): boolean {
    return !this.#isOver && !this.#isRetiring
  }

  /** False: there are too many at once. */
  begin(exchange: Exchange): boolean {
    if (!this.isOpen || this.#exchanges.size >= exchangesMax) return false
    this.#exchanges.add(exchange)
    return true
  }

  finish(exchange: Exchange): void {
    this.#exchanges.delete(exchange)
    if (this.#isRetiring && this.#exchanges.size === 0) this.end()
  }

  retire(): void {
    this.#isRetiring = true
    if (this.#exchanges.size === 0) this.end()
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const exchange of this.#exchanges) exchange.abort()
    this.count()
    for (const socket of this.#sockets.keys()) socket.destroy()
    this.agent.destroy()
    this.#events.onEnd()
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

  async #connect(connectMs: number): Promise<Socket | undefined> {
    const socket = this.#isOver ? undefined : await dial(this.target, connectMs)
    if (socket === undefined) return undefined
    if (this.#isOver) {
      socket.destroy()
      return undefined
    }
    this.#sockets.set(socket, { sent: 0, received: 0 })
    socket.once('close', () => {
      this.count()
      this.#sockets.delete(socket)
    })
    return socket
  }
}
