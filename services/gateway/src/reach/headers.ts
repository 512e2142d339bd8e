import type { IncomingMessage } from 'node:http'
import { keyHeader, parseInstanceName } from '@capstan/contract/reach'
import { isKeyCookie } from './guard.ts'
import { parseInstanceHost } from './host.ts'

/** Headers as Node stores them: alternating names and values, in the original order and case, including repeated names. */
export type RawHeaders = readonly string[]

/**
 * Names of headers that apply to only one connection (RFC 9110, section 7.6.1). The header `Connection` may name additional
 * headers.
 */
const hopByHop = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** True for headers that only the gateway may set, and for the header with the key of an instance. */
function isForwardingHeader(name: string): boolean {
  return (
    name.startsWith('x-forwarded-') ||
    name === 'forwarded' ||
    name === 'x-real-ip' ||
    name === 'x-capstan-client-protocol' ||
    name === keyHeader
  )
}

/** True for cookies of the platform, which instances must not see. */
function isPlatformCookie(pair: string): boolean {
  return /^\s*(?:__Host-)?capstan_session\s*=/.test(pair)
}

const none: ReadonlySet<string> = new Set()

/** Returns the additional hop-by-hop headers that `Connection` names. */
function namedHops(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined || hopByHop.has(connection.toLowerCase())) return none
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
}

/** Calls `take` for each header. A generator would be several times slower, which matters because this runs for every request. */
function eachPair(raw: RawHeaders, take: (lower: string, name: string, value: string) => void): void {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    // Skip HTTP/2 pseudo-headers.
    if (!name.startsWith(':')) take(name.toLowerCase(), name, raw[index + 1] ?? '')
  }
}

function platformCookiesRemoved(cookies: string): string {
  return cookies
    .split(';')
    .filter((pair) => !isPlatformCookie(pair) && !isKeyCookie(pair))
    .join(';')
    .trimStart()
}

export type RequestHop = Readonly<{
  clientAddress: string
  protocol: 'http' | 'https'
  /** Host name as the client sent it. */
  host: string
  domain: string
  /** True for a WebSocket request. Its headers `Connection` and `Upgrade` apply to only one hop, so the gateway adds them again. */
  isUpgrade: boolean
}>

/** Returns the label of an instance, which is the same for all its ports. */
function labelIn(name: string | undefined): string | undefined {
  return parseInstanceName(name ?? '')?.label
}

/** True if the address belongs to another instance. The instance that gets the request must not learn this address. */
function isOtherInstance(address: string, { host, domain }: RequestHop): boolean {
  const url = URL.parse(address)
  const owner = url === null ? undefined : parseInstanceHost(url.host, domain)
  const own = parseInstanceHost(host, domain)
  return owner?.kind === 'instance' && own.kind === 'instance' && labelIn(owner.label) !== labelIn(own.label)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}

export function buildRequestHeaders(request: IncomingMessage, hop: RequestHop): string[] {
  const { headers, rawHeaders, method = 'GET' } = request
  const isChunked = headers['transfer-encoding'] !== undefined || (request.httpVersionMajor === 2 && mayHaveBody(request))
  const named = namedHops(headers.connection)
  const forwarded = ['Host', hop.host]
  eachPair(rawHeaders, (lower, name, value) => {
    if (lower === 'host' || lower === 'cookie' || hopByHop.has(lower) || named.has(lower) || isForwardingHeader(lower)) return
    if (lower === 'trailer' && !isChunked) return
    if (lower === 'referer' && isOtherInstance(value, hop)) return
    forwarded.push(name, lower === 'origin' && isOtherInstance(value, hop) ? 'null' : value)
  })
  const cookies = platformCookiesRemoved(headers.cookie ?? '')
  if (cookies !== '') forwarded.push('Cookie', cookies)
  forwarded.push('X-Forwarded-For', hop.clientAddress, 'X-Forwarded-Proto', hop.protocol, 'X-Forwarded-Host', hop.host)
  if (hop.isUpgrade) forwarded.push('Connection', 'Upgrade', 'Upgrade', headers.upgrade ?? '')
  else if (isChunked) forwarded.push('Transfer-Encoding', 'chunked')
  // Add a length of zero, because Node would otherwise use chunked encoding.
  else if (!hasBody(request) && !bodiless.has(method)) forwarded.push('Content-Length', '0')
  return forwarded
}

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'CONNECT'])

