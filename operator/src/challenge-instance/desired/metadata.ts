import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { instanceLabel, nameLabel, ownershipLabels } from '@capstan/challenge-instance/labels'
import { operatorName } from '@capstan/challenge-instance/names'
import type { DesiredObject, OwnerReference } from '@capstan/kubernetes/types'

/** Makes an instance the owner: its children end with it, by Kubernetes' own garbage collection. */
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
 * Labels of all children: who made them, and whose they are. Not the UUID of the instance's row: it is the right to connect, and nothing
 * around a challenge holds it.
 */
function childLabels({ metadata, spec }: ChallengeInstance): Record<string, string> {
  return {
    [nameLabel]: 'capstan-challenge',
    [instanceLabel]: metadata.name,
    ...ownershipLabels(spec, operatorName),
  }
}

/** Selects the pod of this instance alone. */
export function podSelector(instance: ChallengeInstance): Record<string, string> {
  return { [instanceLabel]: instance.metadata.name }
}

/** Name, namespace, labels and owner of every child: named like the instance, so that a crash leaves nothing unnamed. */
export function childMetadata(instance: ChallengeInstance): DesiredObject['metadata'] {
  const { name, namespace } = instance.metadata
  if (namespace === undefined) throw new Error(`ChallengeInstance ${name} has no namespace`)
  return { name, namespace, labels: childLabels(instance), ownerReferences: [ownerReference(instance)] }
}
