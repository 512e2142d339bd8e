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

/** Caches of everything that a pass reads. */
export interface Caches {
  instances: Informer<ChallengeInstance>
  pods: Informer<Pod>
  services: Informer<Service>
  networkPolicies: Informer<NetworkPolicy>
  /** Metadata alone. */
  secrets: Informer<KubeObject>
}

/** Everything outside of it that a pass reads and writes. */
export interface Ports {
  client: KubeClient
  caches: Caches
  events: EventRecorder
  settings: () => InstanceSettings
  /** Where instances of exposure NodePort get their ports; the API server chooses if absent. */
  nodePorts: NodePorts | undefined
  lines: LineWatch
  clock: Clock
  log: Log
  /** The instance of this name as it was last seen before it was gone. Answers once for each. */
  takeDeletedInstance: (key: ObjectKey) => ChallengeInstance | undefined
  /** Told when an instance became ready for the first time. */
  onStarted: (instance: ChallengeInstance) => void
}
