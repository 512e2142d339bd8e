import { deriveInstanceName } from '@capstan/challenge-instance/names'
import type { ContainerInstance, ContainerUsage, InstancePage, InstanceState } from '@capstan/contract/admin'
import { pathOfPicture } from '@capstan/contract/asset-address'
import type { ChallengeCategory, ContainerInfo, InstanceHealth, TeamInstance, TestStep } from '@capstan/contract/challenges'
import type { InstanceAccess, ReachOffer } from '@capstan/contract/reach'
import { listAccessMethods } from '@capstan/contract/ways'
import type { InstanceDeps } from '../deps.ts'
import { listPublishedPorts, offeredWaysOf, reachOfChallenge } from './reach.ts'
import type { ChallengeRow, InstanceListing, InstanceRow, PortedRow, TeamInstanceRow } from './repository.ts'
import type { Exposure, ObservedState, ResourceAmount } from './runtime.ts'
import { isSameSiteAsPlatform } from './site.ts'
import type { StartStep } from './start-log.ts'

/**
 * Returns the text with which players connect to an instance: its UUID at the proxy, or its `host:port`. A direct address is
 * empty until it is known.
 * @param exposure default for a row without an exposure
 */
export function presentInstanceEntry(
  instance: Pick<InstanceRow, 'id' | 'host' | 'port' | 'exposure'>,
  exposure: Exposure,
  publicHost: string | undefined,
): string {
  if ((instance.exposure ?? exposure) === 'Proxy') return instance.id
  return instance.port === null ? '' : `${publicHost ?? instance.host ?? ''}:${instance.port}`
}

/** @param platformHost host name that visitors of the platform use */
export function presentReachOffer(
  { runtime, config }: Pick<InstanceDeps, 'runtime' | 'config'>,
  platformHost: string,
): ReachOffer {
  const { domain, web, webPort, tlsPort, ports } = config.instances.ways
  return {
    isDirect: runtime.exposure === 'Direct',
    domain: domain ?? null,
    web,
    webPort: webPort ?? null,
    tlsPort: tlsPort ?? null,
    firstPort: ports?.first ?? null,
    sharesSite: domain !== undefined && isSameSiteAsPlatform(platformHost, domain),
  }
}

export function presentInstanceAccess(
  row: PortedRow,
  challenge: ChallengeRow,
  { runtime, config }: Pick<InstanceDeps, 'runtime' | 'config'>,
): InstanceAccess[] {
  const { entryLabel } = challenge.container
  if ((row.exposure ?? runtime.exposure) === 'Proxy') {
    const instance = { ...row, isTest: row.participationId === null }
    const published = listPublishedPorts(challenge)
    return listAccessMethods(instance, reachOfChallenge(challenge), offeredWaysOf(config.instances.ways), published, entryLabel)
  }
  const address = presentInstanceEntry(row, runtime.exposure, config.instances.publicHost)
  return address === '' ? [] : [{ way: 'tcp', address, ...(entryLabel !== undefined && { label: entryLabel }) }]
}

export function presentContainerInfo(instance: InstanceRow, entry: string): ContainerInfo {
  return {
    status: instance.status,
    startedAt: instance.startedAt.toISOString(),
    expectStopAt: instance.expiresAt.toISOString(),
    entry,
  }
}

/**
 * Presents the list of instances with their teams and challenges. Instances of deleted teams or challenges are omitted.
 * @param exposure default for rows without an exposure
 * @param publicHost host of the node ports; not used for instances behind the proxy
 */
export function presentInstancePage(listing: InstanceListing, exposure: Exposure, publicHost: string | undefined): InstancePage {
  const teams = new Map(
    listing.teams.map(({ id, name, avatarHash }) => [id, { id, name, avatar: pathOfPicture(avatarHash, 'avatar') }]),
  )
  const challenges = new Map(
    listing.challenges.map(({ id, title, category, port }) => [
      id,
      { port, challenge: { id, title, category: category as ChallengeCategory } },
    ]),
  )
  const data = listing.instances.flatMap((instance): ContainerInstance[] => {
    const team = teams.get(instance.teamId)
    const of = challenges.get(instance.challengeId)
    if (!team || !of) return []
    return [
      {
        team,
        challenge: of.challenge,
        image: instance.image,
        containerGuid: instance.id,
        containerId: deriveInstanceName(instance.id),
        startedAt: new Date(instance.startedAt).toISOString(),
        expectStopAt: new Date(instance.expiresAt).toISOString(),
        ip: ((instance.exposure ?? exposure) === 'Direct' ? publicHost : undefined) ?? instance.host ?? '',
        port: instance.port ?? of.port,
      },
    ]
  })
  return { data, length: data.length, total: data.length }
}

function presentStep({ at, state }: StartStep): TestStep {
  return {
    time: at.toISOString(),
    state: state.kind === 'ready' ? 'Ready' : state.kind === 'failed' ? 'Failed' : 'Starting',
    message: state.kind === 'ready' ? null : state.message,
    reason: state.kind === 'ready' ? null : state.reason,
  }
}

/**
 * Returns the steps of a test instance, from the request to the end.
 * @param seen steps that the runtime reported
 */
export function presentTestSteps(row: InstanceRow, seen: readonly StartStep[]): TestStep[] {
  const steps = seen.map(presentStep)
  const hasFailed = steps.some(({ state }) => state === 'Failed')
  const end: TestStep[] =
    row.endedAt === null || (hasFailed && row.reason !== null)
      ? []
      : [
          {
            time: row.endedAt.toISOString(),
            state: row.reason === null ? 'Stopped' : 'Failed',
            message: row.reason,
            reason: row.reasonCode,
          },
        ]
  return [{ time: row.startedAt.toISOString(), state: 'Requested', message: null, reason: null }, ...steps, ...end]
}

/** @param seen state that the runtime reports. If undefined, the status of the row is used. */
function presentHealth({ status }: Pick<InstanceRow, 'status'>, seen: ObservedState | undefined): InstanceHealth {
  const kind = seen?.kind ?? (status === 'Running' ? 'ready' : 'pending')
  return kind === 'ready' ? 'Running' : kind === 'failed' ? 'Failing' : 'Starting'
}

/** @param seen same as in `presentHealth` */
export function presentInstanceState(row: Pick<InstanceRow, 'id' | 'status'>, seen: ObservedState | undefined): InstanceState {
  return {
    id: row.id,
    state: presentHealth(row, seen),
    message: !seen || seen.kind === 'ready' ? null : seen.message,
    reason: !seen || seen.kind === 'ready' ? null : seen.reason,
  }
}

/** @param seen same as in `presentHealth` */
export function presentTeamInstance(row: TeamInstanceRow, seen: ObservedState | undefined): TeamInstance {
  return {
    challengeId: row.challengeId,
    title: row.title,
    category: row.category as ChallengeCategory,
    state: presentHealth(row, seen),
    startedBy: row.startedBy,
    startedAt: row.startedAt.toISOString(),
    expectStopAt: row.expiresAt.toISOString(),
  }
}

export function presentUsage(usage: ResourceAmount, limits: ResourceAmount): ContainerUsage {
  return {
    cpuMillicores: usage.cpuMillicores,
    cpuLimitMillicores: limits.cpuMillicores,
    memoryBytes: usage.memoryBytes,
    memoryLimitBytes: limits.memoryBytes,
  }
}
