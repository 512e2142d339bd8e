import { hubs } from '@capstan/contract/events'

export type HubName = keyof typeof hubs

/** Target of a request to the gateway's part of the site. */
export type Address =
  | Readonly<{ kind: 'hub'; hub: HubName }>
  | Readonly<{ kind: 'negotiate'; hub: HubName }>
  /** Address of a container. `owner` is `test` if an admin started the container as a test. `instanceId` is in lower case. */
  | Readonly<{ kind: 'proxy'; owner: 'team' | 'test'; instanceId: string }>
  /** Path that begins with a prefix that belongs to the gateway, but identifies neither a hub nor a container. */
  | { readonly kind: 'nothing' }

const hubNames = Object.keys(hubs) as HubName[]
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const ownPrefixes = ['/hub/', '/api/proxy/']

/**
 * Parses path and query of a request line. The path is case-insensitive (docs/contract/http.md).
 * @returns undefined if the address belongs to another part of the site
 */
export function parseGatewayAddress(url: string): Address | undefined {
  const path = pathOf(url).toLowerCase().replace(/\/$/, '')
  if (!ownPrefixes.some((prefix) => `${path}/`.startsWith(prefix))) return undefined
  for (const hub of hubNames) {
    if (path === hubs[hub].path) return { kind: 'hub', hub }
    if (path === `${hubs[hub].path}/negotiate`) return { kind: 'negotiate', hub }
  }
  const [, owner, instanceId = ''] = /^\/api\/proxy\/(noinst\/)?([^/]+)$/.exec(path) ?? []
  if (uuid.test(instanceId)) return { kind: 'proxy', owner: owner ? 'test' : 'team', instanceId }
  return { kind: 'nothing' }
}

/** Returns the first value of a query parameter. The name is case-insensitive. */
export function readQueryParameter(url: string, name: string): string | undefined {
  const start = url.indexOf('?')
  if (start < 0) return undefined
  for (const [key, value] of new URLSearchParams(url.slice(start + 1))) {
    if (key.toLowerCase() === name) return value
  }
  return undefined
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
