import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import type { JsonPatchStep } from '@capstan/kubernetes/client'
import type { KubeObject } from '@capstan/kubernetes/types'
import { createOwnerReference } from './metadata.ts'

/** Returns the name of the Secret with the flag and the secret environment variables, or undefined if the instance has none. */
export function secretNameOf({ metadata, spec }: InstanceContainer): string | undefined {
  return spec.flag?.secretName ?? (spec.container?.secretEnvironment === undefined ? undefined : metadata.name)
}

/** True if the api created this Secret for this instance. The pod must not read any other Secret. */
export function isFlagSecretOfInstance(secret: KubeObject | undefined, instance: InstanceContainer): secret is KubeObject {
  return secret?.metadata.labels?.[instanceLabel] === instance.metadata.name
}

/** True if the instance already owns the Secret, so that Kubernetes deletes the Secret with the instance. */
export function isSecretOwnedBy(secret: KubeObject, instance: InstanceContainer): boolean {
  return secret.metadata.ownerReferences?.some((reference) => reference.uid === instance.metadata.uid) ?? false
}

/**
 * Returns a patch that makes an instance the owner of the Secret that contains its flag. The API server rejects the
 * patch (422) if the Secret's label does not name this instance. The operator therefore adopts no other Secret.
 */
export function createAdoptionPatch(secret: KubeObject, instance: InstanceContainer): JsonPatchStep[] {
  return [
    { op: 'test', path: '/metadata/uid', value: secret.metadata.uid },
    { op: 'test', path: `/metadata/labels/${pointer(instanceLabel)}`, value: instance.metadata.name },
    { op: 'add', path: '/metadata/ownerReferences', value: [createOwnerReference(instance)] },
  ]
}

/** Escapes a name for a JSON pointer (RFC 6901). */
function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
