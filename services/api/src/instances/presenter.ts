import type { ContainerInstance, InstancePage, InstanceState } from '@capstan/contract/admin'
import type { ChallengeCategory, ContainerInfo, TestStep } from '@capstan/contract/challenges'
import type { InstanceRow, ListedInstance } from './repository.ts'
import { instanceName, type ObservedState } from './runtime.ts'
import type { StartStep } from './start-log.ts'

/** How players reach an instance: its UUID through the proxy, else `host:port`; empty while a direct address is not known yet. */
export const presentEntry = (
  instance: Pick<InstanceRow, 'id' | 'host' | 'port'>,
  exposure: 'Proxy' | 'Direct',
  publicHost: string | undefined,
): string => {
  if (exposure === 'Proxy') return instance.id
  return instance.port === null ? '' : `${publicHost ?? instance.host ?? ''}:${instance.port}`
}

export const presentContainerInfo = (instance: InstanceRow, entry: string): ContainerInfo => ({
  status: instance.status,
  startedAt: instance.startedAt.toISOString(),
  expectStopAt: instance.expiresAt.toISOString(),
  entry,
})

const presentInstance = ({ instance, team, challenge }: ListedInstance, publicHost: string | undefined): ContainerInstance => ({
  team: { id: team.id, name: team.name, avatar: team.avatarHash === null ? null : `/assets/${team.avatarHash}/avatar` },
  challenge: { id: challenge.id, title: challenge.title, category: challenge.category as ChallengeCategory },
  image: instance.image,
  containerGuid: instance.id,
  containerId: instanceName(instance.id),
  startedAt: instance.startedAt.toISOString(),
  expectStopAt: instance.expiresAt.toISOString(),
  ip: publicHost ?? instance.host ?? '',
  port: instance.port ?? challenge.exposedPort,
})

export const presentInstancePage = (rows: readonly ListedInstance[], publicHost: string | undefined): InstancePage => ({
  data: rows.map((row) => presentInstance(row, publicHost)),
  length: rows.length,
  total: rows.length,
})

const presentStep = ({ at, state }: StartStep): TestStep => ({
  time: at.toISOString(),
  state: state.kind === 'ready' ? 'Ready' : state.kind === 'failed' ? 'Failed' : 'Starting',
  message: state.kind === 'ready' ? null : state.message,
})

/** The row knows the beginning and the end, whatever was seen between. */
export const presentTestSteps = (row: InstanceRow, seen: readonly StartStep[]): TestStep[] => {
  const steps = seen.map(presentStep)
  const hasFailed = steps.some(({ state }) => state === 'Failed')
  const end: TestStep[] =
    row.endedAt === null || (hasFailed && row.reason !== null)
      ? []
      : [{ time: row.endedAt.toISOString(), state: row.reason === null ? 'Stopped' : 'Failed', message: row.reason }]
  return [{ time: row.startedAt.toISOString(), state: 'Requested', message: null }, ...steps, ...end]
}

/** @param seen by the runtime; undefined: not (yet), so that the row counts */
export const presentInstanceState = (row: Pick<InstanceRow, 'id' | 'status'>, seen: ObservedState | undefined): InstanceState => {
  const kind = seen?.kind ?? (row.status === 'Running' ? 'ready' : 'pending')
  return {
    id: row.id,
    state: kind === 'ready' ? 'Running' : kind === 'failed' ? 'Failing' : 'Starting',
    message: !seen || seen.kind === 'ready' ? null : seen.message,
  }
}
