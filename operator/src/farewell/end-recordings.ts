import { hasFinalizer, removeFinalizer } from '../challenge-instance/finalize.ts'
import { type ChallengeInstance, challengeInstances } from '../challenge-instance/types.ts'
import { ApiError, isConflict, isNotFound, type KubeClient } from '../kube/client.ts'
import { type Clock, sleep } from '../kube/clock.ts'

/** Between two looks. */
const lookMs = 500

export interface EndRecordingsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly namespace: string
  /** How long the operator and the collector have for their part, in milliseconds. */
  readonly patienceMs: number
  readonly signal: AbortSignal
}

/**
 * Ends all instances that record, as long as there are an operator and a collector to let them go: afterwards nobody would remove
 * their finalizers, and their namespace could never end. What is left after `patienceMs` is let go without its recordings.
 * @returns how many of those there were
 */
export async function endRecordings({ client, clock, namespace, patienceMs, signal }: EndRecordingsOptions): Promise<number> {
  const deadlineMs = clock.elapsedMs() + patienceMs
  const abandoned = new Set<string>()
  for (;;) {
    const left = await listRecording(client, namespace)
    if (left.length === 0 || signal.aborted) return abandoned.size
    const isLate = clock.elapsedMs() >= deadlineMs
    for (const instance of left) {
      const { name, uid, deletionTimestamp } = instance.metadata
      // Each time again: some may have been started meanwhile.
      if (deletionTimestamp === undefined) await unlessChanged(client.delete(challengeInstances, namespace, name))
      if (!isLate) continue
      abandoned.add(uid)
      await unlessChanged(client.patchJson(challengeInstances, namespace, name, removeFinalizer(instance)))
    }
    await sleep(clock, lookMs, signal)
  }
}

async function listRecording(client: KubeClient, namespace: string): Promise<ChallengeInstance[]> {
  const found: ChallengeInstance[] = []
  let next: string | undefined
  do {
    const page = await client.listPage(challengeInstances, { namespace }, { limit: 500, continueToken: next })
    found.push(...page.items.filter(hasFinalizer))
    next = page.continueToken
  } while (next)
  return found
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
