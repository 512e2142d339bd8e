import { isIP } from 'node:net'
import type { KubeObject, Resource } from './types.ts'

export interface Node extends KubeObject {
  /** Networks of the node's pods. Absent if Kubernetes does not assign them. */
  spec?: { podCIDRs?: string[] }
  status?: { addresses?: { type: string; address: string }[] }
}

export interface ServiceRange extends KubeObject {
  spec?: { cidrs?: string[] }
}

export interface EndpointSlice extends KubeObject {
  endpoints?: { addresses?: string[] }[]
  ports?: { port?: number }[]
}

export const nodes: Resource<Node> = { apiVersion: 'v1', kind: 'Node', plural: 'nodes' }
/** Ranges from which Kubernetes takes the IP addresses of services. Available since Kubernetes 1.33. */
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

/** Selector of the EndpointSlices in which Kubernetes publishes the addresses of its API servers. */
export const apiServerScope = { namespace: 'default', labelSelector: 'kubernetes.io/service-name=kubernetes' }

export function dropUnusedNodeFields({ metadata, spec, status }: Node): Node {
  const { name, uid, resourceVersion, creationTimestamp } = metadata
  return {
    metadata: { name, uid, resourceVersion, creationTimestamp },
    spec: { podCIDRs: spec?.podCIDRs ?? [] },
    status: { addresses: status?.addresses ?? [] },
  }
}

export function toSingleAddressCidr(address: string): string {
  return `${address}/${isIP(address) === 4 ? 32 : 128}`
}

export type ClusterAddresses = Readonly<{
  nodes: Iterable<Node>
  apiServers: Iterable<EndpointSlice>
  services: Iterable<ServiceRange>
  /** Additional node addresses that Kubernetes does not list. */
  further: Iterable<string>
}>

/**
 * Returns the networks of the cluster: known networks of pods and services, and one network for each address of a node or API
 * server. The list is sorted, contains each network once, and omits host names.
 */
export function listClusterCidrs({ nodes: allNodes, apiServers, services: allServices, further }: ClusterAddresses): string[] {
  const addresses = new Set<string>(further)
  const cidrs = new Set<string>()
  for (const { spec } of allNodes) for (const cidr of spec?.podCIDRs ?? []) cidrs.add(cidr)
  for (const { spec } of allServices) for (const cidr of spec?.cidrs ?? []) cidrs.add(cidr)
  for (const node of allNodes) for (const { address } of node.status?.addresses ?? []) addresses.add(address)
  for (const slice of apiServers)
    for (const endpoint of slice.endpoints ?? []) for (const address of endpoint.addresses ?? []) addresses.add(address)
  for (const address of addresses) if (isIP(address) !== 0) cidrs.add(toSingleAddressCidr(address))
  return [...cidrs].sort()
}
