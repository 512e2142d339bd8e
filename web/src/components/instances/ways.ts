import { browserUrlOf, type InstanceAccess, type InstanceWay } from '@capstan/contract/reach'
import { removeIpv6Brackets } from './connection.ts'

/** Protocol names, which are the same in all languages. */
const wayNames: Readonly<Record<InstanceWay, string>> = { http: 'HTTP', tls: 'TLS', tcp: 'TCP', websocket: 'WebSocket' }

/** Returns the name of a connection. The name contains the port, unless the connection leads to the main port. */
export function nameOfConnection({ way, port }: Readonly<{ way: InstanceWay; port?: number | undefined }>): string {
  return port === undefined ? wayNames[way] : `${wayNames[way]} :${port}`
}

export function keyOfConnection({ way, port = 0 }: InstanceAccess): string {
  return `${way} ${port}`
}

/** Connection to a container port other than the main one. */
export type FurtherAccess = InstanceAccess & { readonly port: number }

/** Returns the best connection to each port other than the main one. */
export function listBestConnectionPerPort(ways: readonly InstanceAccess[]): readonly FurtherAccess[] {
  return ways.filter(
    (access, index): access is FurtherAccess =>
      access.port !== undefined && ways.findIndex(({ port }) => port === access.port) === index,
  )
}

/**
 * Returns the first line to copy for a connection: a web address or a command.
 * @returns undefined for the tunnel
 */
export function firstCopyableLineOf(access: InstanceAccess): string | undefined {
  return access.way === 'http' ? browserUrlOf(access) : listConnectionCommands(access)[0]
}

/**
 * Returns the commands for the player's own terminal, the preferred command first. Returns none for the WebSocket tunnel, because
 * `commandsOf` returns its commands.
 */
export function listConnectionCommands({ way, address, key, isTls }: InstanceAccess): readonly string[] {
  if (way === 'websocket') return []
  if (way === 'http') {
    const { protocol, hostname } = new URL(address)
    // The default certificate is self-signed, so curl needs -k.
    const options = protocol === 'https:' && isBelowLocalhost(hostname) ? '-ik' : '-i'
    return [`curl ${options} ${key === undefined ? '' : `-H 'Capstan-Key: ${key}' `}${address}`]
  }
  const colon = address.lastIndexOf(':')
  const host = removeIpv6Brackets(address.slice(0, colon))
  const port = address.slice(colon + 1)
  if (way === 'tls') return linesOfTls(isBelowLocalhost(host) ? 'localhost' : host, port, host)
  if (isTls) return linesOfTls(host, port)
  return [`nc ${host} ${port}`, `socat - TCP:${address}`, `from pwn import *; io = remote('${host}', ${port})`]
}

/** True for host names below localhost. Browsers and curl resolve them to this machine, but system resolvers often do not. */
function isBelowLocalhost(host: string): boolean {
  return host.endsWith('.localhost')
}

/** @param name host name that the client sends as SNI. Undefined if the client needs to send no SNI */
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

/** True if the connections belong to this instance, not to an earlier one. */
export function areConnectionsOfInstance(ways: readonly InstanceAccess[], instanceId: string): boolean {
  return ways.some(({ way, address }) => way === 'websocket' && address.endsWith(`/${instanceId}`))
}

/**
 * Returns the address that the link "Open in browser" opens.
 * @param isWeb true if the challenge is probably a web site, even if no HTTP port is declared
 * @returns undefined if no connection opens in a browser
 */
export function findBrowserAddress(ways: readonly InstanceAccess[], isWeb: boolean): string | undefined {
  const find = (wanted: InstanceWay) => ways.find(({ way, port }) => way === wanted && port === undefined)
  const http = find('http')
  if (http) return browserUrlOf(http)
  const port = isWeb ? find('tcp') : undefined
  return port && `${port.isTls ? 'https' : 'http'}://${port.address}/`
}

/** True if other devices can open the address. Local names and addresses work only on this machine. */
export function isReachableByPhones(site: string): boolean {
  const { hostname } = new URL(site)
  return !(hostname === 'localhost' || isBelowLocalhost(hostname) || hostname.startsWith('127.') || hostname === '[::1]')
}
