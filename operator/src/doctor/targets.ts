import type { EndpointSlice } from '@capstan/kubernetes/cluster-addresses'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import type { Target } from '../../isolation-probe/task.ts'

/** The fields of a service that the doctor reads. */
export interface PlatformService extends KubeObject {
  spec?: { clusterIP?: string; ports?: { port: number; nodePort?: number }[] }
}

/** The fields of a pod that the doctor reads. */
export interface PlatformPod extends KubeObject {
  spec?: { containers?: { ports?: { containerPort: number }[] }[] }
  status?: { podIP?: string; hostIP?: string }
}

export const platformPods: Resource<PlatformPod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' }

/** Addresses where clouds give machines their credentials and configuration. */
const metadataAddresses: Target[] = [
  { what: 'the cloud’s metadata address', host: '169.254.169.254', port: 80 },
  { what: 'the cloud’s metadata address (IPv6)', host: 'fd00:ec2::254', port: 80 },
  ...[80, 32_526].map((port) => ({ what: 'Azure’s WireServer', host: '168.63.129.16', port })),
]

/** Services that may listen on a node. */
const nodePorts: [string, number][] = [
  ['the kubelet', 10_250],
  ['the kubelet’s read-only port', 10_255],
  ['kube-proxy', 10_256],
  ['etcd', 2379],
  ['the API server', 6443],
  ['the secure shell', 22],
]

/** What the doctor read from the cluster in order to know where the platform listens. */
export interface PlatformObjects {
  services: PlatformService[]
  pods: PlatformPod[]
  /** Addresses of the API server. */
  endpointSlices: EndpointSlice[]
  /** Address of the API server's Service. */
  apiServer: { host: string; port: number }
}

/** Every address on which the cluster or the platform may listen. */
export function targetsOf({ services, pods, endpointSlices, apiServer }: PlatformObjects): Target[] {
  const nodes = nodeAddressesOf(pods)
  return [
    ...services.flatMap(({ metadata, spec }) =>
      spec?.clusterIP && spec.clusterIP !== 'None'
        ? (spec.ports ?? []).map(({ port }) => ({ what: `service ${metadata.name}`, host: spec.clusterIP ?? '', port }))
        : [],
    ),
    ...services.flatMap(({ metadata, spec }) =>
      (spec?.ports ?? []).flatMap(({ nodePort }) =>
        nodePort ? nodes.map((host) => ({ what: `node port of ${metadata.name}`, host, port: nodePort })) : [],
      ),
    ),
    ...pods.flatMap(({ metadata, spec, status }) =>
      (spec?.containers ?? []).flatMap(({ ports }) =>
        (ports ?? []).flatMap(({ containerPort }) =>
          status?.podIP ? [{ what: `pod ${metadata.name}`, host: status.podIP, port: containerPort }] : [],
        ),
      ),
    ),
    { what: 'the API server’s service', ...apiServer },
    ...endpointSlices.flatMap(({ endpoints, ports }) =>
      (endpoints ?? []).flatMap(({ addresses }) =>
        (addresses ?? []).map((host) => ({ what: 'the API server', host, port: ports?.[0]?.port ?? 443 })),
      ),
    ),
    ...nodes.flatMap((host) => nodePorts.map(([name, port]) => ({ what: `${name} of node ${host}`, host, port }))),
    ...metadataAddresses,
  ]
}

/** Addresses of the nodes on which these pods run. */
export const nodeAddressesOf = (pods: PlatformPod[]): string[] =>
  [...new Set(pods.map(({ status }) => status?.hostIP ?? ''))].filter((address) => address !== '').sort()
