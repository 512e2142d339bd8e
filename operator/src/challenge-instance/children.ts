import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { NetworkPolicy, Pod, Service } from '@capstan/kubernetes/built-in-kinds'
import { controllerUid, type KubeObject, keyOf } from '@capstan/kubernetes/types'
import { secretNameOf } from './desired/secret.ts'
import type { Caches } from './ports.ts'

/**
 * The objects around an instance, as the caches have them; a service only with a node port. All have the instance's name but the
 * Secret, which the instance names.
 */
export interface Children {
  pod: Pod | undefined
  service: Service | undefined
  networkPolicy: NetworkPolicy | undefined
  /** Of flag and secret variables; metadata alone. */
  flagSecret: KubeObject | undefined
}

/** Objects of this instance in the caches. What has its names but another owner is not among them. */
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
