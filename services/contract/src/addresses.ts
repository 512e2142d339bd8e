import { InputLimits } from './limits.ts'

/** Returns the normalized form of an address. A dual-stack socket reports an IPv4 client as `::ffff:192.0.2.1` (RFC 4291). */
export function normalizeIpAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}

/**
 * Returns a client's key for limits. An IPv4 address is its own key, even if it is mapped into IPv6. The key of an IPv6 address
 * is its first 64 bits (`2001:db8:0:1::/64`), usually the network of one client. All invalid addresses share one key, so a client
 * cannot evade limits with forged addresses. The function runs in linear time.
 */
export function limitKeyOfIpAddress(address: string): string {
  if (address.length > InputLimits.maxAddressLength) return 'unknown'
  if (isIPv4(address)) return address
  const groups = readIPv6(address)
  if (groups === undefined) return 'unknown'
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

/**
 * Returns the key of a client's network. For IPv6 it is the first 48 bits (`2001:db8:1::/48`), because one client can own such a
 * network, which contains 65,536 keys of `limitKeyOfIpAddress`. An IPv4 address is its own key.
 */
export function addressNetworkKey(address: string): string {
  return limitKeyOfIpAddress(address).replace(/:[^:]*::\/64$/, '::/48')
}

function isIPv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

/**
 * Returns the eight groups of an IPv6 address (RFC 4291, section 2.2). Ignores the zone.
 * @returns undefined if the address is invalid
 */
function readIPv6(address: string): readonly number[] | undefined {
  const [withoutZone = ''] = address.split('%', 1)
  const halves = undot(withoutZone).split('::')
  if (halves.length > 2) return undefined
  const [before, after] = halves.map(readGroups)
  if (before === undefined) return undefined
  if (halves.length === 1) return before.length === 8 ? before : undefined
  if (after === undefined || before.length + after.length > 7) return undefined
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/** Converts the IPv4 part of an IPv6 address to hexadecimal groups, such as `::ffff:192.0.2.1` to `::ffff:c000:201`. */
function undot(text: string): string {
  const start = text.lastIndexOf(':') + 1
  if (start === 0 || !isIPv4(text.slice(start))) return text
  const [a = 0, b = 0, c = 0, d = 0] = text.slice(start).split('.').map(Number)
  return `${text.slice(0, start)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

function readGroups(text: string): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  return parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part)) ? parts.map((part) => Number.parseInt(part, 16)) : undefined
}
