export interface InstanceSettings {
  /** Host name or address under which players reach node ports; if absent, the address of the pod's node. */
  publicHost: string | undefined
  /** Pods that may reach challenge ports of exposure Proxy. */
  proxySource: PeerSettings
  /** Name servers of the cluster, for egress Dns and Internet. */
  dns: PeerSettings & { cidrs: string[] }
  /** IPv4 or IPv6 CIDRs that egress Internet never reaches, besides private ranges and `clusterCidrs`. */
  egressDeniedCidrs: string[]
  /**
   * Networks of pods and services, and addresses of all nodes and API servers. Egress Internet never reaches them. Until they
   * are known, egress Internet is denied completely.
   */
  clusterCidrs: string[] | undefined
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** Share of a limit that the scheduler reserves, in percent (1 to 100). */
  requestPercent: { cpu: number; memory: number; storage: number }
  terminationGraceSeconds: number
  /** Time before a pod without a node counts as failed, in seconds. */
  schedulingGraceSeconds: number
  nodeSelector: Record<string, string>
  tolerations: Toleration[]
  /** Image with the program that writes a flag's file for another owner than root. If absent, root owns every such file. */
  flagFileImage: string | undefined
  /** Settings of the recorder; if absent, nothing is recorded. */
  capture: CaptureSettings | undefined
}

export interface CaptureSettings {
  image: string
  port: number
  memoryMb: number
  cpuMillis: number
  source: PeerSettings
  /** Time for the recordings of a deleted instance to be fetched, in seconds. */
  drainSeconds: number
  /** Time for the recordings of a pod that was deleted by others to be fetched, in seconds. */
  terminationGraceSeconds: number
}

export interface Toleration {
  /** Key of the taint; if absent, every taint. */
  key?: string
  operator?: 'Exists' | 'Equal'
  value?: string
  /** Effect of the taint; if absent, every effect. */
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | ''
  tolerationSeconds?: number
}

/** Pods of a namespace; without labels, all of them. */
export interface PeerSettings {
  namespace: string
  labels: Record<string, string>
}
