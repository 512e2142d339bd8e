import { type ChallengeReach, hasPlainPort, listAdditionalPlainPorts, type OfferedPort } from '@capstan/contract/reach'
import type { OfferedWays } from '@capstan/contract/ways'
import type { WaysConfig } from '../../server/config.ts'
import type { ChallengeRow, PlainPorts } from './repository.ts'

/** Port that players may use. */
export type PublishedPort = OfferedPort &
  Readonly<{
    /** Name of the container. Absent if the first container has the port. */
    container?: string
  }>

/**
 * Returns, for all containers, the ports that players may use. The entry port is not included. No two containers publish the same
 * port.
 */
export function listPublishedPorts({
  container,
  furtherContainers,
}: Pick<ChallengeRow, 'container' | 'furtherContainers'>): PublishedPort[] {
  const further = furtherContainers.flatMap(({ name, definition }) =>
    (definition.offeredPorts ?? []).map((offered) => ({ ...offered, container: name })),
  )
  return [...(container.offeredPorts ?? []), ...further]
}

/** Returns the protocol of the entry port, and whether the challenge has its own certificate and is guarded. */
export function reachOfChallenge({
  speaks,
  isRawHttp,
  hasOwnCertificate,
  isGuarded,
}: Pick<ChallengeRow, 'speaks' | 'isRawHttp' | 'hasOwnCertificate' | 'isGuarded'>): ChallengeReach {
  return {
    speaks,
    isRaw: isRawHttp,
    hasOwnCertificate,
    isGuarded,
  }
}

/** Returns the gateway settings that determine the addresses of instances. Directly exposed instances do not use them. */
export function offeredWaysOf({ domain, web, webPort, tlsPort }: WaysConfig): OfferedWays {
  return {
    domain: domain ?? null,
    web,
    webPort: webPort ?? null,
    tlsPort: tlsPort ?? null,
  }
}

export function requiredPlainPortsOf(challenge: ChallengeRow, { web, tlsPort }: WaysConfig): PlainPorts {
  const { plainPort: isAsked = false } = challenge.container
  const published = listPublishedPorts(challenge)
  const reach = reachOfChallenge(challenge)
  const hasHosts = web !== 'off' || tlsPort !== undefined
  return { hasFirst: hasPlainPort(reach, published, { isAsked, hasHosts }), further: listAdditionalPlainPorts(reach, published) }
}
