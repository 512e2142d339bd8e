import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceSettings } from '../settings.ts'
import { createRecorderPodExtras } from './capture.ts'
import { createFlagFilePodExtras } from './flag-file.ts'
import { desiredNetworkPolicy } from './network-policy.ts'
import { createWritableFolderPodExtras, desiredPod, mergePodExtras } from './pod.ts'
import { desiredService } from './service.ts'

export interface DesiredObjects {
  pod: DesiredObject
  /** Service of an instance to which players connect on a port of the nodes. Absent for any other instance. */
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
      mergePodExtras([
        createRecorderPodExtras(instance, settings),
        createWritableFolderPodExtras(instance),
        createFlagFilePodExtras(instance, settings),
      ]),
    ),
    ...(instance.spec.exposure === 'NodePort' && { service: desiredService(instance) }),
    networkPolicy: desiredNetworkPolicy(instance, settings),
  }
}
