/** Address that a challenge must not reach. */
export interface Target {
  what: string
  host: string
  port: number
  /** Component of the platform that listens at this address. */
  component?: string
}

/** Task of one pod of the isolation probe. The doctor passes it as JSON in the environment variable ISOLATION_PROBE_TASK. */
export interface ProbeTask {
  /**
   * `attempts`: the pod makes every attempt that cannot end it. `neighbor`: the pod makes no attempt, and only acts as the
   * challenge of another team. `memory`, `disk`, `processes`: the pod exceeds the limit of this resource, which may end the pod.
   */
  role: 'attempts' | 'neighbor' | 'memory' | 'disk' | 'processes'
  egress: 'None' | 'Dns' | 'Internet'
  profile: 'Restricted' | 'Baseline'
  /** Addresses that the pod must not reach. */
  targets: Target[]
  /** Challenge of another team that this pod must not reach. */
  neighbor?: { name: string; namespace: string; host: string }
  /** UUID of this instance. Clients that know the UUID can connect to the instance, so the pod must not contain it. */
  instanceId?: string
  nameServer?: { host: string; port: number }
  /** Port of the recorder. Absent if traffic is not recorded. */
  capturePort?: number
  nodeAddresses: string[]
  limits: { cpuTenths: number; memoryMb: number; storageMb: number; processes: number }
}

/** Part of a task that describes the tests of network connections. */
export type NetworkTask = Pick<ProbeTask, 'egress' | 'targets' | 'nameServer' | 'nodeAddresses'>

/** Container that takes part in lateral attempts, which are attempts to reach other containers. */
export interface Member {
  /** Name of the container's instance in the report. */
  instance: string
  container: string
  /** Address of the container's pod. */
  host: string
}

/** All targets of the isolation test between containers. */
export interface LateralPlan extends NetworkTask {
  members: Member[]
  /** DNS names that the name server must hide from every container. */
  names: string[]
  /** Names that only containers with egress may resolve. */
  clusterNames: string[]
}

/** Task of a container that tries to reach other containers. */
export interface MemberTask extends Pick<Member, 'instance' | 'container'> {
  role: 'member'
  /** Containers that share a network with this container. */
  peers: string[]
  /** Targets of the attempts. Undefined if the container must ask its peers for the targets. */
  plan?: LateralPlan
}

/** Name of the environment variable that contains the task. */
export const taskVariable = 'ISOLATION_PROBE_TASK'

/** Port on which pods of the isolation probe listen. */
export const probePort = 1337

export const findingPrefix = 'finding '

/** Last line of the probe's output, after all findings. */
export const doneLine = 'done'
