import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { instanceLabel, nameLabel, ownershipLabels } from '@capstan/challenge-instance/labels'
import { operatorName } from '@capstan/challenge-instance/names'
import type { DesiredObject, OwnerReference } from '@capstan/kubernetes/types'

/** Returns the reference that makes an instance the owner of its children, so that Kubernetes deletes them with it. */
export function ownerReference(instance: ChallengeInstance): OwnerReference {
  return {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    name: instance.metadata.name,
    uid: instance.metadata.uid,
    controller: true,
  }
}

/**
 * Labels of all children: their creator and their instance. The UUID of the row is omitted, because it permits connections and a
 * challenge must not be able to read it.
 */
function childLabels({ metadata, spec }: ChallengeInstance): Record<string, string> {
  return {
    [nameLabel]: 'capstan-challenge',
    [instanceLabel]: metadata.name,
    ...ownershipLabels(spec, operatorName),
  }
}

export function podSelector(instance: ChallengeInstance): Record<string, string> {
  return { [instanceLabel]: instance.metadata.name }
}

/** Returns the metadata of a child. Each child has the name of the instance, so the operator finds it again after a crash. */
export function childMetadata(instance: ChallengeInstance): DesiredObject['metadata'] {
  const { name, namespace } = instance.metadata
  if (namespace === undefined) throw new Error(`ChallengeInstance ${name} has no namespace`)
  return { name, namespace, labels: childLabels(instance), ownerReferences: [ownerReference(instance)] }
}
