import { BlockList } from 'node:net'
import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { networkPolicies } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceSettings, PeerSettings } from '../settings.ts'
import { captureSettingsOf } from './capture.ts'
import { createChildMetadata, createPodSelector } from './metadata.ts'
import { nameServerOf } from './names.ts'

interface Rule {
  from?: object[]
  to?: object[]
  ports?: { port: number; protocol: 'TCP' | 'UDP' }[]
}

/**
 * IPv4 ranges outside of the public internet (RFC 6890): "this network", private, carrier-grade NAT, loopback, link-local (with
 * cloud metadata), protocol assignments, benchmarking, multicast, and reserved. The list also contains 168.63.129.16. This address
 * is in a public range, but virtual machines on Azure read their configuration from it (WireServer,
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 */
export const privateIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * IPv6 ranges that are not the public internet: loopback, NAT64, 6to4, unique local, link-local, multicast. NAT64 and 6to4 would
 * bypass the IPv4 list above. Mapped addresses (::ffff:0:0/96) are not listed, because the API server treats them as IPv4.
 */
export const privateIpv6 = ['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', 'fc00::/7', 'fe80::/10', 'ff00::/8']

/**
 * Returns the network policy of a container. It permits connections to the ports of the container, and connections
 * from the container to the destinations that its egress allows. The policy applies to both directions, so it denies
 * all other traffic, even if the namespace has no policy that denies all traffic.
 */
export function desiredNetworkPolicy(instance: InstanceContainer, settings: InstanceSettings): DesiredObject {
  return {
    apiVersion: networkPolicies.apiVersion,
    kind: networkPolicies.kind,
    metadata: createChildMetadata(instance),
    spec: {
      podSelector: { matchLabels: createPodSelector(instance) },
      policyTypes: ['Ingress', 'Egress'],
      ...ingress(instance, settings),
      ...egress(instance, settings),
    },
  }
}

function ingress(instance: InstanceContainer, settings: InstanceSettings): { ingress?: Rule[] } {
  const capture = captureSettingsOf(instance, settings)
  const collection: Rule[] = capture
    ? [{ from: [createNetworkPolicyPeer(capture.source)], ports: [{ port: capture.port, protocol: 'TCP' }] }]
    : []
  // While an instance is being deleted, only the collector may connect to it.
  const rules = instance.metadata.deletionTimestamp === undefined ? [...play(instance, settings), ...collection] : collection
  return rules.length === 0 ? {} : { ingress: rules }
}

/**
 * Returns the rules for players, who may connect to the entry port and the additional ports. They may never connect to the
 * recorder's port, even if the challenge lists it.
 */
function play(instance: InstanceContainer, settings: InstanceSettings): Rule[] {
  const { spec } = instance
  const isDirect = spec.exposure === 'NodePort'
  const named = [...(spec.port === undefined ? [] : [spec.port]), ...(isDirect ? [] : (spec.container?.furtherPorts ?? []))]
  const ports = named
    .filter((port) => port !== captureSettingsOf(instance, settings)?.port)
    .map((port) => ({ port, protocol: 'TCP' as const }))
  // If there are no ports, return no rule. A rule without ports would allow every port.
  if (ports.length === 0) return []
  return [isDirect ? { ports } : { from: [createNetworkPolicyPeer(settings.proxySource)], ports }]
}

function egress(instance: InstanceContainer, settings: InstanceSettings): { egress?: Rule[] } {
  const rules = [...ownNames(instance, settings), ...outside(instance, settings)]
  // Omit the field `egress` if there are no rules, because the API server does not store an empty list. The policy type Egress
  // alone denies all egress.
  return rules.length === 0 ? {} : { egress: rules }
}

/** Returns the rule that permits queries to the container's name server. Returns no rule if the container has no name server. */
function ownNames(instance: InstanceContainer, settings: InstanceSettings): Rule[] {
  const server = nameServerOf(instance, settings)
  if (server === undefined) return []
  const { source, port } = server
  return [
    {
      to: [createNetworkPolicyPeer(source)],
      ports: [
        { port, protocol: 'UDP' },
        { port, protocol: 'TCP' },
      ],
    },
  ]
}

/** Returns the rules for destinations outside of the instance. */
function outside({ spec }: InstanceContainer, settings: InstanceSettings): Rule[] {
  if (spec.egress === 'None') return []
  const names: Rule = {
    to: [createNetworkPolicyPeer(settings.dns), ...settings.dns.cidrs.map((cidr) => ({ ipBlock: { cidr } }))],
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  }
  if (spec.egress === 'Dns' || settings.clusterCidrs === undefined) return [names]
  // Private networks are already denied, so add only the public networks of the cluster.
  const publicOnes = settings.clusterCidrs.filter((cidr) => !isPrivate(cidr))
  const denied = [...new Set([...settings.egressDeniedCidrs, ...publicOnes])].sort()
  const internet: Rule = {
    to: [
      { ipBlock: { cidr: '0.0.0.0/0', except: [...privateIpv4, ...denied.filter((cidr) => !isIpv6(cidr))] } },
      { ipBlock: { cidr: '::/0', except: [...privateIpv6, ...denied.filter(isIpv6)] } },
    ],
  }
  return [names, internet]
}

function isIpv6(cidr: string): boolean {
  return cidr.includes(':')
}

function family(cidr: string): 'ipv4' | 'ipv6' {
  return isIpv6(cidr) ? 'ipv6' : 'ipv4'
}

/** Returns the first address and the prefix length of a network. */
function partsOf(cidr: string): { address: string; length: number } {
  const [address = '', length] = cidr.split('/')
  return { address, length: Number(length) }
}

const privateNetworks = [...privateIpv4, ...privateIpv6].map((cidr) => {
  const { address, length } = partsOf(cidr)
  const addresses = new BlockList()
  addresses.addSubnet(address, length, family(cidr))
  return { addresses, length }
})

/**
 * True if a private range contains this network. If two networks overlap, the network with the shorter prefix contains
 * the other network. It is therefore enough to compare the first address and the prefix length.
 */
function isPrivate(cidr: string): boolean {
  const { address, length } = partsOf(cidr)
  return privateNetworks.some((range) => length >= range.length && range.addresses.check(address, family(cidr)))
}

/**
 * Returns a policy peer for pods of a namespace. The namespace is selected by the label that Kubernetes sets on every namespace.
 */
export function createNetworkPolicyPeer({ namespace, labels }: PeerSettings): object {
  return {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    ...(Object.keys(labels).length === 0 ? {} : { podSelector: { matchLabels: labels } }),
  }
}
