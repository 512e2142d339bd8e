import { isIP } from 'node:net'
import type { KubeObject, Resource } from './types.ts'

/** What we read of a node. */
export interface Node extends KubeObject {
  status?: { addresses?: { type: string; address: string }[] }
}

/** What we read of an endpoint slice. */
export interface EndpointSlice extends KubeObject {
  endpoints?: { addresses?: string[] }[]
  ports?: { port?: number }[]
}

export const nodes: Resource<Node> = { apiVersion: 'v1', kind: 'Node', plural: 'nodes' }
export const endpointSlices: Resource<EndpointSlice> = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
}

/** Where Kubernetes itself publishes the addresses of its API servers. */
export const apiServerScope = { namespace: 'default', labelSelector: 'kubernetes.io/service-name=kubernetes' }

/** Of a node, which is a big object that changes often, only its name and addresses are worth memory. */
export const slimNode = ({ metadata, status }: Node): Node => {
  const { name, uid, resourceVersion, creationTimestamp } = metadata
  return { metadata: { name, uid, resourceVersion, creationTimestamp }, status: { addresses: status?.addresses ?? [] } }
}

/** Addresses of all nodes and API servers, each as a network of one address, sorted, without repetitions. Host names are left out. */
export function clusterCidrs(allNodes: Iterable<Node>, apiServers: Iterable<EndpointSlice>): string[] {
  const addresses = new Set<string>()
  for (const node of allNodes) for (const { address } of node.status?.addresses ?? []) addresses.add(address)
  for (const slice of apiServers)
    for (const endpoint of slice.endpoints ?? []) for (const address of endpoint.addresses ?? []) addresses.add(address)
  const cidrs: string[] = []
  for (const address of addresses) {
    const family = isIP(address)
    if (family !== 0) cidrs.push(`${address}/${family === 4 ? 32 : 128}`)
  }
  return cidrs.sort()
}
