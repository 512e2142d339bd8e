// Generated from crds/capstan.dev_challengeinstances.yaml by scripts/generate.ts. Do not edit.

/** Name of the definition. */
export const definitionName = 'challengeinstances.capstan.dev'
export const group = 'capstan.dev'
export const apiVersion = 'capstan.dev/v1alpha1'
export const kind = 'ChallengeInstance'
export const plural = 'challengeinstances'

/** What is wanted. Only expiresAt can change; for anything else delete the instance and create a new one. */
export interface ChallengeInstanceSpec {
  /** Number of the game. Also the label capstan.dev/game. */
  gameId: number
  /** Number of the challenge. Also the label capstan.dev/challenge. */
  challengeId: number
  /** Number of the team's participation in the game; absent for a test instance. Also the label capstan.dev/participation. */
  participationId?: number
  /** Number of the team; absent for a test instance. Also the label capstan.dev/team. The container reads it as TEAM_ID, which is "admin" for a test instance. */
  teamId?: number
  /** Container image, as kubelet takes it (registry/name:tag or a digest). */
  image: string
  /** TCP port on which the container serves. */
  port: number
  /** Names of Secrets in this namespace with which the image may be pulled. None by default. */
  imagePullSecrets?: string[]
  /** What the container may use. Above it, it is slowed down (CPU), killed and restarted (memory) or evicted (storage). */
  resources: {
    /** CPU limit in tenths of a core. */
    cpuTenths: number
    /** Memory limit in MB (of 1024 x 1024 bytes). */
    memoryMb: number
    /** Limit of writable storage in MB (of 1024 x 1024 bytes), the container's file system and logs together. */
    storageMb: number
    /** Most processes and threads the challenge is meant to need. Kubernetes has no such limit in a pod: the kubelet's podPidsLimit is what holds, and the node's administrator sets it to at least this number. 256 by default. */
    pids: number
  }
  /** Where the flag is and under which names the container reads it. Absent for a challenge whose flag is static. */
  flag?: {
    /** Name of the Secret that holds the flag under the key "flag". It must carry the label capstan.dev/instance with this instance's name. The operator makes the instance its owner, so it ends with the instance. */
    secretName: string
    /** Names of the environment variables that hold the flag. ["FLAG"] by default; none where the file alone holds it. */
    environmentNames: string[]
    /** File in the container that holds the flag, read-only. None by default. */
    file?: {
      /** Absolute path of the file. Its folder need not be there. */
      path: string
      /** Permissions of the file, in octal. "0444" by default. */
      mode: string
      /** Number of the user that owns the file. 0 by default; for another one the operator needs an image (CAPSTAN_FLAG_FILE_IMAGE), from which a container writes the file before the challenge starts. */
      owner: number
    }
  }
  /** How the container is run, beyond image, port, resources and flag. As the image has it if absent. */
  container?: {
    /** Program, instead of the image's entry point. Taken as it stands, without a shell and without variables. */
    command?: string[]
    /** Arguments, instead of the image's. Taken as they stand. */
    args?: string[]
    /** Environment variables that everybody may know. The platform's own (TEAM_ID, the flag's) come before them. */
    environment?: {
      /** Name of the variable. */
      name: string
      /** Its value, taken as it stands. */
      value: string
    }[]
    /** Names of the environment variables whose values are in the Secret with the instance's name, each under the key "variable." and its name. It must carry the label capstan.dev/instance, as that of a flag. */
    secretEnvironment?: string[]
    /** Number of the user that runs the container. The image's if absent. */
    user?: number
    /** Number of the group that runs the container. The image's if absent. */
    group?: number
    /** Whether the container may write outside of its writable paths (Writable) or not (ReadOnly). Writable by default. */
    rootFileSystem?: 'Writable' | 'ReadOnly'
    /** Folders that are empty at the start, and that every user may write. Their content counts towards storageMb. */
    writablePaths?: {
      /** Absolute path of the folder. */
      path: string
      /** Most MB (of 1024 x 1024 bytes) that it may hold. Above it, the instance starts anew. */
      sizeMb: number
    }[]
    /** TCP ports besides spec.port that the container serves. The gateway may connect to them. */
    furtherPorts?: number[]
    /** What shows that the container is ready. That it accepts connections on spec.port, by default. */
    readiness?: {
      /** Port that is asked. spec.port by default. */
      port?: number
      /** Path that is asked for by HTTP; any answer from 200 to 399 is ready. An open port is, if absent. */
      path?: string
      /** Instead of both: the container is ready once it has written a line that contains this text. The operator reads the first MB of what it writes. */
      line?: string
    }
    /** Time in seconds that the container may run before it is ready; then it counts as not answering. 20 by default. */
    startTimeoutSeconds?: number
  }
  /** Instant at which the operator deletes the instance (RFC 3339). The one field that may change; a later instant extends the instance. */
  expiresAt: string
  /** How players reach the container, for as long as it lives. Proxy (default): only through the platform's gateway. NodePort: directly, on a port of the cluster's nodes. */
  exposure: 'Proxy' | 'NodePort'
  /** What the platform's gateways offer players beside WebSockets, best first. Where a host name is the right to connect, "*" stands for it: no object of the cluster has it. Absent with exposure NodePort, and where gateways offer WebSockets alone. */
  ways?: {
    /** How clients come. Http, by a host name; Tls, by TLS and its server name; Tcp, by a port. */
    way: 'Http' | 'Tls' | 'Tcp'
    /** What they open or type, an address of the web or host:port. */
    address: string
    /** Port of the container that it leads to; spec.port if absent. */
    port?: number
  }[]
  /** What the container may connect to. None (default): nothing. Dns: the cluster's name servers. Internet: name servers and public addresses, never private ranges, the metadata address, the nodes, the API server, or the networks of pods and services that Kubernetes knows. */
  egress: 'None' | 'Dns' | 'Internet'
  /** How the container is confined. */
  security: {
    /** Restricted (default): the image must run as a user other than root. Baseline: root is allowed, still without any capability. */
    profile: 'Restricted' | 'Baseline'
    /** RuntimeClass that runs the pod, for example one of gVisor or Kata Containers. The cluster's default if absent. */
    runtimeClassName?: string
  }
  /** Recording of the container's network traffic for monitors. */
  capture: {
    /** Whether traffic is recorded. false by default. */
    enabled: boolean
    /** Size in MB (of 1024 x 1024 bytes) at which a recording is closed and the next one begins. 8 by default. */
    maxSegmentMb: number
    /** Time in seconds after which a recording is closed and the next one begins. 30 by default. */
    maxSegmentSeconds: number
    /** Most MB (of 1024 x 1024 bytes) of recordings kept in the pod until they are fetched. 128 by default. */
    maxStoredMb: number
  }
}

