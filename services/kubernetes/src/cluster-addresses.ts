import { isIP } from 'node:net'
import type { KubeObject, Resource } from './types.ts'

/** What we read of a node. */
export interface Node extends KubeObject {
  /** Networks of its pods, where Kubernetes itself gives them out. */
  spec?: { podCIDRs?: string[] }
  status?: { addresses?: { type: string; address: string }[] }
}

/** What we read of a range of service addresses. */
export interface ServiceRange extends KubeObject {
  spec?: { cidrs?: string[] }
}

/** What we read of an endpoint slice. */
export interface EndpointSlice extends KubeObject {
  endpoints?: { addresses?: string[] }[]
  ports?: { port?: number }[]
}

export const nodes: Resource<Node> = { apiVersion: 'v1', kind: 'Node', plural: 'nodes' }
/** Served from Kubernetes 1.33 on. */
export const serviceRanges: Resource<ServiceRange> = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
}
export const endpointSlices: Resource<EndpointSlice> = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
}

/** Where Kubernetes itself publishes the addresses of its API servers. */
export const apiServerScope = { namespace: 'default', labelSelector: 'kubernetes.io/service-name=kubernetes' }

/** Of a node, which is a big object that changes often, only its name, addresses and networks are worth memory. */
export const slimNode = ({ metadata, spec, status }: Node): Node => {
  const { name, uid, resourceVersion, creationTimestamp } = metadata
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp },
    spec: { podCIDRs: spec?.podCIDRs ?? [] },
    status: { addresses: status?.addresses ?? [] },
  }
}

/**
 * Networks of the cluster's own: those of all pods and services as far as Kubernetes knows them, and the addresses of all nodes and API
 * servers, each as a network of one address. Sorted, without repetitions; host names are left out.
 */
export function clusterCidrs(
  allNodes: Iterable<Node>,
  apiServers: Iterable<EndpointSlice>,
  allServices: Iterable<ServiceRange>,
): string[] {
  const addresses = new Set<string>()
  const cidrs = new Set<string>()
  for (const { spec } of allNodes) for (const cidr of spec?.podCIDRs ?? []) cidrs.add(cidr)
  for (const { spec } of allServices) for (const cidr of spec?.cidrs ?? []) cidrs.add(cidr)
  for (const node of allNodes) for (const { address } of node.status?.addresses ?? []) addresses.add(address)
  for (const slice of apiServers)
    for (const endpoint of slice.endpoints ?? []) for (const address of endpoint.addresses ?? []) addresses.add(address)
  for (const address of addresses) {
    const family = isIP(address)
    if (family !== 0) cidrs.add(`${address}/${family === 4 ? 32 : 128}`)
  }
  return [...cidrs].sort()
}
