// Generated from crds/capstan.dev_challengeinstances.yaml by scripts/generate.ts. Do not edit.

/** Name of the definition. */
export const definitionName = 'challengeinstances.capstan.dev'
export const group = 'capstan.dev'
export const apiVersion = 'capstan.dev/v1alpha1'
export const kind = 'ChallengeInstance'
export const plural = 'challengeinstances'

/** Desired state. Only expiresAt can change. To change anything else, delete the instance and create a new one. */
export interface ChallengeInstanceSpec {
  /** Number of the game. Also the label capstan.dev/game. */
  gameId: number
  /** Number of the challenge. Also the label capstan.dev/challenge. */
  challengeId: number
  /** Number of the team's participation in the game; absent for a test instance. Also the label capstan.dev/participation. */
  participationId?: number
  /** Number of the team; absent for a test instance. Also the label capstan.dev/team. The container reads it as TEAM_ID, which is "admin" for a test instance. */
  teamId?: number
  /** Container image, in the form that the kubelet accepts (registry/name:tag or a digest). */
  image: string
  /** TCP port on which the container serves. */
  port: number
  /** Names of Secrets in this namespace with credentials to pull the image. None by default. */
  imagePullSecrets?: string[]
  /** Limits of the container. Above them it is throttled (CPU), killed and restarted (memory), or evicted (storage). */
  resources: {
    /** CPU limit in tenths of a core. */
    cpuTenths: number
    /** Memory limit in MB (of 1024 x 1024 bytes). */
    memoryMb: number
    /** Limit of writable storage in MB (of 1024 x 1024 bytes), the container's file system and logs together. */
    storageMb: number
    /** Maximum number of processes and threads that the challenge needs. Kubernetes has no such limit for a pod. The kubelet's podPidsLimit applies, and the node's administrator must set it to at least this number. 256 by default. */
    pids: number
  }
  /** Secret of the flag, and names under which the container reads it. Absent if the challenge has a static flag. */
  flag?: {
    /** Name of the Secret that contains the flag under the key "flag". It must have the label capstan.dev/instance with this instance's name. The operator makes the instance its owner, so it is deleted with the instance. */
    secretName: string
    /** Names of the environment variables that contain the flag. ["FLAG"] by default. Empty if only the file contains it. */
    environmentNames: string[]
    /** Read-only file in the container that contains the flag. None by default. */
    file?: {
      /** Absolute path of the file. Its folder need not exist. */
      path: string
      /** Permissions of the file, in octal. "0444" by default. */
      mode: string
      /** Numeric id of the user that owns the file. 0 by default. Other values require the operator's setting CAPSTAN_FLAG_FILE_IMAGE. */
      owner: number
    }
  }
  /** Settings of the container besides image, port, resources and flag. If absent, the settings of the image apply. */
  container?: {
    /** Name of the container, which is also its host name in its networks. Absent if the instance has only one container. */
    name?: string
    /** Networks of the container, if the instance has several containers. Containers that share a network can connect to each other on every port. If absent, the container is in the network "default". */
    networks?: {
      /** Name of the network, which is valid in this instance only. */
      name: string
      /** Additional host names under which other containers of the network can reach the container. */
      aliases?: string[]
    }[]
    /** Other containers of the instance that must reach a state before this container starts. */
    dependsOn?: {
      /** Name of the container. */
      name: string
      /** State that the other container must reach before this container starts. */
      when: 'Started' | 'Ready'
    }[]
    /** Command that replaces the image's entry point. Neither a shell nor Kubernetes changes the words of the command. */
    command?: string[]
    /** Arguments for the program. They replace the arguments of the image, and no shell changes them. */
    args?: string[]
    /** Environment variables whose values are not secret. The platform's variables, such as TEAM_ID and FLAG, override variables with the same name. */
    environment?: {
      /** Name of the variable. */
      name: string
      /** Literal value of the variable. */
      value: string
    }[]
    /** Names of the environment variables whose values are secret. The Secret with the instance's name contains each value, under the key "variable.<name>". For an additional container, the key is "container.<container>.variable.<name>". */
    secretEnvironment?: string[]
    /** Number of the user that runs the container. If absent, the user of the image runs it. */
    user?: number
    /** Number of the group that runs the container. If absent, the group of the image runs it. */
    group?: number
    /** Access to all paths that the list of writable paths does not contain: Writable (default) or ReadOnly. */
    rootFileSystem?: 'Writable' | 'ReadOnly'
    /** Folders that are empty at the start and writable for every user. Their content counts towards storageMb. */
    writablePaths?: {
      /** Absolute path of the folder. */
      path: string
      /** Maximum size of the folder in MB (of 1024 x 1024 bytes). Above it, the pod is evicted and replaced. */
      sizeMb: number
    }[]
    /** TCP ports that the container serves. For the entry container, they are in addition to spec.port. The gateway may connect to all of these ports. */
    furtherPorts?: number[]
    /** Condition under which the container is ready. By default, the entry container is ready when it accepts connections on spec.port. By default, an additional container is ready when it accepts connections on the first of furtherPorts. Without ports, it is ready when it runs. */
    readiness?: {
      /** Port of the probe. By default, it is spec.port for the entry container, and the first of furtherPorts for an additional container. */
      port?: number
      /** Path of the HTTP probe. Any status from 200 to 399 means ready. If absent, an open port means ready. */
      path?: string
      /** Text that is expected in the output. It replaces the probe of port and path. The container is ready after it writes a line that contains this text. The operator reads only the first MB of the output. */
      line?: string
      /** Program that checks the readiness. It replaces port, path and line. It runs in the container once a second. The container is ready once the program ends with code 0. No shell interprets the words of the command, and variables in the words are not replaced. */
      command?: string[]
    }
    /** Maximum time in seconds until the container is ready. After this time, the container counts as not answering. 20 by default. */
    startTimeoutSeconds?: number
  }
  /** Instant at which the operator deletes the instance (RFC 3339). Only this field can change. A later instant extends the life of the instance. */
  expiresAt: string
  /** Method by which players reach the container. Proxy (default): only through the platform's gateway. NodePort: directly, on a port of the cluster's nodes. */
  exposure: 'Proxy' | 'NodePort'
  /** Connections to the instance through the platform's gateways, best first. WebSockets are not listed. In an address, "*" replaces the secret part of the host name. */
  ways?: {
    /** Method that selects the instance. Http uses a host name, Tls the server name of TLS, Tcp a port. */
    way: 'Http' | 'Tls' | 'Tcp'
    /** URL or host:port that a player uses to connect to the container. */
    address: string
    /** Port of the container. If absent, spec.port. */
    port?: number
  }[]
  /** Destinations to which the container may connect. None (default): no destination. Dns: the cluster's name servers. Internet: name servers and public addresses, never private ranges, the metadata address, the nodes, the API server, or the networks of pods and services that Kubernetes knows. */
  egress: 'None' | 'Dns' | 'Internet'
  /** Isolation of the container. */
  security: {
    /** Restricted (default): the image must run as a user other than root. Baseline: root is allowed, but without Linux capabilities. */
    profile: 'Restricted' | 'Baseline'
    /** RuntimeClass that runs the pod, for example one of gVisor or Kata Containers. The cluster's default if absent. */
    runtimeClassName?: string
  }
  /** Recording of the container's network traffic for monitors. */
  capture: {
    /** True if traffic is recorded. false by default. */
    enabled: boolean
    /** Size in MB (of 1024 x 1024 bytes) at which a recording is closed and the next one begins. 8 by default. */
    maxSegmentMb: number
    /** Time in seconds after which a recording is closed and the next one begins. 30 by default. */
    maxSegmentSeconds: number
    /** Maximum total size of the stored recordings in a pod, in MB (of 1024 x 1024 bytes). 128 by default. */
    maxStoredMb: number
    /** Containers to record, if the instance has several. If absent, only the entry container is recorded, with all its traffic. */
    containers?: {
      /** Name of the container. */
      name: string
      /** Ports whose connections are recorded. If absent, all traffic of the container is recorded. */
      ports?: number[]
    }[]
  }
  /** Additional containers of the instance, besides the one of spec.image. Each runs in a separate pod. Players reach them only on ports that the gateway offers. */
  containers?: {
    /** Name of the container, and its host name in its networks. */
    name: string
    /** Container image, in the form that the kubelet accepts (registry/name:tag or a digest). */
    image: string
    /** Limits of the container. Above them it is throttled (CPU), killed and restarted (memory), or evicted (storage). */
    resources: {
      /** CPU limit in tenths of a core. */
      cpuTenths: number
      /** Memory limit in MB (of 1024 x 1024 bytes). */
      memoryMb: number
      /** Limit of writable storage in MB (of 1024 x 1024 bytes), the container's file system and logs together. */
      storageMb: number
      /** Maximum number of processes and threads that the challenge needs. Kubernetes has no such limit for a pod. The kubelet's podPidsLimit applies, and the node's administrator must set it to at least this number. 256 by default. */
      pids: number
    }
    /** Names of Secrets in this namespace with credentials to pull the image. None by default. */
    imagePullSecrets?: string[]
    /** Places where the container finds the flag, which is in the Secret with the instance's name. Absent if the container does not get the flag. */
    flag?: {
      /** Names of the environment variables that contain the flag. ["FLAG"] by default. Empty if only the file contains it. */
      environmentNames: string[]
      /** Read-only file in the container that contains the flag. None by default. */
      file?: {
        /** Absolute path of the file. Its folder need not exist. */
        path: string
        /** Permissions of the file, in octal. "0444" by default. */
        mode: string
        /** Numeric id of the user that owns the file. 0 by default. Other values require the operator's setting CAPSTAN_FLAG_FILE_IMAGE. */
        owner: number
      }
    }
    /** Networks of the container, if the instance has several containers. Containers that share a network can connect to each other on every port. If absent, the container is in the network "default". */
    networks?: {
      /** Name of the network, which is valid in this instance only. */
      name: string
      /** Additional host names under which other containers of the network can reach the container. */
      aliases?: string[]
    }[]
    /** Other containers of the instance that must reach a state before this container starts. */
    dependsOn?: {
      /** Name of the container. */
      name: string
      /** State that the other container must reach before this container starts. */
      when: 'Started' | 'Ready'
    }[]
    /** Command that replaces the image's entry point. Neither a shell nor Kubernetes changes the words of the command. */
    command?: string[]
    /** Arguments for the program. They replace the arguments of the image, and no shell changes them. */
    args?: string[]
    /** Environment variables whose values are not secret. The platform's variables, such as TEAM_ID and FLAG, override variables with the same name. */
    environment?: {
      /** Name of the variable. */
      name: string
      /** Literal value of the variable. */
      value: string
    }[]
    /** Names of the environment variables whose values are secret. The Secret with the instance's name contains each value, under the key "variable.<name>". For an additional container, the key is "container.<container>.variable.<name>". */
    secretEnvironment?: string[]
    /** Number of the user that runs the container. If absent, the user of the image runs it. */
    user?: number
    /** Number of the group that runs the container. If absent, the group of the image runs it. */
    group?: number
    /** Access to all paths that the list of writable paths does not contain: Writable (default) or ReadOnly. */
    rootFileSystem?: 'Writable' | 'ReadOnly'
    /** Folders that are empty at the start and writable for every user. Their content counts towards storageMb. */
    writablePaths?: {
      /** Absolute path of the folder. */
      path: string
      /** Maximum size of the folder in MB (of 1024 x 1024 bytes). Above it, the pod is evicted and replaced. */
      sizeMb: number
    }[]
    /** TCP ports that the container serves. For the entry container, they are in addition to spec.port. The gateway may connect to all of these ports. */
    furtherPorts?: number[]
    /** Condition under which the container is ready. By default, the entry container is ready when it accepts connections on spec.port. By default, an additional container is ready when it accepts connections on the first of furtherPorts. Without ports, it is ready when it runs. */
    readiness?: {
      /** Port of the probe. By default, it is spec.port for the entry container, and the first of furtherPorts for an additional container. */
      port?: number
      /** Path of the HTTP probe. Any status from 200 to 399 means ready. If absent, an open port means ready. */
      path?: string
      /** Text that is expected in the output. It replaces the probe of port and path. The container is ready after it writes a line that contains this text. The operator reads only the first MB of the output. */
      line?: string
      /** Program that checks the readiness. It replaces port, path and line. It runs in the container once a second. The container is ready once the program ends with code 0. No shell interprets the words of the command, and variables in the words are not replaced. */
      command?: string[]
    }
    /** Maximum time in seconds until the container is ready. After this time, the container counts as not answering. 20 by default. */
    startTimeoutSeconds?: number
    /** Destinations to which the container may connect. None (default): no destination. Dns: the cluster's name servers. Internet: name servers and public addresses, never private ranges, the metadata address, the nodes, the API server, or the networks of pods and services that Kubernetes knows. */
    egress: 'None' | 'Dns' | 'Internet'
    /** Restricted (default): the image must run as a user other than root. Baseline: root is allowed, but without Linux capabilities. */
    profile: 'Restricted' | 'Baseline'
  }[]
}

