// Requests to addresses that users enter. Reasons: docs/adr/0068-fenced-requests-and-outgoing-events.md.
import { X509Certificate } from 'node:crypto'
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { Guard } from '@capstan/http/guard'
import { type AddressRules, createAddressFence } from './address-rules.ts'

const defaultTimeoutMs = 10_000
const defaultMaxBytes = 65_536

export type OutgoingConfig = AddressRules &
  Readonly<{
    /** True if addresses may begin with http://. */
    http: boolean
    /** Certificates of private authorities (PEM), which are trusted in addition to the public authorities. */
    authorities?: string | undefined
    /** Address of the HTTP proxy through which all connections are opened. */
    proxy?: string | undefined
  }>

/** Refusal or failure of a request. The message is for the person who entered the address, and it contains no address. */
export class OutgoingError extends Error {}

export type OutgoingRequest = Readonly<{
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Maximum time of the whole request. Default: 10 s. */
  timeoutMs?: number
  /** Maximum number of bytes to read from the body of the response. Further bytes are dropped. Default: 64 KiB. */
  maxBytes?: number
}>

export type OutgoingAnswer = Readonly<{
  status: number
  headers: IncomingHttpHeaders
  text: string
}>

export interface FencedFetch {
  /** Checks an address without sending a request or resolving the host name. @throws OutgoingError if the address is refused */
  check(address: string): URL
  /**
   * Sends a request to exactly the addresses that were checked. Follows no redirect, because the next server would get the
   * credentials, and a redirected POST loses its body.
   * @throws OutgoingError if the address is refused, or the request fails or takes too long
   */
  request(address: string, request?: OutgoingRequest): Promise<OutgoingAnswer>
}

type Resolve = (host: string) => Promise<LookupAddress[]>

const privateAddress =
  'The address is in a private or reserved network. The server’s configuration can allow it (CAPSTAN_OUTGOING_ALLOWED).'

const noAnswer = 'The server closed the connection without an answer.'

const resolveAll: Resolve = (host) => lookup(host, { all: true, order: 'verbatim' })

/** Returns a host name without the brackets of an IPv6 address. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

/**
 * Trusts private authorities in addition to the public authorities.
 * @throws Error if the certificates of the private authorities are not valid
 */
function trusting(authorities: string): SecureContext {
  // Throws if the certificates are invalid, because `createSecureContext` would silently ignore invalid certificates.
  new X509Certificate(authorities)
  return createSecureContext({ ca: [...rootCertificates, authorities] })
}

/** Reads at most `maxBytes` and drops the rest, so that a large response costs neither memory nor time. */
async function readBounded(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let missing = maxBytes
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, missing))
    missing -= chunk.length
    if (missing <= 0) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function asOutgoingError(error: unknown): OutgoingError {
  if (error instanceof OutgoingError) return error
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError' || name === 'AbortError')
    return new OutgoingError('The server did not answer in time.', { cause: error })
  return new OutgoingError(`The server could not be reached${code ? ` (${code})` : ''}.`, { cause: error })
}

/**
 * Creates the client for addresses that users enter. Use no other client for such addresses.
 * @param resolve resolver of host names. Default: the resolver of the system
 * @throws Error if the certificates of the configuration are not valid
 */
