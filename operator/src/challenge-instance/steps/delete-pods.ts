import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import { isPodBeingDeleted } from '../pod-state.ts'
import type { Ports } from '../ports.ts'
import { deleteObjectIfExists } from '../writes.ts'

/**
 * Deletes the pods of a deleted instance with a short grace period. Garbage collection would use the long grace period for
 * recordings, and would take minutes if a game ends with hundreds of instances.
 */
export async function deletePods({ metadata }: ChallengeInstance, { client, caches, settings }: Ports): Promise<void> {
  const left = caches.pods.ownedBy(metadata.uid).filter((pod) => !isPodBeingDeleted(pod))
  await Promise.all(left.map((pod) => deleteObjectIfExists(client, pods, pod, settings().terminationGraceSeconds)))
}
