import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, isConflict, isNotFound, type KubeClient } from '@capstan/kubernetes/client'
import { type Clock, sleep } from '@capstan/kubernetes/clock'
import { hasFinalizer, removeFinalizer } from '../challenge-instance/finalizer.ts'

/** Between two looks. */
const lookMs = 500

export interface EndInstancesOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly namespace: string
  /** `recording`: the others go with their namespace. `all`: the namespace stays, and their pods are waited for, too. */
  readonly scope: 'recording' | 'all'
  /** How long the operator and the collector have for their part, in milliseconds. */
  readonly patienceMs: number
  readonly signal: AbortSignal
}

/**
 * Ends instances as long as there are an operator and a collector to let those go that record: afterwards nobody would remove
 * their finalizers, and their namespace could never end. What is left after `patienceMs` is let go without its recordings.
 * @returns how many of those there were
 */
export async function endInstances(options: EndInstancesOptions): Promise<number> {
  const { client, clock, namespace, scope, patienceMs, signal } = options
  const deadlineMs = clock.elapsedMs() + patienceMs
  const abandoned = new Set<string>()
  for (;;) {
    const left = await listLeft(client, namespace, scope)
    const isLate = clock.elapsedMs() >= deadlineMs
    const isDone = left.length === 0 && (scope === 'recording' || isLate || !(await hasPods(client, namespace)))
    if (isDone || signal.aborted) return abandoned.size
    for (const instance of left) {
      const { name, uid, deletionTimestamp } = instance.metadata
      // Each time again: some may have been started meanwhile.
      if (deletionTimestamp === undefined) await unlessChanged(client.delete(challengeInstances, namespace, name))
      if (!isLate || !hasFinalizer(instance)) continue
      abandoned.add(uid)
      await unlessChanged(client.patchJson(challengeInstances, namespace, name, removeFinalizer(instance)))
    }
    await sleep(clock, lookMs, signal)
  }
}

/** Instances for which something is still to be done here. */
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

/** Whether a challenge still runs: it ends while the network policies are still there. */
async function hasPods(client: KubeClient, namespace: string): Promise<boolean> {
  const { items } = await client.listPage(pods, { namespace, labelSelector: instanceLabel }, { limit: 1 })
  return items.length > 0
}

/** Fine when it is gone, or the operator was faster. */
async function unlessChanged(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const isChanged = error instanceof ApiError && error.status === 422
    if (!isChanged && !isNotFound(error) && !isConflict(error)) throw error
  }
}
