import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceSettings } from '../settings.ts'
import { captureExtras } from './capture.ts'
import { flagFileExtras } from './flag-file.ts'
import { desiredNetworkPolicy } from './network-policy.ts'
import { desiredPod, mergeExtras, writableExtras } from './pod.ts'
import { desiredService } from './service.ts'

export interface DesiredObjects {
  pod: DesiredObject
  /** Service of an instance that players reach on a port of the nodes. Absent for any other instance. */
  service?: DesiredObject
  networkPolicy: DesiredObject
}

/**
 * Returns all objects that a container of an instance needs in the cluster.
 * @param attempt number of replacements of the pod after failures
 */
export function desiredObjects(instance: InstanceContainer, settings: InstanceSettings, attempt: number): DesiredObjects {
  return {
    pod: desiredPod(
      instance,
      settings,
      attempt,
      mergeExtras([captureExtras(instance, settings), writableExtras(instance), flagFileExtras(instance, settings)]),
    ),
    ...(instance.spec.exposure === 'NodePort' && { service: desiredService(instance) }),
    networkPolicy: desiredNetworkPolicy(instance, settings),
  }
}
