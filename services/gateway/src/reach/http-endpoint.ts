import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RoutePage } from '@capstan/contract/server-texts'
import { type Answer, refuseUpgrade, sendHttpResponse } from '../http/answers.ts'
import { type Asked, connectionOf, type HostClient, hostOf, isResponseClosed, serverNameOf } from './asked.ts'
import { type Admitted, type ForwardingDeps, forwardRequest, forwardUpgrade } from './forwarding.ts'
import { checkAccessKey } from './guard.ts'
import { canRequestHaveBody, isAmbiguousRequest } from './headers.ts'
import { parseInstanceHost } from './host.ts'
import { createErrorPageResponse } from './pages.ts'
import { Visit } from './visit.ts'
import { Visits, type VisitsOptions } from './visits.ts'

export type HttpEndpointOptions = VisitsOptions &
  ForwardingDeps &
  Readonly<{
    /** Returns the client of a request. Trusts forwarding headers only if a trusted proxy sent them. */
    client: (request: IncomingMessage) => HostClient
  }>

/** Forwards HTTP requests for the host names of instances, with Node's HTTP server and client. */
export class HttpEndpoint {
  readonly #options: HttpEndpointOptions
  readonly #visits: Visits

  constructor(options: HttpEndpointOptions) {
    this.#options = options
    this.#visits = new Visits(options)
  }

  /** True if any part of a request refers to an instance, or if the host name in the request is invalid. */
  isInstanceHost(request: IncomingMessage): boolean {
    const { domain } = this.#options
    const { url = '' } = request
    if (parseInstanceHost(hostOf(request), domain).kind !== 'platform') return true
    // An absolute URL in the request line overrides the Host header (RFC 9112, section 3.2.2).
    return !url.startsWith('/') && parseInstanceHost(URL.parse(url)?.host, domain).kind === 'instance'
  }

  /**
   * Handles a request for an instance: forwards it or responds with an error page.
   * @param waitsForContinue true if the client sends its body only after 100 Continue
   */
  async handle(request: IncomingMessage, response: ServerResponse, { waitsForContinue = false } = {}): Promise<void> {
    const admitted = await this.#admit(request)
    // Close the connection after this response only if the body of the request is complete. Otherwise, closing would interrupt the
    // body.
    const isLast = request.complete && this.#visits.isEnding(connectionOf(request))
    if (isLast || this.#options.isShuttingDown()) response.shouldKeepAlive = false
    if ('status' in admitted) {
      // Read and discard the body of a refused request.
      request.resume()
      if (admitted.status === 400 || admitted.status === 421) response.shouldKeepAlive = false
      sendHttpResponse(response, admitted)
      return
    }
    if (!isResponseClosed(request, response)) forwardRequest(this.#options, admitted, response, waitsForContinue)
  }

  /** Detaches instances from a connection, so that the connection remains open when an instance ends. */
  leave(connection: Socket): void {
    this.#visits.leave(connection)
  }

  /** Handles the socket of a WebSocket request. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Refuse an upgrade request with a body, because instance and gateway could disagree about the end of the body.
    const admitted = canRequestHaveBody(request) ? createErrorPageResponse('malformed', request) : await this.#admit(request)
    if ('status' in admitted) refuseUpgrade(socket, admitted)
    else if (!socket.destroyed) forwardUpgrade(this.#options, admitted, socket, head)
  }

  async #admit(request: IncomingMessage): Promise<Admitted | Answer> {
    const asked = this.#read(request)
    if (typeof asked === 'string') return createErrorPageResponse(asked, request)
    // Try twice, because the first attempt may return the result of a concurrent request that sent no access key.
    for (let tries = 0; tries < 2; tries += 1) {
      const opened = await this.#visits.find(asked, request)
      if (typeof opened === 'string') return createErrorPageResponse(opened, request)
      const { key } = opened instanceof Visit ? opened.target : opened
      const stopped = key === undefined ? undefined : checkAccessKey(request, key, asked.client.protocol)
      if (stopped) return stopped
      if (opened instanceof Visit) return { asked, visit: opened, request }
    }
    return createErrorPageResponse('unavailable', request)
  }

  #read(request: IncomingMessage): Asked | RoutePage {
    if (isAmbiguousRequest(request)) return 'malformed'
    const host = hostOf(request) ?? ''
    const owner = parseInstanceHost(host, this.#options.domain)
    if (owner.kind === 'malformed') return 'malformed'
    const serverName = serverNameOf(request)
    if (owner.kind === 'platform') return 'elsewhere'
    if (owner.label === undefined) return 'unknown'
    if (serverName !== undefined && serverName !== `${owner.label}.${this.#options.domain}`) return 'elsewhere'
    return { label: owner.label, host, client: this.#options.client(request) }
  }
}
