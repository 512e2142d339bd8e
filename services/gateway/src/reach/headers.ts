import type { IncomingMessage } from 'node:http'
import { keyHeader, readInstanceName } from '@capstan/contract/reach'
import { isKeyCookie } from './guard.ts'
import { readHost } from './host.ts'

/** Names and values in turn, as Node has them: in their order and their case, each as often as it came. */
export type RawHeaders = readonly string[]

/** For one connection only (RFC 9110, section 7.6.1), beside those that `Connection` names. */
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

/** What tells of the way of a request is said by us alone, and what opened the way is nobody else's business. */
const isAboutTheWay = (name: string): boolean =>
  name.startsWith('x-forwarded-') ||
  name === 'forwarded' ||
  name === 'x-real-ip' ||
  name === 'x-capstan-client-protocol' ||
  name === keyHeader

/** Cookies of the platform. A browser sends them to no instance; whoever else does is not helped. */
const isPlatformCookie = (pair: string): boolean => /^\s*(?:__Host-)?capstan_session\s*=/.test(pair)

const none: ReadonlySet<string> = new Set()

/** Headers that `Connection` says are for one connection, as far as it names any beside those that always are. */
const namedHops = (connection: string | undefined): ReadonlySet<string> => {
  if (connection === undefined || hopByHop.has(connection.toLowerCase())) return none
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()))
}

/** Hands over each header; a generator would cost several times as much, and this is done for every request. */
const eachPair = (raw: RawHeaders, take: (lower: string, name: string, value: string) => void): void => {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    // HTTP/2 has pseudo-headers.
    if (!name.startsWith(':')) take(name.toLowerCase(), name, raw[index + 1] ?? '')
  }
}

const platformCookiesRemoved = (cookies: string): string =>
  cookies
    .split(';')
    .filter((pair) => !isPlatformCookie(pair) && !isKeyCookie(pair))
    .join(';')
    .trimStart()

export interface RequestHop {
  readonly clientAddress: string
  readonly protocol: 'http' | 'https'
  /** As the client named the instance. */
  readonly host: string
  readonly domain: string
  /** The request asks for a WebSocket, which needs `Connection` and `Upgrade` on each hop. */
  readonly isUpgrade: boolean
}

/** The same for all ports of an instance. */
const labelIn = (name: string | undefined): string | undefined => readInstanceName(name ?? '')?.label

/** A page of another instance: its name is nobody else's business. */
const isOtherInstance = (address: string, { host, domain }: RequestHop): boolean => {
  const url = URL.parse(address)
  const owner = url === null ? undefined : readHost(url.host, domain)
  const own = readHost(host, domain)
  return owner?.kind === 'instance' && own.kind === 'instance' && labelIn(owner.label) !== labelIn(own.label)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined

/** Headers of a request as the instance gets them. */
export function requestHeaders(request: IncomingMessage, hop: RequestHop): string[] {
  const { headers, rawHeaders, method = 'GET' } = request
  const isChunked = headers['transfer-encoding'] !== undefined || (request.httpVersionMajor === 2 && mayHaveBody(request))
  const named = namedHops(headers.connection)
  const kept = ['Host', hop.host]
  eachPair(rawHeaders, (lower, name, value) => {
    if (lower === 'host' || lower === 'cookie' || hopByHop.has(lower) || named.has(lower) || isAboutTheWay(lower)) return
    if (lower === 'trailer' && !isChunked) return
    if (lower === 'referer' && isOtherInstance(value, hop)) return
    kept.push(name, lower === 'origin' && isOtherInstance(value, hop) ? 'null' : value)
  })
  const cookies = platformCookiesRemoved(headers.cookie ?? '')
  if (cookies !== '') kept.push('Cookie', cookies)
  kept.push('X-Forwarded-For', hop.clientAddress, 'X-Forwarded-Proto', hop.protocol, 'X-Forwarded-Host', hop.host)
  if (hop.isUpgrade) kept.push('Connection', 'Upgrade', 'Upgrade', headers.upgrade ?? '')
  else if (isChunked) kept.push('Transfer-Encoding', 'chunked')
  // Said for the client: without any length Node would announce chunks.
  else if (!hasBody(request) && !bodiless.has(method)) kept.push('Content-Length', '0')
  return kept
}

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'CONNECT'])

/** A request of HTTP/2 says by its end whether it has a body: one that names no length may have. */
const mayHaveBody = (request: IncomingMessage): boolean =>
  request.headers['content-length'] === undefined &&
  !(request as { readonly stream?: { readonly endAfterHeaders?: boolean } }).stream?.endAfterHeaders

/** Whether something may follow the headers of a request. */
export const canHaveBody = (request: IncomingMessage): boolean =>
  (hasBody(request) && request.headers['content-length'] !== '0') || (request.httpVersionMajor === 2 && mayHaveBody(request))

/** Headers of an answer as the client gets them. @param canHaveTrailers the answer goes out in chunks */
export function responseHeaders(response: IncomingMessage, canHaveTrailers: boolean): string[] {
  const named = namedHops(response.headers.connection)
  const kept: string[] = []
  eachPair(response.rawHeaders, (lower, name, value) => {
    if (hopByHop.has(lower) || named.has(lower) || (lower === 'trailer' && !canHaveTrailers)) return
    kept.push(name, value)
  })
  return kept
}

/** As HTTP/2 has them: in lower case, several of a name as one with commas (RFC 9110, section 5.3), but for cookies. */
export function asRecord(raw: RawHeaders): Record<string, string | string[]> {
  const values = new Map<string, string[]>()
  eachPair(raw, (lower, _name, value) => {
    const known = values.get(lower)
    if (known) known.push(value)
    else values.set(lower, [value])
  })
  return Object.fromEntries([...values].map(([lower, all]) => [lower, lower === 'set-cookie' ? all : all.join(', ')]))
}

/** Trailers as `addTrailers` takes them. */
export function asPairs(raw: RawHeaders): [string, string][] {
  const pairs: [string, string][] = []
  eachPair(raw, (lower, name, value) => {
    if (!hopByHop.has(lower) && !isAboutTheWay(lower)) pairs.push([name, value])
  })
  return pairs
}

/**
 * Whether a request can be read in one way only: where two programs in a row could disagree about where it ends or whom it is for, it
 * goes no further. Node's parser has refused the rest (RFC 9112, section 11.2).
 */
export function isAmbiguous(request: IncomingMessage): boolean {
  const { headers, url = '', method } = request
  const counts = { host: 0, 'content-length': 0, 'transfer-encoding': 0 }
  eachPair(request.rawHeaders, (lower) => {
    if (lower === 'host' || lower === 'content-length' || lower === 'transfer-encoding') counts[lower] += 1
  })
  const encoding = headers['transfer-encoding']
  if (counts.host > 1 || counts['content-length'] > 1 || counts['transfer-encoding'] > 1) return true
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || headers['content-length'] !== undefined)) return true
  if (encoding !== undefined && request.httpVersion === '1.0') return true
  // Where the body ends is said to the next as well.
  if (namedHops(headers.connection).has('content-length')) return true
  const { ':authority': authority } = headers
  if (authority !== undefined && headers.host !== undefined && authority !== headers.host) return true
  return !(url.startsWith('/') || (url === '*' && method === 'OPTIONS'))
}
