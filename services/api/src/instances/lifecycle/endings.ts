import type { Executor } from '@capstan/db/client'
import { recordSystem } from '../../server/logs/record.ts'
import type { InstanceDeps } from '../deps.ts'
import { type EndingScope, instanceRepository } from './repository.ts'
import { createTeamNews } from './team-news.ts'

/**
 * Ends instances because of a change elsewhere: a game or challenge that goes or is switched off, a team that leaves the game.
 * First the rows in that change's transaction, then, after its commit, the objects.
 */
export function createInstanceEndings(deps: Pick<InstanceDeps, 'db' | 'runtime' | 'bus' | 'clock' | 'platformLog'>) {
  const { runtime, bus, clock, platformLog } = deps
  const tellTeams = createTeamNews(deps)
  return {
    /** Closes the rows of live instances. @returns their ids, for `announce` */
    end: (transaction: Executor, scope: EndingScope): Promise<string[]> =>
      instanceRepository(transaction).endAll(scope, clock.now()),
    /**
     * After the commit: tells the gateways, which end all connections, and the teams, and deletes the objects. A cluster that is slow to
     * delete keeps no connection open. What fails here is found again by the repair loop.
     */
    async announce(ids: readonly string[]): Promise<void> {
      for (const id of ids) bus.publish({ kind: 'instance-ended', instanceId: id })
      await tellTeams(ids)
      for (const id of ids) {
        try {
          await runtime.delete(id)
        } catch {
          recordSystem(platformLog, { level: 'Warning', message: `Instance ${id} is removed later`, status: 'Pending' })
        }
      }
    },
  }
}

export type InstanceEndings = ReturnType<typeof createInstanceEndings>
