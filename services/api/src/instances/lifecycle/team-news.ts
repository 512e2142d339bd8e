import type { InstanceDeps } from '../deps.ts'
import { instanceRepository } from './repository.ts'

/**
 * Notifies the members of the teams of these instances, live or ended, that they changed. Nothing depends on the message: a
 * client that misses it reads the change a little later.
 */
export function createTeamNews({ db, bus }: Pick<InstanceDeps, 'db' | 'bus'>) {
  return async (instanceIds: readonly string[]): Promise<void> => {
    if (instanceIds.length === 0) return
    const teams = await instanceRepository(db)
      .listPlayersOf(instanceIds)
      .catch(() => [])
    for (const { gameId, userIds } of teams) await bus.publish({ kind: 'team-instances', gameId, userIds })
  }
}
