import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { controllerUid, keyOf } from '@capstan/kubernetes/types'
import type { Outcome, Pass } from '../pass.ts'

/** Returns an outcome if a foreign object has a name that a child needs. In this case no object is created. */
export function findNameConflict({ instance, desired, ports: { caches } }: Pass): Outcome | undefined {
  const key = keyOf(instance)
  const foreign = [caches.pods.get(key), desired.service && caches.services.get(key), caches.networkPolicies.get(key)]
    .filter((object) => object !== undefined)
    .filter((object) => controllerUid(object) !== instance.metadata.uid)
  if (foreign.length === 0) return undefined
  // These are children of an earlier instance with this name, and they will be deleted. Their deletion triggers the next pass.
  const areLeaving = foreign.every(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind }) => kind === challengeInstances.kind),
  )
  if (areLeaving) return { failures: [] }
  return { refusal: { reason: 'NameTaken', detail: `Another object has the name ${instance.metadata.name}` }, failures: [] }
}
