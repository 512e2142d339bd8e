import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { captureLostReason } from '@capstan/challenge-instance/reasons'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import type { Result } from '@capstan/kubernetes/work-queue'
import { createRemoveFinalizerPatch, decideFinalization, hasFinalizer } from '../finalizer.ts'
import { deriveStatus } from '../observe.ts'
import { type ContainerPass, createReconcilePass } from '../pass.ts'
import type { Ports } from '../ports.ts'
import type { View } from '../view.ts'
import { deleteObjectIfExists, patchInstanceUnlessChanged } from '../writes.ts'
import { ensureNetworkPolicy } from './ensure-network-policy.ts'
import { writeStatus } from './report.ts'

/** Delays the end of a deleted instance until its recordings are fetched. Does nothing if there are no recordings. */
export async function finalizeInstance(instance: ChallengeInstance, ports: Ports): Promise<Result> {
  if (!hasFinalizer(instance)) return {}
  const now = ports.clock.now()
  const settings = ports.settings()
  const pass = createReconcilePass(instance, now, ports)
  const [entry, ...further] = pass.containers
  const existing = pass.containers.flatMap(({ children: { pod } }) => (pod ? [pod] : []))
  const decision = decideFinalization(instance, existing, settings, now)
  if (decision.kind === 'wait') {
    // Update the policies. For a deleted instance, they accept only the collector, so players lose access.
    await Promise.all(pass.containers.map(ensureNetworkPolicy))
    const status = deriveStatus(viewOf(entry), further.map(viewOf))
    return { requeueAfterMs: (await writeStatus(instance, status, ports)) ? 0 : decision.leftMs }
  }
  // Delete the pods with a short grace period. Otherwise garbage collection would use the long grace period for recordings.
  await Promise.all(existing.map((pod) => deleteObjectIfExists(ports.client, pods, pod, settings.terminationGraceSeconds)))
  await patchInstanceUnlessChanged(ports.client, instance, createRemoveFinalizerPatch(instance))
  if (decision.kind === 'giveUp') await tellLoss(instance, ports)
  return {}
}

function viewOf(container: ContainerPass): View {
  return { ...container, refusal: undefined }
}

async function tellLoss(instance: ChallengeInstance, { log, events }: Ports): Promise<void> {
  const { name, namespace } = instance.metadata
  log.warn({ instance: name, namespace }, 'Deleted an instance although its recordings were not fetched in time')
  await events.record(
    { resource: challengeInstances, object: instance },
    { type: 'Warning', reason: captureLostReason, action: 'Delete', note: 'Recordings were not fetched in time and are lost.' },
  )
}
