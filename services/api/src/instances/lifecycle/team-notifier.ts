import type { InstanceDeps } from '../deps.ts'
import { instanceRepository } from './repository.ts'

/**
 * Notifies team members that instances of their team changed. The instances may have ended. A lost message only delays
 * the update of a client.
 */
export async function notifyTeams({ db, bus }: Pick<InstanceDeps, 'db' | 'bus'>, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return
  const teams = await instanceRepository(db)
    .listPlayersOf(instanceIds)
    .catch(() => [])
  for (const { gameId, userIds } of teams) bus.publish({ kind: 'team-instances', gameId, userIds })
}
