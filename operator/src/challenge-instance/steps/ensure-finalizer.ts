import { createAddFinalizerPatch, needsFinalizer } from '../finalizer.ts'
import type { Pass } from '../pass.ts'
import { patchInstanceUnlessChanged } from '../writes.ts'

/** Adds the finalizer, which delays the deletion of an instance with recorded traffic until its recordings are fetched. */
export async function ensureFinalizer({ instance, settings, ports }: Pass): Promise<void> {
  if (needsFinalizer(instance, settings))
    await patchInstanceUnlessChanged(ports.client, instance, createAddFinalizerPatch(instance))
}
