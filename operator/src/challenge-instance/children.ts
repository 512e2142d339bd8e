import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { NetworkPolicy, Pod, Service } from '@capstan/kubernetes/built-in-kinds'
import { controllerUid, type KubeObject, keyOf } from '@capstan/kubernetes/types'
import { secretNameOf } from './desired/secret.ts'
import type { Caches } from './ports.ts'

/**
 * Cached objects that belong to an instance. A service exists only with a node port. All objects have the name of the instance,
 * except the Secret, whose name is in the instance's spec.
 */
export interface Children {
  pod: Pod | undefined
  service: Service | undefined
  networkPolicy: NetworkPolicy | undefined
  /** Metadata of the Secret with the flag and the secret variables. */
  flagSecret: KubeObject | undefined
}

/** Returns the cached objects of this instance. It ignores an object with the same name but another owner. */
export function childrenOf(instance: ChallengeInstance, caches: Caches): Children {
  const { namespace, uid } = instance.metadata
  const own = <T extends KubeObject>(object: T | undefined) => (object && controllerUid(object) === uid ? object : undefined)
  const key = keyOf(instance)
  const secretName = secretNameOf(instance)
  return {
    pod: own(caches.pods.get(key)),
    service: own(caches.services.get(key)),
    networkPolicy: own(caches.networkPolicies.get(key)),
    flagSecret: secretName === undefined ? undefined : caches.secrets.get(`${namespace}/${secretName}`),
  }
}