export function createFencedFetch(config: OutgoingConfig, resolve: Resolve = resolveAll): FencedFetch {
  const fence = createAddressFence(config)

  /**
   * Resolves a name once. The connection uses the checked addresses, so a later DNS response with other addresses has no effect.
   */
  const resolveChecked = async (host: string): Promise<LookupAddress[]> => {
    const addresses = await resolve(host).catch(() => {
      throw new OutgoingError('The host name could not be resolved.')
    })
    if (addresses.length === 0) throw new OutgoingError('The host name has no address.')
    if (fence.permitsHost(host) || addresses.every(({ address }) => fence.permitsAddress(address))) return addresses
    throw new OutgoingError(privateAddress)
  }

  const lookupChecked: LookupFunction = (host, { all }, callback) => {
    resolveChecked(host).then(
      (addresses) => {
        const [{ address, family } = { address: '', family: 4 }] = addresses
        if (all) callback(null, addresses)
        else callback(null, address, family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }

  /** Opens a tunnel through the proxy to a checked address (CONNECT, RFC 9110, section 9.3.6). */
  const openTunnel = async (proxy: string, url: URL, signal: AbortSignal): Promise<Socket> => {
    const host = bareHost(url)
    const [{ address } = { address: host }] = isIP(host) === 0 ? await resolveChecked(host) : []
    const path = `${isIP(address) === 6 ? `[${address}]` : address}:${portOf(url)}`
    return new Promise((open, fail) => {
      const request = httpRequest(proxy, { method: 'CONNECT', path, headers: { host: path }, signal, agent: false })
      const guard = new Guard(undefined, request)
      guard.on(request, 'error', fail)
      guard.on(request, 'close', () => fail(new OutgoingError(noAnswer)))
      guard.on(request, 'connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket) => {
        if (statusCode === 200) return open(socket)
        socket.destroy()
        fail(new OutgoingError(`The proxy refused the connection (${statusCode}).`))
      })
      guard.on(request, 'response', ({ statusCode = 0 }: IncomingMessage) => {
        request.destroy()
        fail(new OutgoingError(`The proxy refused the connection (${statusCode}).`))
      })
      request.end()
    })
  }

  const trust = config.authorities !== undefined && { secureContext: trusting(config.authorities) }

  /** Returns the connection options of a request. Each request opens a new connection, so the address is checked every time. */
  const connectionTo = async (url: URL, signal: AbortSignal): Promise<RequestOptions> => {
    if (config.proxy === undefined) return { lookup: lookupChecked, agent: false, ...trust }
    const socket = await openTunnel(config.proxy, url, signal)
    if (url.protocol === 'http:') return { createConnection: () => socket }
    const host = bareHost(url)
    const servername = isIP(host) === 0 ? host : ''
    return { createConnection: () => connectTls({ socket, host, servername, ...trust }) }
  }

  /** Sends a request and returns the response before its body is read. */
  const exchange = async (url: URL, { method = 'GET', headers, body }: OutgoingRequest, signal: AbortSignal) => {
    const connection = await connectionTo(url, signal)
    return new Promise<IncomingMessage>((answer, fail) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        ...connection,
        method,
        headers: { 'user-agent': 'Capstan', ...headers, ...length },
        signal,
      })
      const guard = new Guard(undefined, request)
      guard.on(request, 'error', fail)
      guard.on(request, 'response', answer)
      // If the server switches protocols (RFC 9110, section 15.2.2), Node closes the request without an `error` or `response`
      // event.
      guard.on(request, 'close', () => fail(new OutgoingError(noAnswer)))
      request.end(body)
    })
  }

  const check = (text: string): URL => {
    const url = URL.parse(text)
    if (!url) throw new OutgoingError('The address is not valid.')
    if (url.protocol !== 'https:' && !(config.http && url.protocol === 'http:'))
      throw new OutgoingError('The address must begin with https://.')
    if (url.username !== '' || url.password !== '') throw new OutgoingError('The address must not contain a user name.')
    const host = bareHost(url)
    // Check an IP address here. A socket connects to an IP address without a look-up, so `lookupChecked` is not called.
    if (isIP(host) !== 0 && !fence.permitsAddress(host)) throw new OutgoingError(privateAddress)
    return url
  }

  return {
    check,
    async request(address, request = {}) {
      try {
        const signal = AbortSignal.timeout(request.timeoutMs ?? defaultTimeoutMs)
        const response = await exchange(check(address), request, signal)
        const text = await readBounded(response, request.maxBytes ?? defaultMaxBytes)
        return { status: response.statusCode ?? 0, headers: response.headers, text }
      } catch (error) {
        throw asOutgoingError(error)
      }
    },
  }
}
