import { secrets } from '@capstan/kubernetes/built-in-kinds'
import { createAdoptionPatch, isFlagSecretOfInstance, isSecretOwnedBy } from '../desired/secret.ts'
import type { Pass } from '../pass.ts'

/** Makes the instance the owner of its flag's Secret, so that both are deleted together. */
export async function adoptFlagSecret({ instance, containers, ports: { client, caches } }: Pass): Promise<void> {
  // All containers of an instance share one Secret, so take the Secret of the first container that has a Secret in the
  // cache.
  const flagSecret = containers.map(({ children }) => children.flagSecret).find((secret) => secret !== undefined)
  if (!isFlagSecretOfInstance(flagSecret, instance) || isSecretOwnedBy(flagSecret, instance)) return
  const { namespace = '', name } = flagSecret.metadata
  caches.secrets.recordWrite(await client.patchJson(secrets, namespace, name, createAdoptionPatch(flagSecret, instance)))
}
