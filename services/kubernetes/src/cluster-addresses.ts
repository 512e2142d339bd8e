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

/** The network of one address. */
export const singleAddress = (address: string): string => `${address}/${isIP(address) === 4 ? 32 : 128}`

/** What is known of the addresses of a cluster. */
export interface ClusterAddresses {
  readonly nodes: Iterable<Node>
  readonly apiServers: Iterable<EndpointSlice>
  readonly services: Iterable<ServiceRange>
  /** Further addresses of nodes, which Kubernetes does not list. */
  readonly further: Iterable<string>
}

/**
 * Networks of the cluster: those of all pods and services as far as Kubernetes knows them, and the addresses of all nodes and API
 * servers, each as a network of one address. Sorted, without repetitions; host names are left out.
 */
export function clusterCidrs({ nodes: allNodes, apiServers, services: allServices, further }: ClusterAddresses): string[] {
  const addresses = new Set<string>(further)
  const cidrs = new Set<string>()
  for (const { spec } of allNodes) for (const cidr of spec?.podCIDRs ?? []) cidrs.add(cidr)
  for (const { spec } of allServices) for (const cidr of spec?.cidrs ?? []) cidrs.add(cidr)
  for (const node of allNodes) for (const { address } of node.status?.addresses ?? []) addresses.add(address)
  for (const slice of apiServers)
    for (const endpoint of slice.endpoints ?? []) for (const address of endpoint.addresses ?? []) addresses.add(address)
  for (const address of addresses) if (isIP(address) !== 0) cidrs.add(singleAddress(address))
  return [...cidrs].sort()
}
