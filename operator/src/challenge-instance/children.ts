import { type InstanceContainer, objectNameOf } from '@capstan/challenge-instance/containers'
import type { NetworkPolicy, Pod, Service } from '@capstan/kubernetes/built-in-kinds'
import { controllerUid, type KubeObject } from '@capstan/kubernetes/types'
import { secretNameOf } from './desired/secret.ts'
import type { Caches } from './ports.ts'

/**
 * Cached objects that belong to a container of an instance. The Service exists only if the exposure is NodePort. The
 * Secret's name is in the instance's spec. All other objects share one name.
 */
export interface Children {
  pod: Pod | undefined
  service: Service | undefined
  networkPolicy: NetworkPolicy | undefined
  /** Metadata of the Secret with the flag and the secret environment variables. */
  flagSecret: KubeObject | undefined
}

/** Returns the cached objects of this container. Objects that have the right name but another owner are ignored. */
export function findObjectsOfContainer(container: InstanceContainer, caches: Caches): Children {
  const { namespace, uid } = container.metadata
  const own = <T extends KubeObject>(object: T | undefined) => (object && controllerUid(object) === uid ? object : undefined)
  const key = `${namespace}/${objectNameOf(container)}`
  const secretName = secretNameOf(container)
  return {
    pod: own(caches.pods.get(key)),
    service: own(caches.services.get(key)),
    networkPolicy: own(caches.networkPolicies.get(key)),
    flagSecret: secretName === undefined ? undefined : caches.secrets.get(`${namespace}/${secretName}`),
  }
}

/** Returns the node port on which players connect to the instance. */
export function nodePortOf({ service }: Children): number | undefined {
  return service?.spec?.ports?.[0]?.nodePort
}
