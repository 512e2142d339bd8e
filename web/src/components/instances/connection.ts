import { InputLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { addressOfCall } from '../../lib/http.ts'

/**
 * Address of an instance. A `proxy` address is a WebSocket of this site that forwards TCP. A `direct` address is a host and a port.
 */
export type Connection =
  | Readonly<{ kind: 'proxy'; id: string; webSocket: string }>
  | Readonly<{ kind: 'direct'; host: string; port: number; address: string }>

/** Port on the player's own machine on which the proxy commands listen. */
export const localPort = 1337

/**
 * Parses the `instanceEntry` of the server. A proxied instance has an id of 36 characters without a colon.
 * @param origin origin of this site, for example `https://ctf.example.org`
 * @returns undefined if the address is not known yet
 */
export function parseInstanceEntry(entry: string, origin: string): Connection | undefined {
  if (entry.length === InputLimits.uuidLength && !entry.includes(':')) {
    const path = addressOfCall(operations.proxyInstance, { params: { id: entry } })
    return { kind: 'proxy', id: entry, webSocket: `${origin.replace(/^http/, 'ws')}${path}` }
  }
  const colon = entry.lastIndexOf(':')
  const host = entry.slice(0, colon)
  const port = Number(entry.slice(colon + 1))
  return colon > 0 && Number.isInteger(port) && port > 0 ? { kind: 'direct', host, port, address: entry } : undefined
}

/**
 * Parses the `instanceEntry` of an organizer's test instance. The tunnel of a test instance has another path. Parameters and
 * result are the same as for `parseInstanceEntry`.
 */
export function parseTestInstanceEntry(entry: string, origin: string): Connection | undefined {
  const connection = parseInstanceEntry(entry, origin)
  if (connection?.kind !== 'proxy') return connection
  const path = addressOfCall(operations.proxyTestContainer, { params: { id: connection.id } })
  return { ...connection, webSocket: `${origin.replace(/^http/, 'ws')}${path}` }
}

/** Returns the host in the form that commands expect, without the brackets around an IPv6 address. */
export function removeIpv6Brackets(host: string) {
  return host.replace(/^\[(.*)\]$/, '$1')
}

export type CommandLine = Readonly<{
  id: 'netcat' | 'webSocketClient' | 'forward'
  text: string
}>

/** Returns the commands for the player's own terminal. */
export function listTerminalCommands(connection: Connection): readonly CommandLine[] {
  if (connection.kind === 'direct')
    return [{ id: 'netcat', text: `nc ${removeIpv6Brackets(connection.host)} ${connection.port}` }]
  return [
    { id: 'webSocketClient', text: `websocat -b ${connection.webSocket}` },
    { id: 'forward', text: `websocat -b tcp-l:127.0.0.1:${localPort} ${connection.webSocket}` },
    { id: 'netcat', text: `nc 127.0.0.1 ${localPort}` },
  ]
}

/** Returns the browser address of an HTTP challenge. For a proxied instance, the player must run the forwarding command first. */
export function getBrowserAddress(connection: Connection): string {
  return connection.kind === 'direct' ? `http://${connection.address}/` : `http://127.0.0.1:${localPort}/`
}
