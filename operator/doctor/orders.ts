/** Somewhere that a challenge must not reach. */
export interface Target {
  what: string
  host: string
  port: number
}

/** What one pod of the doctor is to do. Handed over as the value of the environment variable DOCTOR_ORDERS, in JSON. */
export interface Orders {
  /**
   * `attempts`: everything that ends by itself. `neighbour`: be another team's challenge. `memory`, `disk`, `processes`: use up
   * that, which may end the pod.
   */
  role: 'attempts' | 'neighbour' | 'memory' | 'disk' | 'processes'
  egress: 'None' | 'Dns' | 'Internet'
  profile: 'Restricted' | 'Baseline'
  /** Addresses that must not be reached. */
  targets: Target[]
  /** A challenge of another team. */
  neighbour?: { name: string; namespace: string; host: string }
  /** UUID of the row that this challenge would belong to. */
  rowId?: string
  /** The cluster's name server. */
  nameServer?: { host: string; port: number }
  /** Port of the recording sidecar; absent where nothing is recorded. */
  capturePort?: number
  nodeAddresses: string[]
  limits: { cpuTenths: number; memoryMb: number; storageMb: number; processes: number }
}

/** Variable that holds the orders. */
export const ordersVariable = 'DOCTOR_ORDERS'

/** Port on which the doctor's pods answer like a challenge. */
export const doctorPort = 1337

/** Starts of the lines that tell findings, and that all is told. */
export const findingMark = 'finding '
export const doneMark = 'done'
