import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { normalizeIpAddress } from '@capstan/contract/addresses'
import { InputLimits, ListenerLimits } from '@capstan/contract/limits'
import { createSettingKind, integer } from '@capstan/settings/kinds'
import { withDefault } from '@capstan/settings/setting'
import proxyAddr from '@fastify/proxy-addr'

export type TrustedProxies = boolean | readonly string[]

function readTrustedProxies(given: string): TrustedProxies | undefined {
  if (given === 'true' || given === 'false') return given === 'true'
  const entries = given
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  try {
    proxyAddr.compile(entries)
    return entries
  } catch {
    return undefined
  }
}

export const trustedProxies = withDefault(
  'CAPSTAN_TRUSTED_PROXIES',
  createSettingKind('true, false, or addresses and networks, separated by commas', '10.0.0.0/8,192.0.2.7', readTrustedProxies),
  'false',
  'addresses and networks of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` count, or `true` for all; the web process needs no entry',
)

export const connectionsPerAddress = withDefault(
  'CAPSTAN_CONNECTIONS_PER_ADDRESS',
  integer(1, 1_000_000, 10_000),
  ListenerLimits.maxConnectionsPerAddress,
  'maximum number of open connections of one client address at a port, and of concurrent requests of one client address; trusted proxies have no limit',
)

/** Client that sent a request, according to trusted headers. */
export type Client = Readonly<{
  /** IP address in its normalized notation. Empty if the connection is already closed. */
  address: string
  protocol: 'http' | 'https'
  host: string | undefined
  /** True if the peer is a trusted proxy or our web process, so that its headers describe the client. */
  isForwarded: boolean
  /** True if the peer is on this machine and the request has no proxy header. A client cannot become local by a forged header. */
  isLocal: boolean
}>

export type ClientReaderOptions = Readonly<{
  trustedProxies: TrustedProxies
  /**
   * Shared secret that proves that a request comes from the web process. Absent if no web process forwards requests to this
   * process.
   */
  internalToken?: string
}>

const proofHeader = 'x-forwarded-proof'

/**
 * Returns the proof that the web process forwarded a request. The secret itself is not sent, because it also grants access to
 * `/internal`.
 */
function proofOf(internalToken: string): string {
  return createHmac('sha256', internalToken).update('passed on by the web process').digest('base64url')
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^127(\.\d{1,3}){3}$/.test(address)
}

/** True for headers in which proxies and our web process describe the client (RFC 7239 and older names). */
function isHopHeader(name: string): boolean {
  return name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip' || name === 'via'
}

/** Returns the last entry of a header, which the nearest proxy wrote. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header.at(-1) : header)?.split(',').at(-1)?.trim() || undefined
}

/**
 * Maximum number of cached addresses. Without a limit, clients with many addresses could fill the memory. The limit is far above
 * the usual number of proxies.
 */
const maxTrustMemory = 1_000

/**
 * Compiles the list of proxies and caches the result for each address. Otherwise, each request would parse an address
 * and compare it with each network. These are the slowest steps of finding the client of a request.
 */
function compileTrust(trusted: readonly string[]): (address: string, hop: number) => boolean {
  const trust = proxyAddr.compile([...trusted])
  const memory = new Map<string, boolean>()
  return (address, hop) => {
    const known = memory.get(address)
    if (known !== undefined) return known
    const isTrusted = trust(address, hop)
    if (memory.size >= maxTrustMemory) memory.clear()
    if (address.length <= InputLimits.maxAddressLength) memory.set(address, isTrusted)
    return isTrusted
  }
}

/**
 * Creates a function that returns true for the addresses of trusted proxies. The second argument of the returned
 * function is the number of hops between this process and the address.
 * @throws Error if `trustedProxies` has an invalid entry
 */
export function createProxyCheck(trustedProxies: TrustedProxies): (address: string, hop: number) => boolean {
  return typeof trustedProxies === 'boolean' ? () => trustedProxies : compileTrust(trustedProxies)
}

/**
 * Creates a function that reads the client of a request. The function uses X-Forwarded-For, -Proto and -Host if the
 * peer is a trusted proxy, or if the request has the proof of our web process. It never uses `Forwarded` and X-Real-IP.
 * @throws Error if `trustedProxies` has an invalid entry
 */
export function createClientReader({ trustedProxies, internalToken }: ClientReaderOptions) {
  const isTrusted = createProxyCheck(trustedProxies)
  const proof = internalToken === undefined ? undefined : Buffer.from(proofOf(internalToken))

  const isProven = ({ headers }: IncomingMessage): boolean => {
    const given = headers[proofHeader]
    if (proof === undefined || typeof given !== 'string') return false
    const bytes = Buffer.from(given)
    return bytes.length === proof.length && timingSafeEqual(bytes, proof)
  }

  /**
   * Returns the last address of the chain that does not belong to a trusted proxy. If this address is not valid, returns the peer's
   * address.
   */
  const addressOf = (request: IncomingMessage, peer: string, trust: (address: string, hop: number) => boolean): string => {
    const named = normalizeIpAddress(proxyAddr(request, trust) ?? '')
    // Limit the length, because the interface name after an IPv6 address may be arbitrarily long.
    return named.length > InputLimits.maxAddressLength || isIP(named) === 0 ? peer : named
  }

  return (request: IncomingMessage): Client => {
    const { headers, socket } = request
    const peer = normalizeIpAddress(socket.remoteAddress ?? '')
    const isLocal = isLoopback(peer) && !Object.keys(headers).some(isHopHeader)
    const proven = isProven(request)
    if (!proven && !isTrusted(peer, 0))
      return { address: peer, protocol: 'http', host: headers.host, isForwarded: false, isLocal }
    // Some proxies send `wss` as the protocol of a WebSocket request.
    const isSecure = ['https', 'wss'].includes(lastOf(headers['x-forwarded-proto'])?.toLowerCase() ?? '')
    // The web process sends one address, which it has already verified.
    const trust = proven ? (_address: string, hop: number) => hop === 0 : isTrusted
    return {
      address: headers['x-forwarded-for'] === undefined ? peer : addressOf(request, peer, trust),
      protocol: isSecure ? 'https' : 'http',
      host: lastOf(headers['x-forwarded-host']) ?? headers.host,
      isForwarded: true,
      isLocal,
    }
  }
}

/**
 * Returns headers that prove that a request comes from a process of the platform. The api and the gateway do not limit the
 * connections of such a process.
 */
export function createProofHeaders(internalToken: string): Readonly<Record<string, string>> {
  return { [proofHeader]: proofOf(internalToken) }
}

/**
 * Creates the function with which the web process sends a client's address, protocol and host to api and gateway. The function
 * replaces all proxy headers of a request by verified values. It adds a proof, so that api and gateway trust the values.
 */
export function createForwardingHeaderWriter(internalToken: string) {
  const proof = proofOf(internalToken)
  return ({ headers }: IncomingMessage, { address, protocol, host }: Client): void => {
    for (const name of Object.keys(headers)) if (isHopHeader(name)) delete headers[name]
    headers['x-forwarded-for'] = address
    headers['x-forwarded-proto'] = protocol
    if (host !== undefined && host !== headers.host) headers['x-forwarded-host'] = host
    headers[proofHeader] = proof
  }
}
