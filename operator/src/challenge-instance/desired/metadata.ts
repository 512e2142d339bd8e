import type { DesiredObject, OwnerReference } from '../../kube/types.ts'
import { childLabels } from '../labels.ts'
import { type ChallengeInstance, challengeInstances } from '../types.ts'

/** Makes an instance the owner: its children end with it, by Kubernetes' own garbage collection. */
export const ownerReference = (instance: ChallengeInstance): OwnerReference => ({
  apiVersion: challengeInstances.apiVersion,
  kind: challengeInstances.kind,
  name: instance.metadata.name,
  uid: instance.metadata.uid,
  controller: true,
})

/** Name, namespace, labels and owner of every child: named like the instance, so that a crash leaves nothing unnamed. */
export function childMetadata(instance: ChallengeInstance): DesiredObject['metadata'] {
  const { name, namespace } = instance.metadata
  if (namespace === undefined) throw new Error(`ChallengeInstance ${name} has no namespace`)
  return { name, namespace, labels: childLabels(instance), ownerReferences: [ownerReference(instance)] }
}
