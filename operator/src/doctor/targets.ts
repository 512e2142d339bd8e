import { type EndpointSlice, toSingleAddressCidr } from '@capstan/kubernetes/cluster-addresses'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import type { Finding } from '../../isolation-probe/attempts.ts'
import type { ProbeTask, Target } from '../../isolation-probe/task.ts'
import { hasCompleteReport, isAddressReporterPod, type ReportingPod, readReportedAddresses } from '../node-addresses/reports.ts'

export interface PlatformService extends KubeObject {
  spec?: { clusterIP?: string; ports?: { port: number; nodePort?: number }[] }
}

export interface PlatformPod extends KubeObject {
  spec?: { containers?: { ports?: { containerPort: number }[] }[] }
  status?: { podIP?: string; hostIP?: string } & ReportingPod['status']
}

export const platformPods: Resource<PlatformPod> = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' }

/** Addresses at which virtual machines in clouds get their credentials and configuration. */
const metadataAddresses: Target[] = [
  { what: 'the cloud’s metadata address', host: '169.254.169.254', port: 80 },
  { what: 'the cloud’s metadata address (IPv6)', host: 'fd00:ec2::254', port: 80 },
  ...[80, 32_526].map((port) => ({ what: 'Azure’s WireServer', host: '168.63.129.16', port })),
]

/** Ports on which nodes often listen, each with the name of the service. */
const nodePorts: [string, number][] = [
  ['the kubelet', 10_250],
  ['the kubelet’s read-only port', 10_255],
  ['kube-proxy', 10_256],
  ['etcd', 2379],
  ['the secure shell', 22],
]

/** Objects that the doctor reads from the cluster to find the platform's addresses. */
export interface PlatformObjects {
  services: PlatformService[]
  pods: PlatformPod[]
  endpointSlices: EndpointSlice[]
  apiServer: { host: string; port: number }
}

const componentLabel = 'app.kubernetes.io/component'

function componentOf({ metadata }: KubeObject): Pick<Target, 'component'> {
  const component = metadata.labels?.[componentLabel]
  return component === undefined ? {} : { component }
}

/** Returns every address on which the cluster or the platform may listen. */
export function listProbeTargets({ services, pods, endpointSlices, apiServer }: PlatformObjects): Target[] {
  const nodes = listNodeAddresses(pods)
  const apiServerPorts = new Set([
    6443,
    ...endpointSlices.flatMap(({ ports }) => (ports ?? []).flatMap(({ port }) => port ?? [])),
  ])
  const portsOfNodes = [...nodePorts, ...[...apiServerPorts].map((port) => ['the API server', port] as const)]
  return [
    ...services.flatMap((service) => {
      const { clusterIP, ports = [] } = service.spec ?? {}
      if (clusterIP === undefined || clusterIP === 'None') return []
      const what = `service ${service.metadata.name}`
      return ports.map(({ port }) => ({ what, host: clusterIP, port, ...componentOf(service) }))
    }),
    ...services.flatMap(({ metadata, spec }) =>
      (spec?.ports ?? []).flatMap(({ nodePort }) =>
        nodePort ? nodes.map((host) => ({ what: `node port of ${metadata.name}`, host, port: nodePort })) : [],
      ),
    ),
    ...pods.flatMap((pod) => {
      const { metadata, spec, status } = pod
      const host = status?.podIP
      if (host === undefined) return []
      const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? [])
      return ports.map(({ containerPort: port }) => ({ what: `pod ${metadata.name}`, host, port, ...componentOf(pod) }))
    }),
    { what: 'the API server’s service', ...apiServer },
    ...endpointSlices.flatMap(({ endpoints, ports }) =>
      (endpoints ?? []).flatMap(({ addresses }) =>
        (addresses ?? []).map((host) => ({ what: 'the API server', host, port: ports?.[0]?.port ?? 443 })),
      ),
    ),
    ...nodes.flatMap((host) => portsOfNodes.map(([name, port]) => ({ what: `${name} of node ${host}`, host, port }))),
    ...metadataAddresses,
  ]
}

/** Ports on which the containers' name servers listen: the ports of their Services and of their pods. */
const namesPorts = [53, 1053]

/** Returns the targets without the name server's DNS ports, because containers may send DNS queries. */
export function listLateralTargets(targets: readonly Target[], egress: ProbeTask['egress']): Target[] {
  const server = egress === 'None' ? 'names' : 'names-forward'
  return targets.filter(({ component, port }) => component !== server || !namesPorts.includes(port))
}

/** Returns DNS names of the platform's Services and of important Services of the cluster. */
export function listServiceDnsNames(services: readonly PlatformService[], namespace: string): string[] {
  const ofPlatform = services.map(({ metadata }) => `${metadata.name}.${namespace}`)
  return ['kubernetes.default', 'kube-dns.kube-system', ...ofPlatform].map((name) => `${name}.svc.cluster.local`)
}

/** Returns the addresses of the nodes on which these pods run, including addresses that only the nodes report. */
export function listNodeAddresses(pods: PlatformPod[]): string[] {
  return [
    ...new Set(
      pods.flatMap((pod) => [pod.status?.hostIP ?? '', ...((isAddressReporterPod(pod) && readReportedAddresses(pod)) || [])]),
    ),
  ]
    .filter((address) => address !== '')
    .sort()
}

/**
 * Returns a finding that says whether all nodes have reported their addresses. If the egress is not Internet,
 * challenges cannot reach these addresses, so the function returns no finding.
 */
export function checkAllNodesReportedAddresses(pods: PlatformPod[], egress: ProbeTask['egress']): Finding[] {
  if (egress !== 'Internet') return []
  const finding = (outcome: Finding['outcome'], detail: string): Finding[] => [
    { title: 'connect to a node at an address that Kubernetes does not list', control: 'network policy', outcome, detail },
  ]
  const reporters = pods.filter(isAddressReporterPod)
  if (reporters.length === 0)
    return finding('skipped', 'instances.readNodeAddresses is off: name such addresses in instances.egressDeniedCidrs')
  const silent = reporters.filter((pod) => readReportedAddresses(pod) === undefined).map(({ metadata }) => metadata.name)
  if (silent.length > 0) return finding('broken', `no report from ${silent.join(', ')}`)
  const cut = reporters.filter((pod) => !hasCompleteReport(pod)).map(({ metadata }) => metadata.name)
  if (cut.length > 0)
    return finding(
      'broken',
      `the reports of ${cut.join(', ')} are incomplete: name the other addresses of their nodes in instances.egressDeniedCidrs`,
    )
  return finding('blocked', `${reporters.length} nodes have reported; each address is tried`)
}

/** Returns the networks that `instances.egressDeniedCidrs` must list, because a challenge reached addresses in them. */
export function listCidrsToDeny(findings: Finding[], targets: Target[]): string[] {
  const reached = new Set(findings.filter(({ outcome }) => outcome === 'escaped').map(({ title }) => title))
  return [
    ...new Set(targets.filter(({ what }) => reached.has(`reach ${what}`)).map(({ host }) => toSingleAddressCidr(host))),
  ].sort()
}
