import { type InstanceAccess, type InstanceWay, openingAddress } from '@capstan/contract/reach'
import { bareHost } from './connection.ts'

/** The names of protocols are the same in all languages. */
const wayNames: Readonly<Record<InstanceWay, string>> = { http: 'HTTP', tls: 'TLS', tcp: 'TCP', websocket: 'WebSocket' }

/** Of one of the ways to an instance, or a connection by it; a port is named by its number where it is not the entry. */
export function nameOf({ way, port }: { readonly way: InstanceWay; readonly port?: number | undefined }): string {
  return port === undefined ? wayNames[way] : `${wayNames[way]} :${port}`
}

export function keyOf({ way, port = 0 }: InstanceAccess): string {
  return `${way} ${port}`
}

/** A way to another port of the container than its entry. */
export type FurtherAccess = InstanceAccess & { readonly port: number }

/** The best way to each of them. */
export function furtherPortsOf(ways: readonly InstanceAccess[]): readonly FurtherAccess[] {
  return ways.filter(
    (access, index): access is FurtherAccess =>
      access.port !== undefined && ways.findIndex(({ port }) => port === access.port) === index,
  )
}

/** What stands first for a way, ready to be copied: an address of the web, or a line; undefined: the tunnel. */
export function firstLineOf(access: InstanceAccess): string | undefined {
  return access.way === 'http' ? openingAddress(access) : linesOf(access)[0]
}

/** Lines for the player's own terminal, the one to paste first. A WebSocket has lines of its own. */
export function linesOf({ way, address, key, isTls }: InstanceAccess): readonly string[] {
  if (way === 'websocket') return []
  if (way === 'http') {
    const { protocol, hostname } = new URL(address)
    // Nobody vouches for a certificate that was made at the start.
    const options = protocol === 'https:' && isBelowLocalhost(hostname) ? '-ik' : '-i'
    return [`curl ${options} ${key === undefined ? '' : `-H 'Capstan-Key: ${key}' `}${address}`]
  }
  const colon = address.lastIndexOf(':')
  const host = bareHost(address.slice(0, colon))
  const port = address.slice(colon + 1)
  if (way === 'tls') return linesOfTls(isBelowLocalhost(host) ? 'localhost' : host, port, host)
  if (isTls) return linesOfTls(host, port)
  return [`nc ${host} ${port}`, `socat - TCP:${address}`, `from pwn import *; io = remote('${host}', ${port})`]
}

/** Browsers and curl know that it is this machine; what asks the system often does not. */
function isBelowLocalhost(host: string): boolean {
  return host.endsWith('.localhost')
}

/** @param name of the server; absent: of no account */
function linesOfTls(host: string, port: string, name?: string): readonly string[] {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const isOther = name !== undefined && name !== host
  return [
    `ncat --ssl ${isOther ? `--ssl-servername ${name} ` : ''}${host} ${port}`,
    `openssl s_client -quiet ${name === undefined ? '' : `-servername ${name} `}-connect ${address}`,
    `socat - OPENSSL:${address},${name === undefined ? '' : `snihost=${name},`}verify=0`,
    `from pwn import *; io = remote('${host}', ${port}, ssl=True${isOther ? `, sni='${name}'` : ''})`,
  ]
}

/** They are not those of an instance that ran here before. */
export function isOfInstance(ways: readonly InstanceAccess[], instanceId: string): boolean {
  return ways.some(({ way, address }) => way === 'websocket' && address.endsWith(`/${instanceId}`))
}

/**
 * What a browser opens, undefined: nothing.
 * @param isWeb the challenge is likely a web site, even where nobody said that it speaks HTTP
 */
export function siteOf(ways: readonly InstanceAccess[], isWeb: boolean): string | undefined {
  const find = (wanted: InstanceWay) => ways.find(({ way, port }) => way === wanted && port === undefined)
  const http = find('http')
  if (http) return openingAddress(http)
  const port = isWeb ? find('tcp') : undefined
  return port && `${port.isTls ? 'https' : 'http'}://${port.address}/`
}

/** Another device can open it: names and addresses of this machine lead nowhere there. */
export function isForPhones(site: string): boolean {
  const { hostname } = new URL(site)
  return !(hostname === 'localhost' || isBelowLocalhost(hostname) || hostname.startsWith('127.') || hostname === '[::1]')
}