/** True if an HTTP/2 request without a length may still have a body. */
function mayHaveBody(request: IncomingMessage): boolean {
  return (
    request.headers['content-length'] === undefined &&
    !(request as { readonly stream?: { readonly endAfterHeaders?: boolean } }).stream?.endAfterHeaders
  )
}

/** True if a body may follow the headers of a request. */
export function canRequestHaveBody(request: IncomingMessage): boolean {
  return (
    (hasBody(request) && request.headers['content-length'] !== '0') || (request.httpVersionMajor === 2 && mayHaveBody(request))
  )
}

/**
 * Returns the headers for the client from the response of an instance.
 * @param canHaveTrailers true if the response is sent in chunks
 */
export function buildResponseHeaders(response: IncomingMessage, canHaveTrailers: boolean): string[] {
  const named = namedHops(response.headers.connection)
  const forwarded: string[] = []
  eachPair(response.rawHeaders, (lower, name, value) => {
    if (hopByHop.has(lower) || named.has(lower) || (lower === 'trailer' && !canHaveTrailers)) return
    forwarded.push(name, value)
  })
  return forwarded
}

/**
 * Converts headers for HTTP/2. Names are in lower case, and repeated headers are joined by commas (RFC 9110, section 5.3), except
 * cookies.
 */
export function toHttp2Headers(raw: RawHeaders): Record<string, string | string[]> {
  const values = new Map<string, string[]>()
  eachPair(raw, (lower, _name, value) => {
    const known = values.get(lower)
    if (known) known.push(value)
    else values.set(lower, [value])
  })
  return Object.fromEntries([...values].map(([lower, all]) => [lower, lower === 'set-cookie' ? all : all.join(', ')]))
}

/** Converts trailers for `addTrailers`. */
export function toTrailerPairs(raw: RawHeaders): [string, string][] {
  const pairs: [string, string][] = []
  eachPair(raw, (lower, name, value) => {
    if (!hopByHop.has(lower) && !isForwardingHeader(lower)) pairs.push([name, value])
  })
  return pairs
}

/**
 * True if two programs could disagree about the end or the target of a request. The gateway refuses such a request. Node's parser
 * already refuses all other ambiguous requests (RFC 9112, section 11.2).
 */
export function isAmbiguousRequest(request: IncomingMessage): boolean {
  const { headers, url = '', method = '' } = request
  const counts = { host: 0, 'content-length': 0, 'transfer-encoding': 0 }
  eachPair(request.rawHeaders, (lower) => {
    if (lower === 'host' || lower === 'content-length' || lower === 'transfer-encoding') counts[lower] += 1
  })
  const encoding = headers['transfer-encoding']
  if (counts.host > 1 || counts['content-length'] > 1 || counts['transfer-encoding'] > 1) return true
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || headers['content-length'] !== undefined)) return true
  if (encoding !== undefined && request.httpVersion === '1.0') return true
  // Refuse a request whose `Connection` header lists `Content-Length`. The gateway removes the listed headers, but the instance
  // needs the length.
  if (namedHops(headers.connection).has('content-length')) return true
  // Methods are case-sensitive, but Node's client converts them to upper case. An HTTP/2 client could otherwise send CONNECT as `connect`.
  if (method !== method.toUpperCase()) return true
  const { ':authority': authority } = headers
  if (authority !== undefined && headers.host !== undefined && authority !== headers.host) return true
  return !(url.startsWith('/') || (url === '*' && method === 'OPTIONS'))
}
