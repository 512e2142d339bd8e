import { BlockList } from 'node:net'
import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceSettings, PeerSettings } from '../settings.ts'
import { captureOf } from './capture.ts'
import { childMetadata, podSelector } from './metadata.ts'

interface Rule {
  from?: object[]
  to?: object[]
  ports?: { port: number; protocol: 'TCP' | 'UDP' }[]
}

/**
 * IPv4 ranges that are not the public internet: this network, private, carrier-grade NAT, loopback, link-local (with the metadata
 * address of clouds), protocol assignments, benchmarking, multicast, reserved. RFC 6890. And one address that looks public: under it
 * Azure gives its machines what they are set up with (WireServer, https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
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
 * The same for IPv6: loopback, NAT64 and 6to4 (they lead to IPv4 past the list above), unique local, link-local, multicast.
 * Not the mapped addresses (::ffff:0:0/96): they travel as IPv4, and the API server takes them for IPv4.
 */
export const privateIpv6 = ['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', 'fc00::/7', 'fe80::/10', 'ff00::/8']

/**
 * What an instance may do beyond the namespace's default-deny: be reached on its port, and go out as far as its egress allows.
 * Both directions are named, so that even without the default-deny nothing else is open.
 */
export function desiredNetworkPolicy(instance: ChallengeInstance, settings: InstanceSettings): DesiredObject {
  return {
    apiVersion: networkPolicies.apiVersion,
    kind: networkPolicies.kind,
    metadata: childMetadata(instance),
    spec: {
      podSelector: { matchLabels: podSelector(instance) },
      policyTypes: ['Ingress', 'Egress'],
      ...ingress(instance, settings),
      ...egress(instance, settings),
    },
  }
}

function ingress(instance: ChallengeInstance, settings: InstanceSettings): { ingress?: Rule[] } {
  const capture = captureOf(instance, settings)
  const collection: Rule[] = capture ? [{ from: [peer(capture.source)], ports: [{ port: capture.port, protocol: 'TCP' }] }] : []
  // An instance that is being deleted lets in the collector alone, no players.
  const rules = instance.metadata.deletionTimestamp === undefined ? [...play(instance, settings), ...collection] : collection
  return rules.length === 0 ? {} : { ingress: rules }
}

/** Players come to the entry and to further ports, but never to that of the recorder, whatever a challenge names. */
function play(instance: ChallengeInstance, settings: InstanceSettings): Rule[] {
  const { spec } = instance
  const isDirect = spec.exposure === 'NodePort'
  const named = [spec.port, ...(isDirect ? [] : (spec.container?.furtherPorts ?? []))]
  const ports = named
    .filter((port) => port !== captureOf(instance, settings)?.port)
    .map((port) => ({ port, protocol: 'TCP' as const }))
  // A rule without a port would be one for every port.
  if (ports.length === 0) return []
  return [isDirect ? { ports } : { from: [peer(settings.proxySource)], ports }]
}

function egress({ spec }: ChallengeInstance, settings: InstanceSettings): { egress?: Rule[] } {
  // The API server stores no empty list, so none is applied: the type Egress alone already denies.
  if (spec.egress === 'None') return {}
  const names: Rule = {
    to: [peer(settings.dns), ...settings.dns.cidrs.map((cidr) => ({ ipBlock: { cidr } }))],
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  }
  if (spec.egress === 'Dns' || settings.clusterCidrs === undefined) return { egress: [names] }
  // What is private is denied already: only public networks make the list longer.
  const publicOnes = settings.clusterCidrs.filter((cidr) => !isPrivate(cidr))
  const denied = [...new Set([...settings.egressDeniedCidrs, ...publicOnes])].sort()
  const internet: Rule = {
    to: [
      { ipBlock: { cidr: '0.0.0.0/0', except: [...privateIpv4, ...denied.filter((cidr) => !isIpv6(cidr))] } },
      { ipBlock: { cidr: '::/0', except: [...privateIpv6, ...denied.filter(isIpv6)] } },
    ],
  }
  return { egress: [names, internet] }
}

function isIpv6(cidr: string): boolean {
  return cidr.includes(':')
}

function family(cidr: string): 'ipv4' | 'ipv6' {
  return isIpv6(cidr) ? 'ipv6' : 'ipv4'
}

/** First address and length of the prefix. */
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

/** Whether all of this network is in a private range: two networks are either apart, or one holds the other. */
function isPrivate(cidr: string): boolean {
  const { address, length } = partsOf(cidr)
  return privateNetworks.some((range) => length >= range.length && range.addresses.check(address, family(cidr)))
}

/** Pods of a namespace, by the label that Kubernetes itself puts on every namespace. */
export function peer({ namespace, labels }: PeerSettings): object {
  return {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    ...(Object.keys(labels).length === 0 ? {} : { podSelector: { matchLabels: labels } }),
  }
}
