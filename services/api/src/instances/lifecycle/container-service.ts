// Containers of instances, for admins. Rules: docs/contract/instances.md#containers-of-an-instance.
import type { Readable } from 'node:stream'
import type { ContainerEvent, InstanceContainers } from '@capstan/contract/admin'
import { Problem } from '@capstan/contract/problems'
import type { Recorder } from '../../server/logs/record.ts'
import type { InstanceDeps } from '../deps.ts'
import type { LogRelay } from './container-log.ts'
import { presentUsage } from './presenter.ts'
import { type InstanceRow, instanceRepository } from './repository.ts'
import type { UsageReader } from './usage-reader.ts'

type Log = Readonly<{ warn(fields: object, text: string): void }>

async function findLive({ db }: Pick<InstanceDeps, 'db'>, id: string): Promise<InstanceRow> {
  const row = await instanceRepository(db).find(id)
  if (!row || row.endedAt !== null) throw new Problem('instance.unknown')
  return row
}

/** Returns the containers of a live instance of a team or of a test. @throws Problem `instance.unknown` */
export async function listContainers(
  deps: Pick<InstanceDeps, 'db' | 'runtime'> & Readonly<{ usage: UsageReader }>,
  id: string,
): Promise<InstanceContainers> {
  await findLive(deps, id)
  const usages = await deps.usage.readSoon()
  const { containers } = deps.runtime
  return {
    hasLogs: containers?.openLog !== undefined,
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
  { id, name }: { readonly id: string; readonly name: string },
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
 * Opens the output of a container, and records this.
 * @throws Problem `instance.unknown`, `instance.log-unavailable`, `request.rate-limited`
 */
export async function openContainerLog(
  deps: Pick<InstanceDeps, 'db'> & Readonly<{ logs: LogRelay }>,
  { id, name }: { readonly id: string; readonly name: string },
  reader: Parameters<LogRelay['open']>[2],
  record: Recorder,
): Promise<Readable> {
  const row = await findLive(deps, id)
  const output = await deps.logs.open(id, name, reader)
  record(`Opened the output of container "${name}" of instance ${id} (${row.image})`)
  return output
}
