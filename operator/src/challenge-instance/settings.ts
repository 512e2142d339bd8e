/** Name server that containers of an instance use if they share a network. */
export interface NameServer {
  /** Address of the name server's Service. */
  address: string
  /** Pods behind this Service, and their port. */
  source: PeerSettings
  port: number
}

export interface NameServers {
  /** Server that resolves only names of containers of the same instance. Absent if its Service does not exist. */
  closed?: NameServer
  /** Name server for containers with egress. Undefined if the name server's Service does not exist. */
  forwarding?: NameServer
}

export interface InstanceSettings {
  /** Host name or address under which players connect to node ports. If undefined, the address of the pod's node. */
  publicHost: string | undefined
  /** Pods that may connect to challenges with exposure Proxy. */
  proxySource: PeerSettings
  /** DNS servers of the cluster, which containers with egress Dns or Internet use. */
  dns: PeerSettings & { cidrs: string[] }
  /**
   * Name servers of containers. `off` if no name server is configured. Containers then cannot resolve each other's
   * names. `unknown` until their Services are observed. In this state, containers that need a name server do not start.
   */
  names: NameServers | 'off' | 'unknown'
  /**
   * IPv4 or IPv6 networks that containers with egress `Internet` cannot reach, in addition to private ranges and `clusterCidrs`.
   */
  egressDeniedCidrs: string[]
  /**
   * Networks of pods and services, and addresses of all nodes and API servers. Containers with egress `Internet` cannot reach them.
   * While this list is unknown (undefined), these containers can only resolve names.
   */
  clusterCidrs: string[] | undefined
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** Part of each limit that the scheduler reserves for the container, in percent (1 to 100). */
  requestPercent: { cpu: number; memory: number; storage: number }
  terminationGraceSeconds: number
  /** Time after which a pod with no node counts as failed, in seconds. */
  schedulingGraceSeconds: number
  nodeSelector: Record<string, string>
  tolerations: Toleration[]
  /** Image of the program that writes flag files for owners other than root. If absent, root owns every flag file. */
  flagFileImage: string | undefined
  /** Settings of the recorder. If absent, no traffic is recorded. */
  capture: CaptureSettings | undefined
}

export interface CaptureSettings {
  image: string
  port: number
  memoryMb: number
  cpuMillis: number
  source: PeerSettings
  /** Time to fetch the recordings of a deleted instance, in seconds. */
  drainSeconds: number
  /** Time to fetch the recordings of a pod that was not deleted by the operator, in seconds. */
  terminationGraceSeconds: number
}

export interface Toleration {
  /** Key of the taint. If absent, every taint matches. */
  key?: string
  operator?: 'Exists' | 'Equal'
  value?: string
  /** Effect of the taint. If absent, every effect matches. */
  effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute' | ''
  tolerationSeconds?: number
}

/** Pods of a namespace. If labels are absent, all pods match. */
export interface PeerSettings {
  namespace: string
  labels: Record<string, string>
}
