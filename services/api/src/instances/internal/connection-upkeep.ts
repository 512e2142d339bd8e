import { Limits } from '@capstan/contract/limits'
import type { InstanceDeps } from '../deps.ts'
import { internalRepository } from './repository.ts'

const dayMs = 24 * 3_600_000
const minuteMs = 60_000

/** Rows of one statement, so that none holds locks for long, and statements of one run. */
const batchRows = 5_000
const batchesMax = 20

/** A gateway ends a connection at its longest time and reports it at once, or, while the api is away, somewhat later. */
const overAfterMs = 2 * Limits.proxyConnectionMinutes * minuteMs

/** Reports of an instance that ended may still be on their way for so long. */
const lateReportsMs = 60 * minuteMs

/**
 * Keeps the log of proxied connections within its bounds: for so many days, and so many finished ones of each instance. Nothing
 * depends on it but the size of the table and what monitors can read; any number of replicas may do it at once.
 */
export function createConnectionUpkeep({ db, clock, config }: Pick<InstanceDeps, 'db' | 'clock' | 'config'>) {
  const repository = internalRepository(db)
  const { days, rowsPerInstance } = config.connectionLog

  const inBatches = async (deleteBatch: () => Promise<number>): Promise<void> => {
    for (let batch = 0; batch < batchesMax; batch++) if ((await deleteBatch()) === 0) return
  }
  const deleteSurplus = (endedAfter: Date): Promise<void> => {
    const overBefore = new Date(clock.now().getTime() - overAfterMs)
    const scope = { endedAfter, overBefore, count: batchRows }
    return inBatches(() => repository.deleteSurplusConnections(rowsPerInstance, scope))
  }

  return {
    /** Of instances that may still be connected to. Cheap: call it every minute. */
    pruneLive: (): Promise<void> => deleteSurplus(new Date(clock.now().getTime() - lateReportsMs)),
    /** Everything. Call it every hour. */
    async pruneAll(): Promise<void> {
      const before = new Date(clock.now().getTime() - days * dayMs)
      await inBatches(() => repository.deleteConnectionsBefore(before, batchRows))
      await deleteSurplus(new Date(0))
    },
  }
}
