import { networkPolicies, pods, services } from '@capstan/kubernetes/built-in-kinds'
import type { Informer } from '@capstan/kubernetes/informer'
import { findUndesiredObjects } from '@capstan/kubernetes/prune'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import type { Pass } from '../pass.ts'
import { deleteObjectIfExists } from '../writes.ts'

export async function deleteUnwantedObjects({ instance, containers, networks, ports: { client, caches } }: Pass): Promise<void> {
  const wanted = [...containers.flatMap(({ desired }) => Object.values(desired)), ...networks]
  const remove = (resource: Resource, cache: Informer<KubeObject>) =>
    findUndesiredObjects(cache.ownedBy(instance.metadata.uid), resource.kind, wanted).map((object) =>
      deleteObjectIfExists(client, resource, object),
    )
  await Promise.all([
    ...remove(pods, caches.pods),
    ...remove(services, caches.services),
    ...remove(networkPolicies, caches.networkPolicies),
  ])
}
