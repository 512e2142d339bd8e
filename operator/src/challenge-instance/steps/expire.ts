import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { expiredReason } from '@capstan/challenge-instance/reasons'
import { isConflictError, isNotFoundError } from '@capstan/kubernetes/client'
import type { Result } from '@capstan/kubernetes/work-queue'
import type { Ports } from '../ports.ts'

/** Delay before the next check if another client changed the instance just as it expired, in ms. */
const changedAgainMs = 100

/** Deletes an expired instance. The API server refuses the deletion if the end of the instance was postponed at the same time. */
export async function deleteExpiredInstance(instance: ChallengeInstance, { client, log, events }: Ports): Promise<Result> {
  const { name, namespace, uid, resourceVersion } = instance.metadata
  try {
    await client.delete(challengeInstances, namespace ?? '', name, { preconditions: { uid, resourceVersion } })
  } catch (error) {
    if (isNotFoundError(error)) return {}
    if (isConflictError(error)) return { requeueAfterMs: changedAgainMs }
    throw error
  }
  log.info({ instance: name }, 'Deleted an expired instance')
  const note = `The instance expired at ${instance.spec.expiresAt}.`
  await events.record(
    { resource: challengeInstances, object: instance },
    { type: 'Normal', reason: expiredReason, action: 'Delete', note },
  )
  return {}
}
