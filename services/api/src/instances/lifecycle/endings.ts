// Ends instances after other changes: a game or challenge is deleted or disabled, or a team leaves the game. The transaction
// of the change closes the rows. The objects are deleted after its commit.
import type { Executor } from '@capstan/db/client'
import { recordSystem } from '../../server/logs/record.ts'
import type { InstanceDeps } from '../deps.ts'
import { type EndingScope, instanceRepository } from './repository.ts'
import { notifyTeams } from './team-notifier.ts'

/** Closes the rows of live instances. @returns their ids, for `announceEndings` */
export function endInstances(
  { clock }: Pick<InstanceDeps, 'clock'>,
  transaction: Executor,
  scope: EndingScope,
): Promise<string[]> {
  return instanceRepository(transaction).endAll(scope, clock.now())
}

/**
 * Runs after the commit. First it notifies the gateways and the teams, and the gateways close all connections. Then it
 * deletes the objects, so a slow cluster delays no closing. The repair loop retries failures.
 */
export async function announceEndings(
  deps: Pick<InstanceDeps, 'db' | 'runtime' | 'bus' | 'clock' | 'platformLog'>,
  ids: readonly string[],
): Promise<void> {
  const { bus, runtime, platformLog } = deps
  for (const id of ids) bus.publish({ kind: 'instance-ended', instanceId: id })
  await notifyTeams(deps, ids)
  for (const id of ids) {
    try {
      await runtime.delete(id)
    } catch {
      recordSystem(platformLog, { level: 'Warning', message: `Could not remove instance ${id}, will retry`, status: 'Pending' })
    }
  }
}
