// Containers of instances, for admins. Rules: docs/contract/instances.md#containers-of-an-instance.
import type { Readable } from 'node:stream'
import type { ContainerEvent, InstanceContainers } from '@capstan/contract/admin'
import { Problem } from '@capstan/contract/problems'
import type { WebSocket } from 'ws'
import type { Recorder } from '../../server/logs/record.ts'
import type { InstanceDeps } from '../deps.ts'
import type { LogRelay } from './container-log.ts'
import { presentUsage } from './presenter.ts'
import { createInstanceRepository, type InstanceRow } from './repository.ts'
import type { ContainerInspector } from './runtime.ts'
import type { UsageReader } from './usage-reader.ts'

/** True for a test instance, which belongs to no team. */
function isTest({ participationId }: InstanceRow): boolean {
  return participationId === null
}

type Log = Readonly<{ warn(fields: object, text: string): void }>

async function findLive({ db }: Pick<InstanceDeps, 'db'>, id: string): Promise<InstanceRow> {
  const row = await createInstanceRepository(db).find(id)
  if (!row || row.endedAt !== null) throw new Problem('instance.unknown')
  return row
}

/**
 * Returns the containers of a live instance. The instance may belong to a team, or be a test instance.
 * @throws Problem `instance.unknown`
 */
export async function listContainers(
  deps: Pick<InstanceDeps, 'db' | 'runtime'> & Readonly<{ usage: UsageReader }>,
  id: string,
): Promise<InstanceContainers> {
  const row = await findLive(deps, id)
  const usages = await deps.usage.readSoon()
  const { containers } = deps.runtime
  return {
    hasLogs: containers?.openLog !== undefined,
    hasTerminal: containers?.openTerminal !== undefined,
    isTest: isTest(row),
    hasEvents: containers?.listEvents !== undefined,
    isMeasured: usages !== undefined,
    containers: (containers?.find(id) ?? []).map(({ lastExit, since, limits, ...container }) => {
      const usage = usages?.get(id)?.get(container.name)
      return {
        ...container,
        lastExit: lastExit ?? null,
        since: since?.toISOString() ?? null,
        usage: usage && limits ? presentUsage(usage, limits) : null,
      }
    }),
  }
}

/**
 * Returns the events of a container.
 * @throws Problem `instance.unknown`, `instance.events-unavailable`
 */
export async function listContainerEvents(
  deps: Pick<InstanceDeps, 'db' | 'runtime'> & Readonly<{ log: Log }>,
  { id, name }: Readonly<{ id: string; name: string }>,
): Promise<ContainerEvent[]> {
  await findLive(deps, id)
  const { containers } = deps.runtime
  if (!containers?.listEvents) throw new Problem('instance.events-unavailable')
  const events = await containers.listEvents(id, name).catch((error: unknown) => {
    deps.log.warn({ err: error, instanceId: id }, 'Could not read the events of a container')
    throw new Problem('instance.events-unavailable')
  })
  if (!events) throw new Problem('instance.unknown')
  return [...events]
}

/**
 * Opens the output of a container for an admin, and logs this access.
 * @throws Problem `instance.unknown`, `instance.log-unavailable`, `request.rate-limited`
 */
export async function openContainerLog(
  deps: Pick<InstanceDeps, 'db'> & Readonly<{ logs: LogRelay }>,
  { id, name }: Readonly<{ id: string; name: string }>,
  reader: Parameters<LogRelay['open']>[2],
  record: Recorder,
): Promise<Readable> {
  const row = await findLive(deps, id)
  const output = await deps.logs.open(id, name, reader)
  record(`Opened the output of container "${name}" of instance ${id} (${row.image})`)
  return output
}

/**
 * Checks whether terminals can be opened in the containers of an instance. Refuses instances of teams even for admins.
 * @returns a function that opens a terminal
 * @throws Problem `instance.unknown`, `instance.terminal-unavailable`
 */
export async function getTerminalOpener(
  deps: Pick<InstanceDeps, 'db' | 'runtime'>,
  id: string,
): Promise<NonNullable<ContainerInspector['openTerminal']>> {
  const row = await findLive(deps, id)
  const { containers } = deps.runtime
  if (!isTest(row) || !containers?.openTerminal) throw new Problem('instance.terminal-unavailable')
  return containers.openTerminal
}

/** True while a test instance has not ended. */
export async function isTestRunning({ db }: Pick<InstanceDeps, 'db'>, id: string): Promise<boolean> {
  const row = await createInstanceRepository(db).find(id)
  return row !== undefined && row.endedAt === null && isTest(row)
}

/**
 * Opens a terminal in a container of a test instance.
 * @throws Problem `instance.unknown`, `instance.terminal-unavailable`
 */
export async function openContainerTerminal(
  deps: Pick<InstanceDeps, 'db' | 'runtime'> & Readonly<{ log: Log }>,
  { id, name }: Readonly<{ id: string; name: string }>,
): Promise<WebSocket> {
  const open = await getTerminalOpener(deps, id)
  const terminal = await open(id, name).catch((error: unknown) => {
    deps.log.warn({ err: error, instanceId: id }, 'Could not open a terminal in a container')
    throw new Problem('instance.terminal-unavailable')
  })
  if (!terminal) throw new Problem('instance.unknown')
  return terminal
}
