import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { attemptAnnotation, lineRunAnnotation } from '@capstan/challenge-instance/labels'
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
import { childMetadata } from './metadata.ts'

/** Shape of a container, as far as we set it. */
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

/** What a pod has besides the challenge's container. */
export interface PodExtras {
  /** Run beside the challenge. The kubelet starts them in the same round, a moment before the challenge. */
  companions: ContainerSpec[]
  /** Run to their end before the challenge starts. */
  preparations: ContainerSpec[]
  volumes: object[]
  /** Of those volumes, in the challenge's container. */
  mounts: VolumeMount[]
  /** Probe of the challenge's container in place of a connection to its port. */
  portProbe?: object
}

export const noExtras: PodExtras = { companions: [], preparations: [], volumes: [], mounts: [] }

export function together(all: readonly PodExtras[]): PodExtras {
  return {
    companions: all.flatMap(({ companions }) => companions),
    preparations: all.flatMap(({ preparations }) => preparations),
    volumes: all.flatMap(({ volumes }) => volumes),
    mounts: all.flatMap(({ mounts }) => mounts),
    ...Object.assign({}, ...all.map(({ portProbe }) => (portProbe === undefined ? {} : { portProbe }))),
  }
}

/**
 * The pod of an instance. It is created once and never changed, for nearly nothing in a pod can change; `attempt` counts how often
 * it was replaced after a failure.
 */
export function desiredPod(
  instance: ChallengeInstance,
  settings: InstanceSettings,
  attempt: number,
  extras: PodExtras = noExtras,
): DesiredObject {
  const { spec } = instance
  const { companions, preparations, volumes } = extras
  return {
    apiVersion: pods.apiVersion,
    kind: pods.kind,
    metadata: {
      ...childMetadata(instance),
      annotations: {
        [attemptAnnotation]: String(attempt),
        ...(lineOf(instance) === undefined ? {} : { [lineRunAnnotation]: '' }),
        // What `kubectl logs` and `kubectl exec` choose among several containers.
        ...(companions.length === 0 ? {} : { 'kubectl.kubernetes.io/default-container': challengeContainer }),
      },
    },
    spec: {
      // Kubelet restarts a crashed container by itself, with a growing delay: nothing of ours can be faster or kinder to the node.
      restartPolicy: 'Always',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds:
        companions.length === 0
          ? settings.terminationGraceSeconds
          : (settings.capture?.terminationGraceSeconds ?? settings.terminationGraceSeconds),
      ...nameService(instance),
      ...(Object.keys(settings.nodeSelector).length === 0 ? {} : { nodeSelector: settings.nodeSelector }),
      ...(settings.tolerations.length === 0 ? {} : { tolerations: settings.tolerations }),
      ...(spec.security.runtimeClassName === undefined ? {} : { runtimeClassName: spec.security.runtimeClassName }),
      ...(spec.imagePullSecrets === undefined ? {} : { imagePullSecrets: spec.imagePullSecrets.map((name) => ({ name })) }),
      securityContext: {
        seccompProfile: { type: 'RuntimeDefault' },
        // Lets a container without capabilities serve on port 80; one of the sysctls that Kubernetes counts as safe.
        sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
      },
      ...(preparations.length === 0 ? {} : { initContainers: preparations }),
      containers: [...companions, challenge(instance, settings, extras)],
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  }
}

function challenge(instance: ChallengeInstance, settings: InstanceSettings, { mounts, portProbe }: PodExtras): ContainerSpec {
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
      { name: challengePort, containerPort: spec.port, protocol: 'TCP' },
      ...furtherPorts.map((port) => ({ name: `port-${port}`, containerPort: port, protocol: 'TCP' as const })),
    ],
    resources: resources(instance, settings),
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'] },
      // On the container, not on the pod: the recorder needs another user.
      ...(spec.security.profile === 'Restricted' ? { runAsNonRoot: true } : {}),
      ...(user === undefined ? {} : { runAsUser: user }),
      ...(group === undefined ? {} : { runAsGroup: group }),
      ...(rootFileSystem === 'ReadOnly' ? { readOnlyRootFilesystem: true } : {}),
    },
    ...(lineOf(instance) === undefined ? { readinessProbe: readinessProbe(instance, portProbe) } : {}),
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
  }
}

/** Text of the line by which the container says that it is ready; undefined where it is asked instead. */
export function lineOf({ spec }: ChallengeInstance): string | undefined {
  return spec.container?.readiness?.line
}

/** The port that the challenge opens when it is ready. */
export function readinessPortOf({ spec }: ChallengeInstance): number {
  return spec.container?.readiness?.port ?? spec.port
}

/** The probe whose result the condition Ready shows. The kubelet runs it when the container starts, then every second. */
function readinessProbe(instance: ChallengeInstance, portProbe: object | undefined): object {
  const port = readinessPortOf(instance)
  const path = instance.spec.container?.readiness?.path
  if (path === undefined && portProbe !== undefined) return portProbe
  return {
    ...(path === undefined ? { tcpSocket: { port } } : { httpGet: { port, path } }),
    periodSeconds: 1,
    timeoutSeconds: 2,
    failureThreshold: 3,
  }
}

/** Kubernetes puts variables in place of `$(NAME)` in commands and values, the flag's among them; `$$` stands for one `$`. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** What the platform gives wins over what the challenge asks for. */
function environment({ metadata, spec }: ChallengeInstance): NonNullable<ContainerSpec['env']> {
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
      valueFrom: { secretKeyRef: { name: metadata.name, key: secretVariableKey(name) } },
    })),
    { name: teamIdVariable, value: spec.teamId === undefined ? testTeamId : String(spec.teamId) },
    ...flagNames.map((name) => ({ name, valueFrom: { secretKeyRef: { name: flag?.secretName, key: flagKey } } })),
  ]
}

/** The folders that a challenge may write, each a volume of its own: none reaches into another. */
export function writableExtras({ spec }: ChallengeInstance): PodExtras {
  const folders = spec.container?.writablePaths ?? []
  const named = folders.map(({ path, sizeMb }, index) => ({ name: `${writableVolume}-${index}`, path, sizeMb }))
  return {
    ...noExtras,
    volumes: named.map(({ name, sizeMb }) => ({ name, emptyDir: { sizeLimit: `${sizeMb}Mi` } })),
    mounts: named.map(({ name, path }) => ({ name, mountPath: path })),
  }
}

function resources({ spec }: ChallengeInstance, { requestPercent }: InstanceSettings): ContainerSpec['resources'] {
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
 * Without egress there is no name server to ask, so look-ups go to the pod itself and fail at once instead of after many seconds,
 * and the pod learns nothing about the cluster's names.
 */
function nameService({ spec }: ChallengeInstance): object {
  return spec.egress === 'None' ? { dnsPolicy: 'None', dnsConfig: { nameservers: ['127.0.0.1'] } } : { dnsPolicy: 'ClusterFirst' }
}
