// Deletes old and surplus rows from the log of proxied connections. Replicas may run this code at the same time.
import { Limits } from '@capstan/contract/limits'
import type { InstanceDeps } from '../deps.ts'
import { createInternalRepository } from './repository.ts'

const dayMs = 24 * 3_600_000
const minuteMs = 60_000

/** Maximum number of rows that one statement deletes, so that no statement holds locks for long. */
const batchRows = 5_000
const maxBatches = 20

/**
 * Age at which a connection counts as closed. A gateway closes a connection at its maximum time, but may report the end later if
 * the api is unavailable.
 */
const overAfterMs = 2 * Limits.proxyConnectionMinutes * minuteMs

/** Time for which reports may still arrive after an instance ended. */
const lateReportsMs = 60 * minuteMs

async function inBatches(deleteBatch: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch++) if ((await deleteBatch()) === 0) return
}

function deleteSurplus({ clock, db, config }: Pick<InstanceDeps, 'db' | 'clock' | 'config'>, endedAfter: Date): Promise<void> {
  const repository = createInternalRepository(db)
  const { rowsPerInstance } = config.connectionLog
  const overBefore = new Date(clock.now().getTime() - overAfterMs)
  const scope = { endedAfter, overBefore, count: batchRows }
  return inBatches(() => repository.deleteSurplusConnections(rowsPerInstance, scope))
}

/** Prunes the connection log of live and recently ended instances. Call this function every minute. */
export function pruneLiveConnections(deps: Pick<InstanceDeps, 'db' | 'clock' | 'config'>): Promise<void> {
  const { clock } = deps
  return deleteSurplus(deps, new Date(clock.now().getTime() - lateReportsMs))
}

/** Prunes connections of all instances. Call this function every hour. */
export async function pruneConnections(deps: Pick<InstanceDeps, 'db' | 'clock' | 'config'>): Promise<void> {
  const { clock, config, db } = deps
  const repository = createInternalRepository(db)
  const { days } = config.connectionLog
  const before = new Date(clock.now().getTime() - days * dayMs)
  await inBatches(() => repository.deleteConnectionsBefore(before, batchRows))
  await deleteSurplus(deps, new Date(0))
}
