import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import { secrets } from '@capstan/kubernetes/built-in-kinds'
import type { KubeObject, ObjectKey } from '@capstan/kubernetes/types'
import type { Result } from '@capstan/kubernetes/work-queue'
import type { Ports } from '../ports.ts'
import { deleteObjectIfExists } from '../writes.ts'
import { deletePods } from './delete-pods.ts'

/**
 * Age from which a flag's Secret without an instance counts as orphaned, in ms. Younger Secrets are normal, because the api creates
 * the Secret just before the instance.
 */
const orphanAgeMs = 45_000

/** Deletes objects of a deleted instance that garbage collection would delete late or never. */
export async function cleanUpAfterInstance(key: ObjectKey, ports: Ports): Promise<Result> {
  const deleted = ports.findDeletedInstance(key)
  if (deleted) await deletePods(deleted, ports)
  const result = await deleteFlagSecret(key, deleted, ports)
  // Forget the instance last, because the pass is repeated if a deletion fails.
  if (deleted) ports.forgetDeletedInstance(deleted)
  return result
}

/** Deletes the Secret with an instance's flag if no instance has become the Secret's owner. */
async function deleteFlagSecret(key: ObjectKey, deleted: ChallengeInstance | undefined, ports: Ports): Promise<Result> {
  const secret = ports.caches.secrets.get(key)
  if (!secret || secret.metadata.labels?.[instanceLabel] !== secret.metadata.name || secret.metadata.ownerReferences) return {}
  const createdMs = Date.parse(secret.metadata.creationTimestamp)
  const wasOfDeleted = deleted !== undefined && createdMs <= Date.parse(deleted.metadata.creationTimestamp)
  if (!wasOfDeleted) {
    const leftMs = createdMs + orphanAgeMs - ports.clock.now().getTime()
    if (leftMs > 0) return { requeueAfterMs: leftMs }
    // Ask the API server. The cache may lack an existing instance because its watch is broken.
    if (await hasInstance(secret, ports)) return { requeueAfterMs: orphanAgeMs }
  }
  await deleteObjectIfExists(ports.client, secrets, secret)
  return {}
}

/**
 * True if the instance of this Secret exists at the API server. The function sends a list request, because the operator
 * may list instances but has no permission to get an instance.
 */
async function hasInstance({ metadata }: KubeObject, { client }: Ports): Promise<boolean> {
  const scope = { namespace: metadata.namespace, fieldSelector: `metadata.name=${metadata.name}`, metadataOnly: true }
  return (await client.listPage(challengeInstances, scope, { limit: 1 })).items.length > 0
}
