import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { attemptAnnotation, lineRunAnnotation, namesAnnotation } from '@capstan/challenge-instance/labels'
import {
  challengeContainer,
  challengePort,
  flagKey,
  secretVariableKey,
  teamIdVariable,
  testTeamId,
  writableVolume,
} from '@capstan/challenge-instance/names'
import { pods } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceSettings } from '../settings.ts'
import { createChildMetadata, createPodLabels } from './metadata.ts'
import { nameServerOf } from './names.ts'

export interface ContainerSpec {
  name: string
  image: string
  imagePullPolicy: string
  command?: string[]
  args?: string[]
  env?: { name: string; value?: string; valueFrom?: object }[]
  ports?: { name: string; containerPort: number; protocol: 'TCP' }[]
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  securityContext: object
  readinessProbe?: object
  volumeMounts?: VolumeMount[]
}

interface VolumeMount {
  name: string
  mountPath: string
  subPath?: string
  readOnly?: boolean
}

/** Additions to the pod of a challenge, for its recorder, flag file and writable folders. */
export interface PodExtras {
  /** Containers that run beside the challenge. The kubelet starts them just before the challenge. */
  companions: ContainerSpec[]
  /** Init containers, which end before the challenge starts. */
  preparations: ContainerSpec[]
  volumes: object[]
  mounts: VolumeMount[]
  /** Probe that the recorder answers. It replaces the probe that connects to the challenge's port. */
  portProbe?: object
}

export const noExtras: PodExtras = { companions: [], preparations: [], volumes: [], mounts: [] }

export function mergePodExtras(all: readonly PodExtras[]): PodExtras {
  return {
    companions: all.flatMap(({ companions }) => companions),
    preparations: all.flatMap(({ preparations }) => preparations),
    volumes: all.flatMap(({ volumes }) => volumes),
    mounts: all.flatMap(({ mounts }) => mounts),
    ...Object.assign({}, ...all.map(({ portProbe }) => (portProbe === undefined ? {} : { portProbe }))),
  }
}

/**
 * Returns the pod of a container. It is never updated, because nearly all of its fields are immutable. `attempt` is the number of
 * replacements after failures.
 */
export function desiredPod(
  instance: InstanceContainer,
  settings: InstanceSettings,
  attempt: number,
  extras: PodExtras = noExtras,
): DesiredObject {
  const { spec, place } = instance
  const { companions, preparations, volumes } = extras
  return {
    apiVersion: pods.apiVersion,
    kind: pods.kind,
    metadata: {
      ...createChildMetadata(instance),
      labels: createPodLabels(instance),
      annotations: {
        [attemptAnnotation]: String(attempt),
        ...(readinessLineOf(instance) === undefined ? {} : { [lineRunAnnotation]: '' }),
        ...(place && { [namesAnnotation]: JSON.stringify(place.names) }),
        // Container that `kubectl logs` and `kubectl exec` use if the pod has several containers and the command names
        // no container.
        ...(companions.length === 0 ? {} : { 'kubectl.kubernetes.io/default-container': challengeContainer }),
      },
    },
    spec: {
      ...(place && { hostname: place.name }),
      // Let the kubelet restart the container, because the kubelet increases the delay after each crash. Restarts by the operator
      // would be no faster and would not reduce the load on the node.
      restartPolicy: 'Always',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds:
        companions.length === 0
          ? settings.terminationGraceSeconds
          : (settings.capture?.terminationGraceSeconds ?? settings.terminationGraceSeconds),
      ...nameService(instance, settings),
      ...(Object.keys(settings.nodeSelector).length === 0 ? {} : { nodeSelector: settings.nodeSelector }),
      ...(settings.tolerations.length === 0 ? {} : { tolerations: settings.tolerations }),
      ...(spec.security.runtimeClassName === undefined ? {} : { runtimeClassName: spec.security.runtimeClassName }),
      ...(spec.imagePullSecrets === undefined ? {} : { imagePullSecrets: spec.imagePullSecrets.map((name) => ({ name })) }),
      securityContext: {
        seccompProfile: { type: 'RuntimeDefault' },
        // This sysctl lets a container that has no capabilities listen on port 80. Kubernetes counts the sysctl as safe.
        sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
      },
      ...(preparations.length === 0 ? {} : { initContainers: preparations }),
      containers: [...companions, challenge(instance, settings, extras)],
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  }
}

function challenge(instance: InstanceContainer, settings: InstanceSettings, { mounts, portProbe }: PodExtras): ContainerSpec {
  const { spec } = instance
  const { command, args, user, group, rootFileSystem, furtherPorts = [] } = spec.container ?? {}
  return {
    name: challengeContainer,
    image: spec.image,
    imagePullPolicy: settings.imagePullPolicy,
    ...(command === undefined ? {} : { command: command.map(literal) }),
    ...(args === undefined ? {} : { args: args.map(literal) }),
    env: environment(instance),
    ports: [
      ...(spec.port === undefined ? [] : [{ name: challengePort, containerPort: spec.port, protocol: 'TCP' as const }]),
      ...furtherPorts.map((port) => ({ name: `port-${port}`, containerPort: port, protocol: 'TCP' as const })),
    ],
    resources: resources(instance, settings),
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'] },
      // Set the user per container instead of per pod, because the recorder runs as another user.
      ...(spec.security.profile === 'Restricted' ? { runAsNonRoot: true } : {}),
      ...(user === undefined ? {} : { runAsUser: user }),
      ...(group === undefined ? {} : { runAsGroup: group }),
      ...(rootFileSystem === 'ReadOnly' ? { readOnlyRootFilesystem: true } : {}),
    },
    ...(portProbe ? { readinessProbe: portProbe } : readinessProbe(instance)),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  }
}

