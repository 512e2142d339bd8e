import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { type InstanceContainer, objectNameOf } from '@capstan/challenge-instance/containers'
import { containerLabel, instanceLabel, nameLabel, networkLabel, ownershipLabels } from '@capstan/challenge-instance/labels'
import { operatorName } from '@capstan/challenge-instance/names'
import type { DesiredObject, OwnerReference } from '@capstan/kubernetes/types'

/** Returns the reference that makes an instance the owner of its objects, so that Kubernetes deletes them with the instance. */
export function createOwnerReference(instance: InstanceContainer): OwnerReference {
  return {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    name: instance.metadata.name,
    uid: instance.metadata.uid,
    controller: true,
  }
}

/**
 * Returns the labels that every object of an instance has. The labels contain the names of the instance and of the
 * creator of the object. They omit the UUID of the instance, because a challenge could read the labels, and clients
 * that know the UUID can connect.
 */
function childLabels({ metadata, spec }: InstanceContainer): Record<string, string> {
  return {
    [nameLabel]: 'capstan-challenge',
    [instanceLabel]: metadata.name,
    ...ownershipLabels(spec, operatorName),
  }
}

/**
 * Returns the labels that select the pod of a container. If the instance has only one container, the label of the instance is
 * enough.
 */
export function createPodSelector({ metadata, place }: InstanceContainer): Record<string, string> {
  return { [instanceLabel]: metadata.name, ...(place && { [containerLabel]: place.name }) }
}

/** Returns the labels that select the pods of all containers in a network of the instance. */
export function createNetworkSelector({ metadata }: InstanceContainer, network: string): Record<string, string> {
  return { [instanceLabel]: metadata.name, [networkLabel(network)]: 'true' }
}

/** Returns the labels of a pod. They include the labels that services and policies use to select the pod. */
export function createPodLabels(container: InstanceContainer): Record<string, string> {
  const networks = container.place?.networks ?? []
  return {
    ...childLabels(container),
    ...createPodSelector(container),
    ...Object.fromEntries(networks.map(({ name }) => [networkLabel(name), 'true'])),
  }
}

/**
 * Returns the metadata of an object of an instance. The name is derived from the instance and the container, so that
 * a restarted operator finds the object again.
 */
export function createChildMetadata(container: InstanceContainer, name = objectNameOf(container)): DesiredObject['metadata'] {
  const { namespace } = container.metadata
  if (namespace === undefined) throw new Error(`ChallengeInstance ${container.metadata.name} has no namespace`)
  return { name, namespace, labels: childLabels(container), ownerReferences: [createOwnerReference(container)] }
}
