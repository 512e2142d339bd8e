import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { captureLostReason } from '@capstan/challenge-instance/reasons'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import type { Result } from '@capstan/kubernetes/work-queue'
import { childrenOf } from '../children.ts'
import { desiredObjects } from '../desired/index.ts'
import { decideFinalization, hasFinalizer, removeFinalizer } from '../finalizer.ts'
import { observe } from '../observe.ts'
import type { Ports } from '../ports.ts'
import { deleteIfExists, patchUnlessChanged } from '../writes.ts'
import { ensureNetworkPolicy } from './ensure-network-policy.ts'
import { report } from './report.ts'

/** Retains an instance that is being deleted until its recordings are fetched. Does nothing if there are no recordings. */
export async function finalize(instance: ChallengeInstance, ports: Ports): Promise<Result> {
  if (!hasFinalizer(instance)) return {}
  const now = ports.clock.now()
  const settings = ports.settings()
  const children = childrenOf(instance, ports.caches)
  const decision = decideFinalization(instance, children.pod, settings, now)
  if (decision.kind === 'wait') {
    // Players lose access, because the policy of a deleted instance accepts only the collector.
    await ensureNetworkPolicy({ children, desired: desiredObjects(instance, settings, 0), ports })
    const status = observe({ instance, children, refusal: undefined, settings, now })
    return { requeueAfterMs: (await report(instance, status, ports)) ? 0 : decision.leftMs }
  }
  // Delete the pod with a short grace period. Otherwise garbage collection would use the long grace period for recordings.
  if (children.pod) await deleteIfExists(ports.client, pods, children.pod, settings.terminationGraceSeconds)
  await patchUnlessChanged(ports.client, instance, removeFinalizer(instance))
  if (decision.kind === 'giveUp') await tellLoss(instance, ports)
  return {}
}

async function tellLoss(instance: ChallengeInstance, { log, events }: Ports): Promise<void> {
  const { name, namespace } = instance.metadata
  log.warn({ instance: name, namespace }, 'Deleted an instance although its recordings were not fetched in time')
  await events.record(
    { resource: challengeInstances, object: instance },
    { type: 'Warning', reason: captureLostReason, action: 'Delete', note: 'Recordings were not fetched in time and are lost.' },
  )
}
