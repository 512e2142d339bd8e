import type { InstanceDeps } from '../deps.ts'
import { createInstanceRepository } from './repository.ts'

/**
 * Notifies team members that instances of their team changed. The instances may have ended. A lost message only delays
 * the update of a client.
 */
export async function notifyTeamsOfInstances(
  { db, bus }: Pick<InstanceDeps, 'db' | 'bus'>,
  instanceIds: readonly string[],
): Promise<void> {
  if (instanceIds.length === 0) return
  const teams = await createInstanceRepository(db)
    .listPlayersOf(instanceIds)
    .catch(() => [])
  for (const { gameId, userIds } of teams) bus.publish({ kind: 'team-instances', gameId, userIds })
}
