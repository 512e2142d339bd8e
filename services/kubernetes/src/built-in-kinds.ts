import { type KubeObject, type Resource, removeManagedFields } from './types.ts'

export interface ContainerStatus {
  name: string
  ready: boolean
  /** True if the startup probe of the container has succeeded. */
  started?: boolean
  restartCount: number
  /** ID of the current run of the container. Absent before the first run. */
  containerID?: string
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

export interface Pod extends KubeObject {
  status?: {
    phase?: string
    reason?: string
    message?: string
    podIP?: string
    /** Addresses of the pod, one for each IP family. */
    podIPs?: { ip: string }[]
    hostIP?: string
    startTime?: string
    conditions?: PodCondition[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
  }
}

/** Returns only those fields of a pod that we read. Thousands of pods are cached, and the specification is the largest part. */
export function dropUnusedPodFields({ apiVersion, kind, metadata, status }: Pod): Pod {
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: removeManagedFields(metadata),
    ...(status !== undefined && { status }),
  }
}

export interface Service extends KubeObject {
  spec?: {
    type?: string
    clusterIP?: string
    selector?: Record<string, string>
    ports?: { port: number; nodePort?: number; targetPort?: number | string }[]
  }
}

export type NetworkPolicy = KubeObject

export const pods: Resource<Pod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' }
export const services: Resource<Service> = { apiVersion: 'v1', kind: 'Service', plural: 'services' }
export const secrets: Resource = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' }
export const namespaces: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' }
export const networkPolicies: Resource<NetworkPolicy> = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
}
export const customResourceDefinitions: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
}
