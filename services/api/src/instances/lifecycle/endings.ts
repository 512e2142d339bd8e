// Ends instances because of another change: a game or challenge is deleted or disabled, or a team leaves the game. The
// transaction that makes this change also closes the rows of the instances. After its commit, the objects are deleted.
import type { Executor } from '@capstan/db/client'
import { recordSystemAction } from '../../server/logs/record.ts'
import type { InstanceDeps } from '../deps.ts'
import { createInstanceRepository, type EndingScope } from './repository.ts'
import { notifyTeamsOfInstances } from './team-notifier.ts'

/** Marks live instances as ended. @returns their ids, for `finishInstanceEndings` */
export function endInstances(
  { clock }: Pick<InstanceDeps, 'clock'>,
  transaction: Executor,
  scope: EndingScope,
): Promise<string[]> {
  return createInstanceRepository(transaction).endAll(scope, clock.now())
}

/**
 * Announces the end of instances and deletes their objects. Call this after the commit. First notifies the teams and the
 * gateways, which close all connections. A slow deletion in the cluster therefore does not delay the closing. The repair loop
 * retries failed deletions.
 */
export async function finishInstanceEndings(
  deps: Pick<InstanceDeps, 'db' | 'runtime' | 'bus' | 'clock' | 'platformLog'>,
  ids: readonly string[],
): Promise<void> {
  const { bus, runtime, platformLog } = deps
  for (const id of ids) bus.publish({ kind: 'instance-ended', instanceId: id })
  await notifyTeamsOfInstances(deps, ids)
  for (const id of ids) {
    try {
      await runtime.delete(id)
    } catch {
      recordSystemAction(platformLog, {
        level: 'Warning',
        message: `Could not remove instance ${id}, will retry`,
        status: 'Pending',
      })
    }
  }
}
