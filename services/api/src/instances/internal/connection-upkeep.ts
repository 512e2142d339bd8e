import { Limits } from '@capstan/contract/limits'
import type { InstanceDeps } from '../deps.ts'
import { internalRepository } from './repository.ts'

const dayMs = 24 * 3_600_000
const minuteMs = 60_000

/** Maximum rows of one statement, so that none holds locks for long. */
const batchRows = 5_000
const maxBatches = 20

/**
 * Age at which a connection counts as closed. A gateway ends it at its maximum time, and may report it later if the api is away.
 */
const overAfterMs = 2 * Limits.proxyConnectionMinutes * minuteMs

/** Time in which reports of an ended instance may still arrive. */
const lateReportsMs = 60 * minuteMs

/**
 * Limits the log of proxied connections by age, and by finished connections of each instance. Only the size of the table and the
 * view of monitors depend on it. Any number of replicas may run it at the same time.
 */
export function createConnectionUpkeep({ db, clock, config }: Pick<InstanceDeps, 'db' | 'clock' | 'config'>) {
  const repository = internalRepository(db)
  const { days, rowsPerInstance } = config.connectionLog

  const inBatches = async (deleteBatch: () => Promise<number>): Promise<void> => {
    for (let batch = 0; batch < maxBatches; batch++) if ((await deleteBatch()) === 0) return
  }
  const deleteSurplus = (endedAfter: Date): Promise<void> => {
    const overBefore = new Date(clock.now().getTime() - overAfterMs)
    const scope = { endedAfter, overBefore, count: batchRows }
    return inBatches(() => repository.deleteSurplusConnections(rowsPerInstance, scope))
  }

  return {
    /** Prunes instances that still accept connections. Cheap: call it every minute. */
    pruneLive: (): Promise<void> => deleteSurplus(new Date(clock.now().getTime() - lateReportsMs)),
    /** Prunes all instances. Call it every hour. */
    async pruneAll(): Promise<void> {
      const before = new Date(clock.now().getTime() - days * dayMs)
      await inBatches(() => repository.deleteConnectionsBefore(before, batchRows))
      await deleteSurplus(new Date(0))
    },
  }
}
