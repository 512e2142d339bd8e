import type { Condition } from '../kube/conditions.ts'
import type { KubeObject, Resource } from '../kube/types.ts'

/** What is wanted of an instance; defaults filled in by the API server. Source: crds/capstan.dev_challengeinstances.yaml. */
export interface ChallengeInstanceSpec {
  gameId: number
  challengeId: number
  /** Absent for a test instance. */
  participationId?: number
  /** Absent for a test instance. */
  teamId?: number
  image: string
  port: number
  imagePullSecrets?: string[]
  resources: { cpuTenths: number; memoryMb: number; storageMb: number; pids: number }
  flag?: { secretName: string; environmentNames: string[] }
  /** Instant, RFC 3339. */
  expiresAt: string
  exposure: 'Proxy' | 'NodePort'
  egress: 'None' | 'Dns' | 'Internet'
  security: { profile: 'Restricted' | 'Baseline'; runtimeClassName?: string }
  capture: { enabled: boolean; maxSegmentMb: number; maxSegmentSeconds: number; maxStoredMb: number }
}

export interface Address {
  host: string
  port: number
}

export interface ChallengeInstanceStatus {
  conditions: Condition[]
  observedGeneration: number
  address?: Address
  /** Where the capture sidecar hands out recordings. */
  captureAddress?: Address
  /** Instant, RFC 3339. */
  startedAt?: string
  restarts: number
}

export interface ChallengeInstance extends KubeObject {
  spec: ChallengeInstanceSpec
  status?: Partial<ChallengeInstanceStatus>
}

/** State of a container as kubelet reports it. */
export interface ContainerStatus {
  name: string
  ready: boolean
  /** Whether its startup probe has succeeded. */
  started?: boolean
  restartCount: number
  state?: ContainerState
  lastState?: ContainerState
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string }
  running?: { startedAt: string }
  terminated?: { reason?: string; message?: string; exitCode: number; startedAt?: string; finishedAt?: string }
}

export interface PodCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastTransitionTime?: string
}

/** What we read of a pod. */
export interface Pod extends KubeObject {
  status?: {
    phase?: string
    reason?: string
    message?: string
    podIP?: string
    hostIP?: string
    startTime?: string
    conditions?: PodCondition[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
  }
}

/** What we read of a service. */
export interface Service extends KubeObject {
  spec?: { type?: string; ports?: { port: number; nodePort?: number }[] }
}

export type NetworkPolicy = KubeObject

export const challengeInstances: Resource<ChallengeInstance> = {
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ChallengeInstance',
  plural: 'challengeinstances',
}
export const pods: Resource<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' }
export const services: Resource<Service> = { apiVersion: 'v1', kind: 'Service', plural: 'services' }
export const secrets: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' }
export const networkPolicies: Resource<NetworkPolicy> = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
}

/** The objects around an instance, as the caches have them; a service only with a node port. All have the instance's name but the Secret, which the instance names. */
export interface Children {
  pod: Pod | undefined
  service: Service | undefined
  networkPolicy: NetworkPolicy | undefined
  /** Metadata alone. */
  flagSecret: KubeObject | undefined
}
