import type { IncomingMessage } from 'node:http'
import { plainAddress } from '@capstan/contract/addresses'
import proxyAddr from '@fastify/proxy-addr'

/** `true`: every proxy. `false`: none. Else addresses, networks or the names `loopback`, `linklocal`, `uniquelocal`. */
export type TrustedProxies = boolean | readonly string[]

/** Makes the reader of a client's address: from X-Forwarded-For as far as the proxies are trusted (behaviour §1). Throws for a wrong entry. */
export function createClientAddress(trusted: TrustedProxies): (request: IncomingMessage) => string {
  const trust = typeof trusted === 'boolean' ? () => trusted : proxyAddr.compile([...trusted])
  return (request) => plainAddress(proxyAddr(request, trust) ?? '')
}
