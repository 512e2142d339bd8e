import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { captureLostReason } from '@capstan/challenge-instance/reasons'
import { networkPolicies, services } from '@capstan/kubernetes/built-in-kinds'
import type { Informer } from '@capstan/kubernetes/informer'
import { findUndesiredObjects } from '@capstan/kubernetes/prune'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import type { Result } from '@capstan/kubernetes/work-queue'
import { createRemoveFinalizerPatch, decideFinalization, hasFinalizer } from '../finalizer.ts'
import { deriveStatus } from '../observe.ts'
import { type ContainerPass, createReconcilePass } from '../pass.ts'
import type { Ports } from '../ports.ts'
import type { View } from '../view.ts'
import { deleteObjectIfExists, patchInstanceUnlessChanged } from '../writes.ts'
import { deletePods } from './delete-pods.ts'
import { ensureNetworkPolicy } from './ensure-network-policy.ts'
import { writeStatus } from './report.ts'

/**
 * Ends a deleted instance whose object still exists because of a finalizer. If there are recordings, delays the end
 * until they are fetched.
 */
export async function finalizeInstance(instance: ChallengeInstance, ports: Ports): Promise<Result> {
  if (!hasFinalizer(instance)) return deleteObjectsOfInstance(instance, ports)
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
  await deletePods(instance, ports)
  await patchInstanceUnlessChanged(ports.client, instance, createRemoveFinalizerPatch(instance))
  if (decision.kind === 'giveUp') await reportLoss(instance, ports)
  return {}
}

/**
 * Deletes the objects of a deleted instance that still exists only because of finalizers of other programs. Garbage collection
 * would delete the objects after the instance, so the containers would run until then.
 */
async function deleteObjectsOfInstance(instance: ChallengeInstance, ports: Ports): Promise<Result> {
  const { client, caches } = ports
  const remove = (resource: Resource, cache: Informer<KubeObject>) =>
    findUndesiredObjects(cache.ownedBy(instance.metadata.uid), resource.kind, []).map((object) =>
      deleteObjectIfExists(client, resource, object),
    )
  await deletePods(instance, ports)
  await Promise.all([...remove(services, caches.services), ...remove(networkPolicies, caches.networkPolicies)])
  return {}
}

function viewOf(container: ContainerPass): View {
  return { ...container, refusal: undefined }
}

async function reportLoss(instance: ChallengeInstance, { log, events }: Ports): Promise<void> {
  const { name, namespace } = instance.metadata
  log.warn({ instance: name, namespace }, 'Deleted an instance although its recordings were not fetched in time')
  await events.record(
    { resource: challengeInstances, object: instance },
    { type: 'Warning', reason: captureLostReason, action: 'Delete', note: 'Recordings were not fetched in time and are lost.' },
  )
}
