/** What the operator's configuration says about every instance. Plain data, so that builders stay pure. */
export interface InstanceSettings {
  /** Host name or address under which players reach node ports; the pod's node if absent. */
  publicHost: string | undefined
  /** Who may reach challenge ports of exposure Proxy. */
  proxySource: PeerSettings
  /** Name servers of the cluster, for egress Dns and Internet. */
  dns: PeerSettings & { cidrs: string[] }
  /** Ranges that egress Internet never reaches, besides the private ones and `clusterCidrs`. IPv4 or IPv6 CIDRs. */
  egressDeniedCidrs: string[]
  /**
   * Networks of pods and services and addresses of all nodes and API servers, which egress Internet never reaches either. Until they are
   * known, nobody gets Internet.
   */
  clusterCidrs: string[] | undefined
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** Share of a limit that the scheduler reserves, in percent (1 to 100). */
  requestPercent: { cpu: number; memory: number; storage: number }
  /** Time a stopped container has to end by itself, in seconds. */
  terminationGraceSeconds: number
  /** How long a pod may wait for a node before this counts as a failure, in seconds. */
  schedulingGraceSeconds: number
  /** Only nodes with these labels run challenges; any node if empty. */
  nodeSelector: Record<string, string>
  /** Taints of nodes that keep others away, but not challenges. */
  tolerations: Toleration[]
  /** Image with the program that writes a flag's file for an owner other than root; such a file belongs to root if absent. */
  flagFileImage: string | undefined
  /** Settings of the recorder; instances that want one go without if absent. */
  capture: CaptureSettings | undefined
}

export interface CaptureSettings {
  image: string
  /** Port on which the recorder hands out recordings. */
  port: number
  /** Memory limit of the recorder. */
  memoryMb: number
  /** CPU limit of the recorder, in thousandths of a core. */
  cpuMillis: number
  /** Who may fetch recordings. */
  source: PeerSettings
  /** How long an instance that ends waits for its recordings to be fetched, in seconds. */
  drainSeconds: number
  /** Time a pod that is deleted by others has, so that its recordings can still be fetched, in seconds. */
  terminationGraceSeconds: number
}

/** As Kubernetes has it. */
export interface Toleration {
  /** Every taint if absent. */
  key?: string
  operator?: 'Exists' | 'Equal'
  value?: string
  /** Every effect if absent. */
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | ''
  tolerationSeconds?: number
}

/** Pods of a namespace; all of them if there are no labels. */
export interface PeerSettings {
  namespace: string
  labels: Record<string, string>
}
