import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { plainAddress } from '@capstan/contract/addresses'
import { InputLimits } from '@capstan/contract/limits'
import { kind } from '@capstan/settings/kinds'
import { withDefault } from '@capstan/settings/setting'
import proxyAddr from '@fastify/proxy-addr'

/** `true`: whoever connects. `false`: nobody. Else addresses, networks or the names `loopback`, `linklocal`, `uniquelocal`. */
export type TrustedProxies = boolean | readonly string[]

const readTrustedProxies = (given: string): TrustedProxies | undefined => {
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
  kind('true, false, or addresses and networks with commas between', '10.0.0.0/8,192.0.2.7', readTrustedProxies),
  'false',
  'addresses and networks of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` count, or `true` for everybody; the web process needs no entry',
)

/** Whom a request comes from, as far as it can be believed. */
export interface Client {
  /** As people know it; empty when the connection is gone already. */
  readonly address: string
  readonly protocol: 'http' | 'https'
  /** The name by which it called us. */
  readonly host: string | undefined
  /** On this machine and without anything in between that says so: what a header claims makes nobody local. */
  readonly isLocal: boolean
}

export interface ClientReaderOptions {
  readonly trustedProxies: TrustedProxies
  /** Set where the web process may be in front: it proves itself with what it makes of the same secret. */
  readonly internalToken?: string
}

const proofHeader = 'x-forwarded-proof'

/** Proves that a request was passed on by our own web process. Not the secret itself, which opens `/internal`. */
const proofOf = (internalToken: string): string =>
  createHmac('sha256', internalToken).update('passed on by the web process').digest('base64url')

const isLoopback = (address: string): boolean => address === '::1' || /^127(\.\d{1,3}){3}$/.test(address)

/** Headers by which proxies tell about the client (RFC 7239 and what was usual before it), and our own web process. */
const isHopHeader = (name: string): boolean =>
  name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip' || name === 'via'

/** The entry that the proxy next to us has written. */
const lastOf = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header.at(-1) : header)?.split(',').at(-1)?.trim() || undefined

/** Few addresses connect to us in front of which proxies stand; whoever comes from many does not fill the memory. */
const trustMemoryMax = 1_000

/** Reading an address and comparing it with each network costs more than all else that is read of a client. */
const compileTrust = (trusted: readonly string[]): ((address: string, hop: number) => boolean) => {
  const trust = proxyAddr.compile([...trusted])
  const memory = new Map<string, boolean>()
  return (address, hop) => {
    const known = memory.get(address)
    if (known !== undefined) return known
    const isTrusted = trust(address, hop)
    if (memory.size >= trustMemoryMax) memory.clear()
    if (address.length <= InputLimits.addressMaxLength) memory.set(address, isTrusted)
    return isTrusted
  }
}

/**
 * Makes the reader of clients. X-Forwarded-For, -Proto and -Host count when the connection itself comes from a listed proxy, or when
 * the request carries the proof of our own web process; `Forwarded` and X-Real-IP never do.
 * @throws Error for a wrong entry in `trustedProxies`
 */
export const createClientReader = ({ trustedProxies, internalToken }: ClientReaderOptions) => {
  const isTrusted = typeof trustedProxies === 'boolean' ? () => trustedProxies : compileTrust(trustedProxies)
  const proof = internalToken === undefined ? undefined : Buffer.from(proofOf(internalToken))

  const isProven = ({ headers }: IncomingMessage): boolean => {
    const given = headers[proofHeader]
    if (proof === undefined || typeof given !== 'string') return false
    const bytes = Buffer.from(given)
    return bytes.length === proof.length && timingSafeEqual(bytes, proof)
  }

  /** The address that the chain of believed proxies names; one that is none, or names no address, is taken for the client. */
  const addressOf = (request: IncomingMessage, peer: string, trust: (address: string, hop: number) => boolean): string => {
    const named = plainAddress(proxyAddr(request, trust) ?? '')
    // The name of an interface behind an IPv6 address may be of any length.
    return named.length > InputLimits.addressMaxLength || isIP(named) === 0 ? peer : named
  }

  return (request: IncomingMessage): Client => {
    const { headers, socket } = request
    const peer = plainAddress(socket.remoteAddress ?? '')
    const isLocal = isLoopback(peer) && !Object.keys(headers).some(isHopHeader)
    const proven = isProven(request)
    if (!proven && !isTrusted(peer, 0)) return { address: peer, protocol: 'http', host: headers.host, isLocal }
    // Some name the protocol of an upgrade by `wss`.
    const isSecure = ['https', 'wss'].includes(lastOf(headers['x-forwarded-proto'])?.toLowerCase() ?? '')
    // The web process names one address, which it has looked into itself.
    const trust = proven ? (_address: string, hop: number) => hop === 0 : isTrusted
    return {
      address: headers['x-forwarded-for'] === undefined ? peer : addressOf(request, peer, trust),
      protocol: isSecure ? 'https' : 'http',
      host: lastOf(headers['x-forwarded-host']) ?? headers.host,
      isLocal,
    }
  }
}

/** For the web process: replaces whatever a request says about its way here by what is believed, with the proof for api and gateway. */
export const createClientWriter = (internalToken: string) => {
  const proof = proofOf(internalToken)
  return ({ headers }: IncomingMessage, { address, protocol, host }: Client): void => {
    for (const name of Object.keys(headers)) if (isHopHeader(name)) delete headers[name]
    headers['x-forwarded-for'] = address
    headers['x-forwarded-proto'] = protocol
    if (host !== undefined && host !== headers.host) headers['x-forwarded-host'] = host
    headers[proofHeader] = proof
  }
}
