import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import type { NetworkPolicy, Pod, Service } from '@capstan/kubernetes/built-in-kinds'
import type { KubeClient } from '@capstan/kubernetes/client'
import type { Clock } from '@capstan/kubernetes/clock'
import type { EventRecorder } from '@capstan/kubernetes/events'
import type { Informer } from '@capstan/kubernetes/informer'
import type { Log } from '@capstan/kubernetes/log'
import type { KubeObject, ObjectKey } from '@capstan/kubernetes/types'
import type { LineWatch } from './line-watch.ts'
import type { NodePorts } from './node-ports.ts'
import type { InstanceSettings } from './settings.ts'

/** Caches of all objects that a pass reads. */
export interface Caches {
  instances: Informer<ChallengeInstance>
  pods: Informer<Pod>
  services: Informer<Service>
  networkPolicies: Informer<NetworkPolicy>
  /** Secrets, as metadata without contents. */
  secrets: Informer<KubeObject>
}

/** Objects and functions of the process that a pass (one reconciliation of an instance) uses. */
export interface Ports {
  client: KubeClient
  caches: Caches
  events: EventRecorder
  settings: () => InstanceSettings
  /** Source of node ports. If undefined, the API server chooses node ports. */
  nodePorts: NodePorts | undefined
  lines: LineWatch
  clock: Clock
  log: Log
  /** Returns the last state of a deleted instance until `forgetDeletedInstance` is called for it. */
  findDeletedInstance: (key: ObjectKey) => ChallengeInstance | undefined
  forgetDeletedInstance: (instance: ChallengeInstance) => void
  /** Called when an instance becomes ready for the first time. */
  onStarted: (instance: ChallengeInstance) => void
}
