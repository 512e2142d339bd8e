import {
  type ChallengeReach,
  furtherPlainPorts,
  hasPlainPort,
  type InstanceAccess,
  type OfferedPort,
  type ReachOffer,
} from '@capstan/contract/reach'
import { listWays } from '@capstan/contract/ways'

/** No instance has these. */
const example = { id: 'b5c3d1a0-0000-4000-8000-000000000000', label: 'k4q7w2x5m3n6p2r7t4v3', isTest: false, key: '…' } as const

/** What this installation cannot offer to what a challenge speaks. */
type Lack = 'direct' | 'tunnel' | 'browser' | 'certificate' | 'ports'

export type ReachPreview = Readonly<{
  /** As players of the next instance see them; none where it has an address of its own. */
  ways: readonly InstanceAccess[]
  lack: Lack | undefined
}>

/**
 * @param asked ports beside the entry that players should be led to
 * @param isPortAsked true if the author asks for a plain port of HTTP
 */
export function previewOf(
  reach: ChallengeReach,
  offer: ReachOffer,
  asked: readonly OfferedPort[] = [],
  isPortAsked = false,
): ReachPreview {
  if (offer.isDirect) return { ways: [], lack: 'direct' }
  const { firstPort, web, tlsPort } = offer
  const hasFirst = hasPlainPort(reach, asked, { isAsked: isPortAsked, hasHosts: web !== 'off' || tlsPort !== null })
  const further = firstPort === null ? [] : furtherPlainPorts(reach, asked)
  const furtherGatewayPorts = new Map(further.map((port, index) => [port, (firstPort ?? 0) + (hasFirst ? 1 : 0) + index]))
  const ways = listWays({ ...example, gatewayPort: hasFirst ? firstPort : null, furtherGatewayPorts }, reach, offer, asked)
  const has = (wanted: InstanceAccess['way']) => ways.some(({ way, port }) => way === wanted && port === undefined)
  if (ways.length === 1 && !(reach.speaks === 'http' && offer.domain !== null)) return { ways, lack: 'tunnel' }
  if (reach.speaks === 'http' && !has('http')) return { ways, lack: 'browser' }
  if (reach.hasOwnCertificate && !has('tls')) return { ways, lack: 'certificate' }
  const isLed = asked.every(({ port }) => ways.some((access) => access.port === port))
  return { ways, lack: isLed ? undefined : 'ports' }
}
