import { Limits } from '@capstan/contract/limits'
import type { ServerDeps } from '../deps.ts'
import { createLogRepository } from './repository.ts'

/** Limits the size of the log, because any client can add lines by failed log-ins. Every replica calls this every hour. */
export function deleteSurplusLines({ db }: Pick<ServerDeps, 'db'>, maxLines: number = Limits.maxRetainedLogLines): Promise<void> {
  return createLogRepository(db).deleteSurplus(maxLines)
}
