import { Limits } from '@capstan/contract/limits'
import type { ServerDeps } from '../deps.ts'
import { logRepository } from './repository.ts'

/** Keeps the log within its bound: everybody can write to it, by a log-in that is refused. Call it every hour, on any number of replicas. */
export function deleteSurplusLines({ db }: Pick<ServerDeps, 'db'>, kept: number = Limits.logKept): Promise<void> {
  return logRepository(db).deleteSurplus(kept)
}