/**
 * Returns the output line that shows that the container is ready.
 * @returns undefined if the challenge uses a probe instead
 */
export function readinessLineOf({ spec }: InstanceContainer): string | undefined {
  return spec.container?.readiness?.line
}

/**
 * Returns the port that the challenge opens when it is ready.
 * @returns undefined if the container has no port, or if its readiness is shown by a command or by a line of output
 */
export function readinessPortOf({ spec }: InstanceContainer): number | undefined {
  const { port, command, line } = spec.container?.readiness ?? {}
  if (command !== undefined || line !== undefined) return undefined
  return port ?? spec.port ?? spec.container?.furtherPorts?.[0]
}

/** Returns the HTTP path that the challenge answers when it is ready. @returns undefined if an open port shows the readiness */
export function readinessPathOf({ spec }: InstanceContainer): string | undefined {
  return spec.container?.readiness?.path
}

/** Returns the command that exits with code 0 when the container is ready. */
export function readinessCommandOf({ spec }: InstanceContainer): string[] | undefined {
  return spec.container?.readiness?.command
}

/**
 * Returns the readiness probe, which the kubelet runs at the start of the container and then every second. Without a probe,
 * Kubernetes counts the container as ready when it runs. The operator may require a readiness line in addition.
 */
function readinessProbe(instance: InstanceContainer): { readinessProbe?: object } {
  const command = readinessCommandOf(instance)
  const port = readinessPortOf(instance)
  const path = readinessPathOf(instance)
  const times = { periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 3 }
  if (command !== undefined) return { readinessProbe: { exec: { command: command.map(literal) }, ...times } }
  if (port === undefined) return {}
  return { readinessProbe: { ...(path === undefined ? { tcpSocket: { port } } : { httpGet: { port, path } }), ...times } }
}

/**
 * Escapes each `$` of a text as `$$`. Otherwise Kubernetes would replace `$(NAME)` by the value of an environment
 * variable, such as the flag.
 */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** Returns the environment variables of the container. Variables of the platform override the challenge's variables. */
function environment({ metadata, spec, place }: InstanceContainer): NonNullable<ContainerSpec['env']> {
  const { flag, container } = spec
  const flagNames = flag?.environmentNames ?? []
  const isFree = (name: string): boolean => !flagNames.includes(name)
  const secretNames = (container?.secretEnvironment ?? []).filter(isFree)
  return [
    ...(container?.environment ?? [])
      .filter(({ name }) => isFree(name) && !secretNames.includes(name))
      .map(({ name, value }) => ({ name, value: literal(value) })),
    ...secretNames.map((name) => ({
      name,
      valueFrom: {
        secretKeyRef: { name: metadata.name, key: secretVariableKey(name, place?.isEntry ? undefined : place?.name) },
      },
    })),
    { name: teamIdVariable, value: spec.teamId === undefined ? testTeamId : String(spec.teamId) },
    ...flagNames.map((name) => ({ name, valueFrom: { secretKeyRef: { name: flag?.secretName, key: flagKey } } })),
  ]
}

/** Returns the volumes for the folders that a challenge may write. Each folder has a separate volume and limit. */
export function createWritableFolderPodExtras({ spec }: InstanceContainer): PodExtras {
  const folders = spec.container?.writablePaths ?? []
  const named = folders.map(({ path, sizeMb }, index) => ({ name: `${writableVolume}-${index}`, path, sizeMb }))
  return {
    ...noExtras,
    volumes: named.map(({ name, sizeMb }) => ({ name, emptyDir: { sizeLimit: `${sizeMb}Mi` } })),
    mounts: named.map(({ name, path }) => ({ name, mountPath: path })),
  }
}

function resources({ spec }: InstanceContainer, { requestPercent }: InstanceSettings): ContainerSpec['resources'] {
  const { cpuTenths, memoryMb, storageMb } = spec.resources
  const share = (whole: number, percent: number) => Math.max(1, Math.ceil((whole * percent) / 100))
  return {
    requests: {
      cpu: `${share(cpuTenths * 100, requestPercent.cpu)}m`,
      memory: `${share(memoryMb, requestPercent.memory)}Mi`,
      'ephemeral-storage': `${share(storageMb, requestPercent.storage)}Mi`,
    },
    limits: { cpu: `${cpuTenths * 100}m`, memory: `${memoryMb}Mi`, 'ephemeral-storage': `${storageMb}Mi` },
  }
}

/**
 * DNS options. No search domain is appended to names. `timeout` differs between libraries: glibc repeats an unanswered query after
 * 4 s, and musl ends the look-up after 4 s and repeats the query every second (`timeout` divided by `attempts`).
 */
const nameOptions = [
  { name: 'timeout', value: '4' },
  { name: 'attempts', value: '4' },
  { name: 'ndots', value: '1' },
]

/**
 * Returns the DNS settings of the pod. A container that shares a network uses the platform's name server. Any other
 * container without egress can reach no name server. Its queries are sent to the pod itself. Therefore, they fail at
 * once instead of after seconds, and reveal no names of the cluster.
 */
function nameService(instance: InstanceContainer, settings: InstanceSettings): object {
  const { spec } = instance
  const server = nameServerOf(instance, settings)
  if (server) return { dnsPolicy: 'None', dnsConfig: { nameservers: [server.address], options: nameOptions } }
  return spec.egress === 'None' ? { dnsPolicy: 'None', dnsConfig: { nameservers: ['127.0.0.1'] } } : { dnsPolicy: 'ClusterFirst' }
}