/** What the operator observed. Written by the operator alone. */
export interface ChallengeInstanceStatus {
  /** Observed facts. Ready: players can connect (the summary). PodScheduled: a node was found. Reachable: the container accepts connections on its port, or has written its line. CaptureHealthy: traffic is being recorded; present only where capture is enabled. */
  conditions?: {
    /** Name of the fact (Ready, PodScheduled, Reachable, CaptureHealthy). */
    type: string
    /** Whether the fact holds. */
    status: 'True' | 'False' | 'Unknown'
    /** Why, as one PascalCase word. */
    reason: string
    /** A sentence. That of Ready may be shown to players. */
    message: string
    /** metadata.generation on which this condition is based. */
    observedGeneration?: number
    /** Instant at which the status last became another one. */
    lastTransitionTime: string
  }[]
  /** metadata.generation on which this status is based. */
  observedGeneration?: number
  /** Where to connect; absent until the container first accepted connections. Proxy: the pod's address and the container's port, for the gateway to dial. NodePort: the configured public host (else the pod's node) and the node port. */
  address?: {
    /** IP address or host name. */
    host: string
    /** TCP port. */
    port: number
  }
  /** What leads to the container now, best first: spec.ways, or with exposure NodePort its address. Absent while it does not accept connections. */
  ways?: {
    /** How clients come. Http, by a host name; Tls, by TLS and its server name; Tcp, by a port. */
    way: 'Http' | 'Tls' | 'Tcp'
    /** What they open or type, an address of the web or host:port. */
    address: string
    /** Port of the container that it leads to; spec.port if absent. */
    port?: number
  }[]
  /** Where the platform's collector fetches recordings; present while capture is on and the pod runs. */
  captureAddress?: {
    /** IP address of the pod. */
    host: string
    /** TCP port of the recorder's HTTP server. */
    port: number
  }
  /** Instant at which the container first accepted connections; absent until then. */
  startedAt?: string
  /** How often the container was started again since the pod was made, or the pod was replaced after a failure. */
  restarts?: number
}
