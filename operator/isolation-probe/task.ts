/** Address that a challenge must not reach. */
export interface Target {
  what: string
  host: string
  port: number
}

/** Task of one pod of the isolation probe. The doctor passes it as JSON in the environment variable ISOLATION_PROBE_TASK. */
export interface ProbeTask {
  /**
   * `attempts`: make every attempt that cannot end the pod. `neighbor`: make no attempt, and only act as the challenge of another
   * team. `memory`, `disk`, `processes`: exceed the limit of this resource, which may end the pod.
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

/** Name of the environment variable that contains the task. */
export const taskVariable = 'ISOLATION_PROBE_TASK'

/** Port on which a pod of the isolation probe answers. */
export const probePort = 1337

export const findingPrefix = 'finding '

/** Last line of the output, after all findings. */
export const doneLine = 'done'
