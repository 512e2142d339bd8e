import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { attemptAnnotation, instanceLabel, lineRunAnnotation } from '@capstan/challenge-instance/labels'
import { captureContainer, challengeContainer } from '@capstan/challenge-instance/names'
import type { ContainerState, ContainerStatus, Pod, PodCondition, Service } from '@capstan/kubernetes/built-in-kinds'
import type { OwnerReference } from '@capstan/kubernetes/types'
import type { InstanceSettings } from '../challenge-instance/settings.ts'

/** Time that tests use as the current time. */
export const aMoment = new Date('2026-05-01T12:00:00Z')

/** Returns the instant `seconds` after `aMoment`, or before it if `seconds` is negative. */
export function aMomentPlusSeconds(seconds: number): string {
  return `${new Date(aMoment.getTime() + seconds * 1000).toISOString().slice(0, 19)}Z`
}

/** Returns an instance of team 7 in game 1, challenge 2, created at `aMoment`. The instance ends two hours later. */
export function anInstance(
  spec: Partial<ChallengeInstanceSpec> = {},
  more: Partial<Omit<ChallengeInstance, 'spec'>> = {},
): ChallengeInstance {
  return {
    metadata: {
      name: 'ci-1',
      namespace: 'arena',
      uid: 'uid-1',
      resourceVersion: '100',
      generation: 1,
      creationTimestamp: aMomentPlusSeconds(0),
      ...more.metadata,
    },
    spec: {
      gameId: 1,
      challengeId: 2,
      participationId: 3,
      teamId: 7,
      image: 'registry.example/echo:1',
      port: 1337,
      resources: { cpuTenths: 5, memoryMb: 64, storageMb: 128, pids: 256 },
      expiresAt: aMomentPlusSeconds(7200),
      exposure: 'Proxy',
      egress: 'None',
      security: { profile: 'Restricted' },
      capture: { enabled: false, maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 },
      ...spec,
    },
    ...(more.status === undefined ? {} : { status: more.status }),
  }
}

export function anOwnerReference(instance: ChallengeInstance): OwnerReference {
  return {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    name: instance.metadata.name,
    uid: instance.metadata.uid,
    controller: true,
  }
}

interface PodTraits {
  ready?: boolean
  unscheduled?: string
  state?: ContainerState
  lastState?: ContainerState
  restartCount?: number
  phase?: string
  reason?: string
  beingDeleted?: boolean
  attempt?: number
  run?: string
  /**
   * ID of the run that wrote the readiness line, or an empty text if no run wrote it. If undefined, the challenge needs no line.
   */
  lineRun?: string
  /** State of the recorder. Undefined if there is no recorder. */
  capture?: ContainerState
  createdSecondsLater?: number
}

/** Returns the pod of `anInstance()`. By default, the pod is scheduled and its container is being created. */
export function aPod(traits: PodTraits = {}): Pod {
  const created = aMomentPlusSeconds(traits.createdSecondsLater ?? 0)
  const scheduled: PodCondition =
    traits.unscheduled === undefined
      ? { type: 'PodScheduled', status: 'True' }
      : { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: traits.unscheduled }
  const state =
    traits.state ?? (traits.ready ? { running: { startedAt: created } } : { waiting: { reason: 'ContainerCreating' } })
  const container: ContainerStatus = {
    name: challengeContainer,
    ready: traits.ready ?? false,
    restartCount: traits.restartCount ?? 0,
    state,
    ...(traits.run === undefined ? {} : { containerID: traits.run }),
    ...(traits.lastState === undefined ? {} : { lastState: traits.lastState }),
  }
  const recorders =
    traits.capture === undefined
      ? []
      : [{ name: captureContainer, ready: traits.capture.running !== undefined, restartCount: 0, state: traits.capture }]
  return {
    metadata: {
      name: 'ci-1',
      namespace: 'arena',
      uid: 'pod-uid-1',
      resourceVersion: '200',
      creationTimestamp: created,
      labels: { [instanceLabel]: 'ci-1' },
      annotations: {
        [attemptAnnotation]: String(traits.attempt ?? 0),
        ...(traits.lineRun === undefined ? {} : { [lineRunAnnotation]: traits.lineRun }),
      },
      ownerReferences: [anOwnerReference(anInstance())],
      ...(traits.beingDeleted ? { deletionTimestamp: created } : {}),
    },
    status: {
      phase: traits.phase ?? (traits.ready ? 'Running' : 'Pending'),
      ...(traits.reason === undefined ? {} : { reason: traits.reason }),
      conditions: [scheduled, { type: 'Ready', status: traits.ready ? 'True' : 'False', lastTransitionTime: created }],
      ...(traits.unscheduled === undefined
        ? { podIP: '10.1.2.3', hostIP: '192.0.2.10', startTime: created, containerStatuses: [...recorders, container] }
        : {}),
    },
  }
}

/** Returns the service of `anInstance()`, optionally with a node port. */
export function aService(nodePort?: number): Service {
  return {
    metadata: {
      name: 'ci-1',
      namespace: 'arena',
      uid: 'service-uid-1',
      resourceVersion: '300',
      creationTimestamp: aMomentPlusSeconds(0),
      ownerReferences: [anOwnerReference(anInstance())],
    },
    spec: {
      type: nodePort === undefined ? 'ClusterIP' : 'NodePort',
      ports: [{ port: 1337, ...(nodePort === undefined ? {} : { nodePort }) }],
    },
  }
}

/** Returns settings of an operator, as the chart configures it. */
export function someSettings(changes: Partial<InstanceSettings> = {}): InstanceSettings {
  return {
    publicHost: undefined,
    proxySource: { namespace: 'platform', labels: { 'app.kubernetes.io/component': 'gateway' } },
    dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, cidrs: [] },
    names: 'off',
    egressDeniedCidrs: [],
    clusterCidrs: [],
    imagePullPolicy: 'IfNotPresent',
    requestPercent: { cpu: 10, memory: 50, storage: 10 },
    terminationGraceSeconds: 2,
    schedulingGraceSeconds: 10,
    nodeSelector: {},
    tolerations: [],
    flagFileImage: undefined,
    capture: undefined,
    ...changes,
  }
}

/** Settings of the recorder, as the chart configures it. */
export const captureSettings: NonNullable<InstanceSettings['capture']> = {
  image: 'registry.example/capture:1',
  port: 19_100,
  memoryMb: 32,
  cpuMillis: 500,
  source: { namespace: 'platform', labels: { 'app.kubernetes.io/component': 'api' } },
  drainSeconds: 60,
  terminationGraceSeconds: 30,
}
