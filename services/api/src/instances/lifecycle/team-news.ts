import type { InstanceDeps } from '../deps.ts'
import { instanceRepository } from './repository.ts'

/**
 * Tells those who play for the teams of these instances, ended ones too, that something about them is different. Nothing depends
 * on it: whoever was not told reads it a little later.
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
