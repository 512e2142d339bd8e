import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { networkPolicies } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceSettings } from '../settings.ts'
import { captureSettingsOf } from './capture.ts'
import { createChildMetadata, createNetworkSelector } from './metadata.ts'

const lastPort = 65_535

interface Ports {
  protocol: 'TCP' | 'UDP'
  port: number
  endPort: number
}

/** Returns a policy for each network with several members. It permits connections between the members. */
export function desiredNetworks(
  containers: readonly [InstanceContainer, ...InstanceContainer[]],
  settings: InstanceSettings,
): DesiredObject[] {
  const [entry] = containers
  const members = containers.flatMap(({ place }) => place?.networks ?? []).map(({ name }) => name)
  const shared = [...new Set(members)].filter((name) => members.filter((other) => other === name).length > 1)
  const ports = [...tcpPorts(recorderPortOf(containers, settings)), { protocol: 'UDP' as const, port: 1, endPort: lastPort }]
  return shared.sort().map((network) => networkOf(entry, network, ports))
}

/** Returns the port of the recorders, which is the same in all containers. @returns undefined if no container is recorded */
function recorderPortOf(containers: readonly InstanceContainer[], settings: InstanceSettings): number | undefined {
  return containers.map((container) => captureSettingsOf(container, settings)?.port).find((port) => port !== undefined)
}

/** Returns the policy of a network. It permits connections between the members of the network on these ports. */
function networkOf(entry: InstanceContainer, network: string, ports: readonly Ports[]): DesiredObject {
  const matchLabels = createNetworkSelector(entry, network)
  const peers = [{ podSelector: { matchLabels } }]
  return {
    apiVersion: networkPolicies.apiVersion,
    kind: networkPolicies.kind,
    metadata: createChildMetadata(entry, `${entry.metadata.name}.${network}`),
    spec: {
      podSelector: { matchLabels },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: peers, ports }],
      egress: [{ to: peers, ports }],
    },
  }
}

/**
 * Returns the ranges of all TCP ports except for the recorder's port. Through that port, another container could delete
 * recordings.
 */
function tcpPorts(recorder: number | undefined): Ports[] {
  if (recorder === undefined) return [{ protocol: 'TCP', port: 1, endPort: lastPort }]
  return [
    { protocol: 'TCP', port: 1, endPort: recorder - 1 },
    { protocol: 'TCP', port: recorder + 1, endPort: lastPort },
  ]
}
