import { pods } from '@capstan/kubernetes/built-in-kinds'
import { isFlagOf, secretNameOf } from '../desired/secret.ts'
import type { Pass } from '../pass.ts'
import { applyChild, deleteIfThere } from '../writes.ts'

/** Makes the pod where there is none, or its successor where it has ended; not before the Secret of its flag is there. */
export async function ensurePod({ instance, children, endedPod, desired, ports }: Pass): Promise<void> {
  const { client, caches } = ports
  const mayHaveFlag = secretNameOf(instance) === undefined || isFlagOf(children.flagSecret, instance)
  if (!endedPod && (children.pod !== undefined || !mayHaveFlag)) return
  // The two have one name. An ended pod needs no grace: none of its containers run.
  if (endedPod) await deleteIfThere(client, pods, endedPod, 0)
  await applyChild(pods, desired.pod, { client, cache: caches.pods })
}
