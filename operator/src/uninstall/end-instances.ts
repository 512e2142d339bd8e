import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, isConflictError, isNotFoundError, type KubeClient } from '@capstan/kubernetes/client'
import { type Clock, sleep } from '@capstan/kubernetes/clock'
import { createRemoveFinalizerPatch, hasFinalizer } from '../challenge-instance/finalizer.ts'

const pollMs = 500

export type EndInstancesOptions = Readonly<{
  client: KubeClient
  clock: Clock
  namespace: string
  /**
   * `recording`: ends only recorded instances, because all other instances end with the namespace. `all`: ends every instance and
   * waits for its pod, because the namespace remains.
   */
  scope: 'recording' | 'all'
  /** Maximum time in which the operator and the collector must store the recordings, in milliseconds. */
  timeoutMs: number
  signal: AbortSignal
}>

/**
 * Ends instances while the operator and the collector still run. Otherwise the finalizers of recorded instances would remain and
 * block the deletion of the namespace. After `timeoutMs`, removes the remaining finalizers. Recordings that are not
 * stored by then are lost.
 * @returns the number of instances whose finalizer was removed
 */
export async function endInstances(options: EndInstancesOptions): Promise<number> {
  const { client, clock, namespace, scope, timeoutMs, signal } = options
  const deadlineMs = clock.elapsedMs() + timeoutMs
  const endedWithoutRecordings = new Set<string>()
  for (;;) {
    const left = await listLeft(client, namespace, scope)
    const isLate = clock.elapsedMs() >= deadlineMs
    const isDone = left.length === 0 && (scope === 'recording' || isLate || !(await hasPods(client, namespace)))
    if (isDone || signal.aborted) return endedWithoutRecordings.size
    for (const instance of left) {
      const { name, uid, deletionTimestamp } = instance.metadata
      // Delete instances in every round, because new instances may have started since the last round.
      if (deletionTimestamp === undefined) await ignoreConcurrentChange(client.delete(challengeInstances, namespace, name))
      if (!isLate || !hasFinalizer(instance)) continue
      endedWithoutRecordings.add(uid)
      await ignoreConcurrentChange(client.patchJson(challengeInstances, namespace, name, createRemoveFinalizerPatch(instance)))
    }
    await sleep(clock, pollMs, signal)
  }
}

/** Lists the instances that must still be deleted, or whose finalizer must still be removed. */
async function listLeft(client: KubeClient, namespace: string, scope: 'recording' | 'all'): Promise<ChallengeInstance[]> {
  const isLeft = (instance: ChallengeInstance) =>
    hasFinalizer(instance) || (scope === 'all' && instance.metadata.deletionTimestamp === undefined)
  const found: ChallengeInstance[] = []
  let next: string | undefined
  do {
    const page = await client.listPage(challengeInstances, { namespace }, { limit: 500, continueToken: next })
    found.push(...page.items.filter(isLeft))
    next = page.continueToken
  } while (next)
  return found
}

/** True if pods of challenges remain. They must end before the network policies are deleted. */
async function hasPods(client: KubeClient, namespace: string): Promise<boolean> {
  const { items } = await client.listPage(pods, { namespace, labelSelector: instanceLabel }, { limit: 1 })
  return items.length > 0
}

/** Waits for a write. Ignores its failure if another client, such as the operator, deleted or changed the instance. */
async function ignoreConcurrentChange(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const isChanged = error instanceof ApiError && error.status === 422
    if (!isChanged && !isNotFoundError(error) && !isConflictError(error)) throw error
  }
}
