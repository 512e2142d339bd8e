import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressNetworkKey, limitKeyOfIpAddress, normalizeIpAddress } from '@capstan/contract/addresses'
import { GatewayBounds } from '@capstan/contract/limits'
import { SeatCounts } from '@capstan/contract/seat-counts'
import { type ClientReaderOptions, createClientReader, createProxyCheck } from './client.ts'
import { type FailureLog, Guard } from './guard.ts'

/**
 * Hops that a listener trusts, and the maximum number of connections per client address. By default, the number in
 * `ListenerLimits`.
 */
export type ListenerClients = ClientReaderOptions & Readonly<{ connectionsPerAddress?: number | undefined }>

export type AddressLimitOptions = Readonly<{
  clients: ListenerClients
  /**
   * Maximum number of connections per address. Concurrent requests per address have the same maximum, but are counted
   * separately.
   */
  max: number
  onRefused: (limit: 'listener-address' | 'listener-requests') => void
  log?: FailureLog | undefined
}>

/**
 * Seats of clients. Addresses have a limit, and so have IPv6 networks of 48 bits, because one client can use all
 * addresses of such a network.
 */
class ClientSeats {
  readonly #counts = new SeatCounts()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** Takes a seat. @returns a function that frees the seat once, or undefined if the address or its network has no free seat */
  take(address: string): (() => void) | undefined {
    const [key, network] = [limitKeyOfIpAddress(address), addressNetworkKey(address)]
    if (!this.#counts.take(key, this.#max)) return undefined
    if (network !== key && !this.#counts.take(network, this.#max * GatewayBounds.addressesPerNetwork)) {
      this.#counts.leave(key)
      return undefined
    }
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#counts.leave(key)
      if (network !== key) this.#counts.leave(network)
    }
  }
}

/**
 * Limits the connections and the concurrent requests of each client address at a listener. Requests are limited in
 * addition to connections, because one connection can carry many requests: HTTP/2 streams, or HTTP/1.1 requests that a
 * client sends without waiting for responses. A hop, which is a trusted proxy or our web process, has no limit, and its
 * requests count for the address that it reports.
 */
export class AddressLimit {
  readonly #options: AddressLimitOptions
  readonly #guard: Guard
  readonly #isProxy: (address: string, hop: number) => boolean
  readonly #readClient: ReturnType<typeof createClientReader>
  readonly #connections: ClientSeats
  readonly #requests: ClientSeats
  /** For each counted connection, the function that frees its seat. */
  readonly #leaving = new WeakMap<Socket, () => void>()
  readonly #counted = new WeakSet<ServerResponse>()

  /** @throws Error if `clients.trustedProxies` has an invalid entry */
  constructor(options: AddressLimitOptions) {
    this.#options = options
    this.#guard = new Guard(options.log)
    this.#connections = new ClientSeats(options.max)
    this.#requests = new ClientSeats(options.max)
    this.#isProxy = createProxyCheck(options.clients.trustedProxies)
    this.#readClient = createClientReader(options.clients)
  }

  /** Counts a connection until it closes. Destroys the connection if its address has too many connections. */
  takeConnection(socket: Socket): void {
    const address = normalizeIpAddress(socket.remoteAddress ?? '')
    if (this.#isProxy(address, 0)) return
    const leave = this.#connections.take(address)
    if (!leave) {
      this.#options.onRefused('listener-address')
      socket.destroy()
      return
    }
    this.#leaving.set(socket, leave)
    this.#guard.once(socket, 'close', leave)
  }

  isFromHop(request: IncomingMessage): boolean {
    return this.#readClient(request).isForwarded
  }

  /**
   * Returns the address of the client that sent the request. If the request came from a hop, stops counting the hop's
   * connection. The connection counts until then, because only a request proves that it belongs to our web process.
   * @returns the client's address, or undefined if a hop reports only its own address
   */
  readClientAddress(request: IncomingMessage): string | undefined {
    const { address, isForwarded } = this.#readClient(request)
    if (!isForwarded) return address
    this.#leaving.get(request.socket)?.()
    return address === normalizeIpAddress(request.socket.remoteAddress ?? '') ? undefined : address
  }

  /**
   * Counts a request until its response is complete or interrupted.
   * @returns false if the client's address has too many requests
   */
  takeRequest(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#counted.has(response)) return true
    const address = this.readClientAddress(request)
    if (address === undefined) return true
    const leave = this.#requests.take(address)
    if (!leave) {
      this.#options.onRefused('listener-requests')
      return false
    }
    this.#counted.add(response)
    // Stop counting in a later turn of the event loop, because Node frees an HTTP/2 stream only then. Otherwise, a
    // client could fill the memory with streams that it cancels at once.
    this.#guard.once(response, 'close', () => setImmediate(leave))
    return true
  }
}
