import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { type Children, childrenOf } from './children.ts'
import { nextAttempt, replacementDue } from './deadline.ts'
import { type DesiredObjects, desiredObjects } from './desired/index.ts'
import { attemptOf } from './pod-state.ts'
import type { Ports } from './ports.ts'
import type { Refusal } from './refusals.ts'
import type { InstanceSettings } from './settings.ts'

export interface Pass {
  instance: ChallengeInstance
  children: Children
  endedPod: Pod | undefined
  desired: DesiredObjects
  settings: InstanceSettings
  now: Date
  ports: Ports
}

export interface Outcome {
  /** Reason why the pod cannot be created: the API server refuses it, or another object prevents it. */
  refusal?: Refusal | undefined
  failures: unknown[]
}

export function beginPass(instance: ChallengeInstance, now: Date, ports: Ports): Pass {
  const settings = ports.settings()
  const children = childrenOf(instance, ports.caches)
  const { pod } = children
  const due = pod && replacementDue(pod)
  const endedPod = due !== undefined && due <= now ? pod : undefined
  const attempt = endedPod ? nextAttempt(endedPod, now) : pod ? attemptOf(pod) : 0
  return { instance, children, endedPod, desired: desiredObjects(instance, settings, attempt), settings, now, ports }
}
