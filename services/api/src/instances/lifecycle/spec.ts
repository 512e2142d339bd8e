import { hasPlainPort, listAdditionalPlainPorts } from '@capstan/contract/reach'
import { listPublicAccessMethods } from '@capstan/contract/ways'
import type { WaysConfig } from '../../server/config.ts'
import { getAccessSettings, presentChallengeReach } from './presenter.ts'
import { listPublishedPorts } from './published-ports.ts'
import type { ChallengeRow, PlainPorts, PortedRow } from './repository.ts'
import type { Exposure, InstanceRuntime, InstanceSpec } from './runtime.ts'

export function exposureOfNewInstance(
  runtime: Pick<InstanceRuntime, 'exposure' | 'exposureFor'>,
  { container }: ChallengeRow,
): Exposure {
  return runtime.exposureFor?.(container.exposure) ?? runtime.exposure
}

export function requiredPlainPortsOf(challenge: ChallengeRow, { web, tlsPort }: WaysConfig): PlainPorts {
  const { plainPort: isAsked = false } = challenge.container
  const published = listPublishedPorts(challenge)
  const reach = presentChallengeReach(challenge)
  const hasHosts = web !== 'off' || tlsPort !== undefined
  return { hasFirst: hasPlainPort(reach, published, { isAsked, hasHosts }), further: listAdditionalPlainPorts(reach, published) }
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
    image: row.image,
    port: challenge.exposedPort,
    cpuTenths: challenge.cpuTenths,
    memoryMb: challenge.memoryMb,
    storageMb: challenge.storageMb,
    flag,
    container: challenge.container,
    secrets: challenge.containerSecrets,
    ...(challenge.furtherContainers.length > 0 && {
      several: {
        first: challenge.firstContainer,
        further: challenge.furtherContainers,
        secrets: challenge.furtherContainerSecrets,
      },
    }),
    expiresAt: row.expiresAt,
    capture: capture && challenge.captureTraffic && (challenge.capturesAll ? 'all' : true),
    ways:
      row.exposure === 'Direct'
        ? []
        : listPublicAccessMethods(
            { ...row, isTest: row.participationId === null },
            presentChallengeReach(challenge),
            getAccessSettings(ways),
            listPublishedPorts(challenge),
          ),
  }
}
