import {
  type ChallengeReach,
  hasPlainPort,
  type InstanceAccess,
  listAdditionalPlainPorts,
  type OfferedPort,
  type ReachOffer,
} from '@capstan/contract/reach'
import { listAccessMethods } from '@capstan/contract/ways'

const example = { id: 'b5c3d1a0-0000-4000-8000-000000000000', label: 'k4q7w2x5m3n6p2r7t4v3', isTest: false, key: '…' } as const

/** Connection that the protocol of a challenge needs, but that the installation does not offer. */
type Lack = 'direct' | 'tunnel' | 'browser' | 'certificate' | 'ports'

export type ReachPreview = Readonly<{
  /** Connections that players get to an instance. Empty if instances have direct addresses. */
  ways: readonly InstanceAccess[]
  lack: Lack | undefined
}>

/**
 * Returns the connections that players would get.
 * @param asked additional ports that are published to players
 * @param isPortAsked true if the author requests a plain TCP port for an HTTP challenge
 */
export function previewConnections(
  reach: ChallengeReach,
  offer: ReachOffer,
  asked: readonly OfferedPort[] = [],
  isPortAsked = false,
): ReachPreview {
  if (offer.isDirect) return { ways: [], lack: 'direct' }
  const { firstPort, web, tlsPort } = offer
  const hasFirst = hasPlainPort(reach, asked, { isAsked: isPortAsked, hasHosts: web !== 'off' || tlsPort !== null })
  const further = firstPort === null ? [] : listAdditionalPlainPorts(reach, asked)
  const furtherGatewayPorts = new Map(further.map((port, index) => [port, (firstPort ?? 0) + (hasFirst ? 1 : 0) + index]))
  const ways = listAccessMethods(
    { ...example, gatewayPort: hasFirst ? firstPort : null, furtherGatewayPorts },
    reach,
    offer,
    asked,
  )
  const has = (wanted: InstanceAccess['way']) => ways.some(({ way, port }) => way === wanted && port === undefined)
  if (ways.length === 1 && !(reach.speaks === 'http' && offer.domain !== null)) return { ways, lack: 'tunnel' }
  if (reach.speaks === 'http' && !has('http')) return { ways, lack: 'browser' }
  if (reach.hasOwnCertificate && !has('tls')) return { ways, lack: 'certificate' }
  const isLed = asked.every(({ port }) => ways.some((access) => access.port === port))
  return { ways, lack: isLed ? undefined : 'ports' }
}