/** State that the operator observed. Only the operator writes it. */
export interface ChallengeInstanceStatus {
  /** Observed facts. Ready: players can connect (the summary). PodScheduled: a node was found for the pod. Reachable: the container accepts connections on its port, or has written its readiness line. CaptureHealthy: traffic is being recorded; present only if capture is enabled. */
  conditions?: {
    /** Name of the fact (Ready, PodScheduled, Reachable, CaptureHealthy). */
    type: string
    /** True, False or Unknown. */
    status: 'True' | 'False' | 'Unknown'
    /** Reason of the status, as one PascalCase word. */
    reason: string
    /** Sentence that explains the status. For the condition type Ready, players may see the sentence. */
    message: string
    /** metadata.generation on which this condition is based. */
    observedGeneration?: number
    /** Instant of the last change of the status. */
    lastTransitionTime: string
  }[]
  /** metadata.generation on which this status is based. */
  observedGeneration?: number
  /** Address under which the container is reached. Absent until the container first accepted connections. Proxy: the pod's address and the container's port, to which the gateway connects. NodePort: the configured public host (else the pod's node) and the node port. */
  address?: {
    /** IP address or host name. */
    host: string
    /** TCP port. */
    port: number
  }
  /** Connections that work now, best first: spec.ways, or the address with exposure NodePort. Absent while the container does not accept connections. */
  ways?: {
    /** Method that selects the instance. Http uses a host name, Tls the server name of TLS, Tcp a port. */
    way: 'Http' | 'Tls' | 'Tcp'
    /** URL or host:port that a player uses to connect to the container. */
    address: string
    /** Port of the container. If absent, spec.port. */
    port?: number
  }[]
  /** Address from which the platform's collector fetches recordings. Present while capture is enabled and the pod runs. With spec.capture.containers, the addresses are in status.containers. */
  captureAddress?: {
    /** IP address of the pod. */
    host: string
    /** TCP port of the recorder's HTTP server. */
    port: number
  }
  /** Instant at which the container first accepted connections. Absent until then. */
  startedAt?: string
  /** Number of restarts of all containers since their pods were created, plus the number of replacements of pods after failures. */
  restarts?: number
  /** State of each container, the entry container first. Absent if the instance has one container, which the conditions describe. */
  containers?: {
    /** Name of the container. */
    name: string
    /** True if the container is ready. */
    ready: boolean
    /** Reason of the state, one of the reasons of the condition Ready. */
    reason: string
    /** Technical detail for organizers. */
    message: string
    /** Number of restarts since the pod was created, plus the number of replacements of the pod after failures. */
    restarts: number
    /** Reason of the container's last exit. Absent if the container has not exited yet. */
    lastExit?: string
    /** IP address of the pod. Absent until the container was ready for the first time. */
    host?: string
    /** Address from which the platform's collector fetches recordings. Present while capture is enabled and the pod runs. With spec.capture.containers, the addresses are in status.containers. */
    captureAddress?: {
      /** IP address of the pod. */
      host: string
      /** TCP port of the recorder's HTTP server. */
      port: number
    }
    /** Instant of the last change of the container's readiness or reason. */
    lastTransitionTime: string
  }[]
}
