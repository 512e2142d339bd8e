import { networkPolicies, pods, services } from '@capstan/kubernetes/built-in-kinds'
import type { Informer } from '@capstan/kubernetes/informer'
import { unwanted } from '@capstan/kubernetes/prune'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import type { Pass } from '../pass.ts'
import { deleteIfThere } from '../writes.ts'

export async function deleteUnwanted({ instance, desired, ports: { client, caches } }: Pass): Promise<void> {
  const wanted = Object.values(desired)
  const remove = (resource: Resource, cache: Informer<KubeObject>) =>
    unwanted(cache.ownedBy(instance.metadata.uid), resource.kind, wanted).map((object) => deleteIfThere(client, resource, object))
  await Promise.all([
    ...remove(pods, caches.pods),
    ...remove(services, caches.services),
    ...remove(networkPolicies, caches.networkPolicies),
  ])
}
