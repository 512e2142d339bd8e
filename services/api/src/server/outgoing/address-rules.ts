// Rules for addresses that the platform may connect to on behalf of a user.
import ipaddr from 'ipaddr.js'

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Networks and host names of the server's configuration. */
export type AddressRules = Readonly<{
  /** Networks (`10.1.0.0/16`, `192.0.2.7`) and host names that are permitted although they are private. */
  allowed: readonly string[]
  /** Public networks that are refused, such as the networks of the cluster. */
  blocked: readonly string[]
}>

/** Networks that `ipaddr.js` counts as unicast, but that are not public, or that contain metadata services. */
const otherReserved = ['::/96', '168.63.129.16'].map(readNetwork)

const globalUnicast = readNetwork('2000::/3')

/** @throws Error if the text is not an address or network */
function readNetwork(text: string): Network {
  return text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128]
}

/** True if the text is an address or network in the usual notation. */
export function isIpNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) || ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/**
 * Returns the IPv4 address that an IPv6 address represents, in the mapped form or with the well-known prefix of NAT64 (RFC 6052).
 * Returns all other addresses unchanged.
 */
function untranslated(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const isNat64 = address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)
  return isNat64 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

export interface AddressFence {
  /** True if the configuration permits this host name, regardless of its addresses. */
  permitsHost(name: string): boolean
  /** True if the address is public, or permitted by the configuration. */
  permitsAddress(address: string): boolean
}

/** Returns the checks for a configuration. @throws Error if an entry of `blocked` is not a network */
export function createAddressFence({ allowed, blocked }: AddressRules): AddressFence {
  const allowedNetworks = allowed.filter(isIpNetwork).map(readNetwork)
  const allowedHosts = new Set(allowed.filter((entry) => !isIpNetwork(entry)).map((entry) => entry.toLowerCase()))
  const refused = [...otherReserved, ...blocked.map(readNetwork)]
  return {
    permitsHost: (name) => allowedHosts.has(name.toLowerCase()),
    permitsAddress(text) {
      if (!ipaddr.isValid(text)) return false
      const address = untranslated(ipaddr.parse(text))
      if (allowedNetworks.some((network) => isWithin(address, network))) return true
      if (address.range() !== 'unicast' || refused.some((network) => isWithin(address, network))) return false
      return address.kind() === 'ipv4' || isWithin(address, globalUnicast)
    },
  }
}
