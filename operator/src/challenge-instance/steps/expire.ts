import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { expiredReason } from '@capstan/challenge-instance/reasons'
import { isConflict, isNotFound } from '@capstan/kubernetes/client'
import type { Result } from '@capstan/kubernetes/work-queue'
import type { Ports } from '../ports.ts'

/** How soon an instance is looked at again that somebody changed at the moment of its end, in milliseconds. */
const changedAgainMs = 100

/** Deletes an instance whose time is over, unless somebody extends it at this very moment: then the API server says so. */
export async function expire(instance: ChallengeInstance, { client, log, events }: Ports): Promise<Result> {
  const { name, namespace, uid, resourceVersion } = instance.metadata
  try {
    await client.delete(challengeInstances, namespace ?? '', name, { preconditions: { uid, resourceVersion } })
  } catch (error) {
    if (isNotFound(error)) return {}
    if (isConflict(error)) return { requeueAfterMs: changedAgainMs }
    throw error
  }
  log.info({ instance: name }, 'Deleted an expired instance')
  const note = `The time of the instance was over at ${instance.spec.expiresAt}.`
  await events.record(
    { resource: challengeInstances, object: instance },
    { type: 'Normal', reason: expiredReason, action: 'Delete', note },
  )
  return {}
}
