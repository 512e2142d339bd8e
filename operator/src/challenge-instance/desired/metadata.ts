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
 * Labels of all children: the program that created them and their instance. The UUID of the row is not included, because it
 * permits connections and must not appear around a challenge.
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

/** Returns the metadata of every child. Children have the name of the instance, so that a crash leaves no unknown object. */
export function childMetadata(instance: ChallengeInstance): DesiredObject['metadata'] {
  const { name, namespace } = instance.metadata
  if (namespace === undefined) throw new Error(`ChallengeInstance ${name} has no namespace`)
  return { name, namespace, labels: childLabels(instance), ownerReferences: [ownerReference(instance)] }
}
