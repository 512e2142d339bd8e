import type { DesiredObject } from '../../kube/types.ts'
import type { InstanceSettings } from '../settings.ts'
import type { ChallengeInstance } from '../types.ts'
import { captureExtras } from './capture.ts'
import { desiredNetworkPolicy } from './network-policy.ts'
import { desiredPod } from './pod.ts'
import { desiredService } from './service.ts'

export interface DesiredObjects {
  pod: DesiredObject
  service: DesiredObject
  networkPolicy: DesiredObject
}

/** Everything that an instance needs in the cluster. `attempt`: see desiredPod. */
export const desiredObjects = (instance: ChallengeInstance, settings: InstanceSettings, attempt: number): DesiredObjects => ({
  pod: desiredPod(instance, settings, attempt, captureExtras(instance, settings)),
  service: desiredService(instance),
  networkPolicy: desiredNetworkPolicy(instance, settings),
})
