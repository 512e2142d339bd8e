import type { FastifyBaseLogger } from 'fastify'
import type { ServerDeps } from '../deps.ts'
import type { PlatformLog, PlatformLogLine } from './platform-log.ts'
import { presentLog } from './presenter.ts'
import { createLogRepository, type LogRow } from './repository.ts'

/** Maximum number of lines that wait while the database is unavailable. If there are more, the oldest lines are dropped. */
const maxWaiting = 10_000

export type DatabaseLogOptions = Readonly<{
  /** Maximum time until a line is stored, in ms. Clients expect to find a line in the log after at most about 10 s. */
  batchMs?: number
}>

/**
 * Platform log. Each line is pushed to listeners at once, and lines are stored in batches. If the database is unavailable, lines
 * wait for the next batch. Several processes may write concurrently.
 */
export function createDatabaseLog(
  { db, bus, clock }: Pick<ServerDeps, 'db' | 'bus' | 'clock'>,
  log: Pick<FastifyBaseLogger, 'error'>,
  { batchMs = 2_000 }: DatabaseLogOptions = {},
): PlatformLog {
  const repository = createLogRepository(db)
  let waiting: Omit<LogRow, 'id'>[] = []
  let storing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const store = async (): Promise<void> => {
    const batch = waiting
    if (batch.length === 0) return
    waiting = []
    try {
      await repository.insertMany(batch)
    } catch (error) {
      log.error({ err: error, lines: batch.length }, 'Could not store log lines, will retry')
      waiting = [...batch, ...waiting].slice(-maxWaiting)
      schedule()
    }
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    storing = storing.then(store)
    return storing
  }
  const schedule = (): void => {
    timer ??= setTimeout(() => void flush(), batchMs)
  }

  return {
    write(line: PlatformLogLine) {
      const row = {
        time: clock.now(),
        level: line.level,
        name: line.name,
        address: line.address ?? null,
        message: line.message.replaceAll('\u0000', '').toWellFormed(),
        status: line.status ?? null,
      }
      waiting.push(row)
      void bus.publish({ kind: 'log', payload: presentLog(row) })
      schedule()
    },
    flush,
    async close() {
      await flush()
      clearTimeout(timer)
    },
  }
}
