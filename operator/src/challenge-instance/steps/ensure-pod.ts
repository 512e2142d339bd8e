import { pods } from '@capstan/kubernetes/built-in-kinds'
import { lacksNameServer } from '../desired/names.ts'
import { isFlagSecretOfInstance, secretNameOf } from '../desired/secret.ts'
import type { ContainerPass } from '../pass.ts'
import { applyChild, deleteObjectIfExists } from '../writes.ts'

/**
 * Creates a pod if the pod of the container is missing or has ended. Does nothing until the flag's Secret and the name
 * server exist, and until the containers on which this container depends have the required state.
 */
export async function ensurePod({ instance, children, endedPod, unmet, desired, settings, ports }: ContainerPass): Promise<void> {
  const { client, caches } = ports
  const mayHaveFlag = secretNameOf(instance) === undefined || isFlagSecretOfInstance(children.flagSecret, instance)
  if (unmet.length > 0 || lacksNameServer(instance, settings)) return
  if (!endedPod && (children.pod !== undefined || !mayHaveFlag)) return
  // Delete the ended pod first, because its successor has the same name. The deletion needs no grace period, because none of the
  // pod's containers run.
  if (endedPod) await deleteObjectIfExists(client, pods, endedPod, 0)
  await applyChild(pods, desired.pod, { client, cache: caches.pods })
}
