import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limitKeyOfIpAddress, normalizeIpAddress } from '@capstan/contract/addresses'
import { SeatCounts } from '@capstan/contract/seat-counts'
import { type ClientReaderOptions, createClientReader, createProxyCheck } from './client.ts'
import { type FailureLog, Guard } from './guard.ts'

/** Hops that a listener trusts, and the limit of an address. Without a value, the limit in `ListenerLimits` applies. */
export type ListenerClients = ClientReaderOptions & Readonly<{ connectionsPerAddress?: number | undefined }>

export type AddressLimitOptions = Readonly<{
  clients: ListenerClients
  /** Maximum number of connections of an address, and of its concurrent requests. */
  max: number
  onRefused: (limit: 'listener-address' | 'listener-requests') => void
  log?: FailureLog | undefined
}>

/**
 * Limits the connections of each client address to a listener, and the concurrent requests. Requests count too, because one
 * connection can carry many: HTTP/2 streams, or HTTP/1.1 requests that a client sends without waiting for responses. A hop, which
 * is a trusted proxy or our web process, has no limit, and its requests count for the address that it reports.
 */
export class AddressLimit {
  readonly #options: AddressLimitOptions
  readonly #isProxy: (address: string, hop: number) => boolean
  readonly #readClient: ReturnType<typeof createClientReader>
  readonly #connections = new SeatCounts()
  readonly #requests = new SeatCounts()
  /** Function for each counted connection that ends the counting. */
  readonly #leaving = new WeakMap<Socket, () => void>()
  readonly #counted = new WeakSet<ServerResponse>()

  /** @throws Error if `clients.trustedProxies` has an invalid entry */
  constructor(options: AddressLimitOptions) {
    this.#options = options
    this.#isProxy = createProxyCheck(options.clients.trustedProxies)
    this.#readClient = createClientReader(options.clients)
  }

  /** Counts a connection until it closes. Destroys the connection if its address has too many. */
  takeConnection(socket: Socket): void {
    const address = normalizeIpAddress(socket.remoteAddress ?? '')
    if (this.#isProxy(address, 0)) return
    const key = limitKeyOfIpAddress(address)
    const { max, onRefused, log } = this.#options
    if (!this.#connections.take(key, max)) {
      onRefused('listener-address')
      socket.destroy()
      return
    }
    const leave = () => {
      if (this.#leaving.delete(socket)) this.#connections.leave(key)
    }
    this.#leaving.set(socket, leave)
    new Guard(log).once(socket, 'close', leave)
  }

  isFromHop(request: IncomingMessage): boolean {
    return this.#readClient(request).isForwarded
  }

  /**
   * Ends the counting of a connection if this request comes from a hop. Only the first request shows that a connection
   * belongs to our web process.
   * @returns the key of the client's address, or undefined if the hop reports no other address than its own
   */
  readKey(request: IncomingMessage): string | undefined {
    const { address, isForwarded } = this.#readClient(request)
    if (!isForwarded) return limitKeyOfIpAddress(address)
    this.#leaving.get(request.socket)?.()
    return address === normalizeIpAddress(request.socket.remoteAddress ?? '') ? undefined : limitKeyOfIpAddress(address)
  }

  /**
   * Counts a request until its response is complete or interrupted.
   * @returns false if the client's address has too many requests
   */
  takeRequest(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#counted.has(response)) return true
    const key = this.readKey(request)
    if (key === undefined) return true
    const { max, onRefused, log } = this.#options
    if (!this.#requests.take(key, max)) {
      onRefused('listener-requests')
      return false
    }
    this.#counted.add(response)
    // Leave with a delay, because Node frees an HTTP/2 stream only then. Otherwise, streams that a client cancels at once could
    // fill the memory.
    const leave = () => this.#requests.leave(key)
    new Guard(log).once(response, 'close', () => setImmediate(leave))
    return true
  }
}
