import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, pods, services } from '@capstan/kubernetes/built-in-kinds'
import { controllerUid, type KubeObject } from '@capstan/kubernetes/types'
import type { Outcome, Pass } from '../pass.ts'

/**
 * Checks whether an object of another owner has a name that this instance needs for one of its objects. In this case, the
 * reconciliation creates no objects.
 * @returns undefined if all names are free
 */
export function findNameConflict({ instance, containers, networks, ports: { caches } }: Pass): Outcome | undefined {
  const cacheOf = {
    [pods.kind]: caches.pods,
    [services.kind]: caches.services,
    [networkPolicies.kind]: caches.networkPolicies,
  }
  const foreign = [...containers.flatMap(({ desired }) => Object.values(desired)), ...networks]
    .map(({ kind, metadata }): KubeObject | undefined => cacheOf[kind]?.get(`${metadata.namespace}/${metadata.name}`))
    .filter((object) => object !== undefined)
    .filter((object) => controllerUid(object) !== instance.metadata.uid)
  const [first] = foreign
  if (first === undefined) return undefined
  // If these objects belong to an earlier instance with this name, garbage collection will delete them. Their deletion triggers the
  // next reconciliation.
  const areLeaving = foreign.every(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind }) => kind === challengeInstances.kind),
  )
  if (areLeaving) return { failures: [] }
  return { refusal: { reason: 'NameTaken', detail: `Another object has the name ${first.metadata.name}` }, failures: [] }
}
