import { Limits } from '@capstan/contract/limits'
import type { ServerDeps } from '../deps.ts'
import { logRepository } from './repository.ts'

/** Limits the size of the log, to which anyone can write by failed log-ins. Every replica calls it every hour. */
export function deleteSurplusLines({ db }: Pick<ServerDeps, 'db'>, maxLines: number = Limits.logKept): Promise<void> {
  return logRepository(db).deleteSurplus(maxLines)
}
