import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import type { JsonPatchStep } from '@capstan/kubernetes/client'
import type { KubeObject } from '@capstan/kubernetes/types'
import { ownerReference } from './metadata.ts'

/** Name of the Secret with what the container alone may know; undefined where there is nothing. */
export function secretNameOf({ metadata, spec }: ChallengeInstance): string | undefined {
  return spec.flag?.secretName ?? (spec.container?.secretEnvironment === undefined ? undefined : metadata.name)
}

/** Whether the api made this Secret for this instance: only then a pod may read it. */
export function isFlagOf(secret: KubeObject | undefined, instance: ChallengeInstance): secret is KubeObject {
  return secret?.metadata.labels?.[instanceLabel] === instance.metadata.name
}

/** Whether the Secret ends with the instance already. */
export function isOwnedBy(secret: KubeObject, instance: ChallengeInstance): boolean {
  return secret.metadata.ownerReferences?.some((reference) => reference.uid === instance.metadata.uid) ?? false
}

/**
 * Makes the instance the owner of its flag's Secret. The patch carries its own condition, so the API server refuses it
 * (422) if the Secret is not, or no longer, marked as this instance's: nothing foreign is adopted.
 */
export function adoption(secret: KubeObject, instance: ChallengeInstance): JsonPatchStep[] {
  return [
    { op: 'test', path: '/metadata/uid', value: secret.metadata.uid },
    { op: 'test', path: `/metadata/labels/${pointer(instanceLabel)}`, value: instance.metadata.name },
    { op: 'add', path: '/metadata/ownerReferences', value: [ownerReference(instance)] },
  ]
}

/** A name as a part of a JSON pointer (RFC 6901). */
function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
