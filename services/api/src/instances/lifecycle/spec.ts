import { defaultContainerName } from '@capstan/contract/containers'
import { listPublicAccessMethods } from '@capstan/contract/ways'
import type { WaysConfig } from '../../server/config.ts'
import { listPublishedPorts, offeredWaysOf, reachOfChallenge } from './reach.ts'
import type { ChallengeRow, PortedRow } from './repository.ts'
import type { AdditionalContainerSpec, Exposure, InstanceRuntime, InstanceSpec } from './runtime.ts'

type ContainerColumns = Pick<
  ChallengeRow,
  | 'port'
  | 'cpuTenths'
  | 'memoryMb'
  | 'storageMb'
  | 'container'
  | 'containerSecrets'
  | 'firstContainer'
  | 'furtherContainers'
  | 'furtherContainerSecrets'
>

export function exposureOfNewInstance(
  runtime: Pick<InstanceRuntime, 'exposure' | 'exposureFor'>,
  { container }: ChallengeRow,
): Exposure {
  return runtime.exposureFor?.(container.exposure) ?? runtime.exposure
}

/**
 * Returns the containers of an instance, the entry container first. Name, networks and dependencies apply only if there are several
 * containers. By default, only containers to which players can connect get the flag.
 * @param image image of the entry container
 */
export function createContainerSpecs(challenge: ContainerColumns, image: string): InstanceSpec['containers'] {
  const { furtherContainers, furtherContainerSecrets } = challenge
  const { name = defaultContainerName, receivesFlag = true, ...place } = challenge.firstContainer
  const entry = {
    ...(furtherContainers.length > 0 ? { name, receivesFlag, ...place } : { receivesFlag: true }),
    image,
    port: challenge.port,
    cpuTenths: challenge.cpuTenths,
    memoryMb: challenge.memoryMb,
    storageMb: challenge.storageMb,
    definition: challenge.container,
    secrets: challenge.containerSecrets,
  }
  const others = furtherContainers.map(
    (container): AdditionalContainerSpec => ({
      ...container,
      secrets: furtherContainerSecrets[container.name] ?? {},
      receivesFlag: container.receivesFlag ?? (container.definition.offeredPorts ?? []).length > 0,
    }),
  )
  return [entry, ...others]
}

export function createInstanceSpec(
  row: PortedRow,
  challenge: ChallengeRow,
  { flag, teamId, capture, ways }: { flag: string | undefined; teamId: number | undefined; capture: boolean; ways: WaysConfig },
): InstanceSpec {
  return {
    id: row.id,
    gameId: row.gameId,
    challengeId: row.challengeId,
    participationId: row.participationId ?? undefined,
    teamId,
    flag,
    containers: createContainerSpecs(challenge, row.image),
    expiresAt: row.expiresAt,
    capture: capture && challenge.capture && (challenge.capturesAll ? 'all' : true),
    ways:
      row.exposure === 'Direct'
        ? []
        : listPublicAccessMethods(
            { ...row, isTest: row.participationId === null },
            reachOfChallenge(challenge),
            offeredWaysOf(ways),
            listPublishedPorts(challenge),
          ),
  }
}
