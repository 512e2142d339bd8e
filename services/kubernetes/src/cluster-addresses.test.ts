import { expect, it } from 'vitest'
import { dropUnusedNodeFields, listClusterCidrs, type Node } from './cluster-addresses.ts'

const metadata = { name: 'x', uid: 'x', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
function aNode(...addresses: string[]): Node {
  return {
    metadata,
    status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
  }
}

it('lists each address of a node or API server once, and omits host names', () => {
  const slices = [{ metadata, endpoints: [{ addresses: ['203.0.113.9'] }, { addresses: ['203.0.113.1'] }] }]
  expect(
    listClusterCidrs({
      nodes: [aNode('203.0.113.1', 'node-1.example.org'), aNode('2001:db8::1')],
      apiServers: slices,
      services: [],
      further: [],
    }),
  ).toEqual(['2001:db8::1/128', '203.0.113.1/32', '203.0.113.9/32'])
})

it('lists the known networks of pods and services', () => {
  const withPods = { ...aNode('203.0.113.1'), spec: { podCIDRs: ['198.51.100.0/25', '2001:db8:1::/64'] } }
  const ranges = [{ metadata, spec: { cidrs: ['198.51.100.128/25'] } }, { metadata }]
  expect(listClusterCidrs({ nodes: [withPods, aNode()], apiServers: [], services: ranges, further: [] })).toEqual([
    '198.51.100.0/25',
    '198.51.100.128/25',
    '2001:db8:1::/64',
    '203.0.113.1/32',
  ])
})

it('drops unused fields of a node', () => {
  const spec = { podCIDRs: ['10.0.0.0/24'], providerID: 'cloud://1' }
  const node = { ...aNode('203.0.113.1'), spec, metadata: { ...metadata, labels: { a: 'b' } } }
  expect(dropUnusedNodeFields(node)).toEqual({
    metadata,
    spec: { podCIDRs: ['10.0.0.0/24'] },
    status: { addresses: [{ type: 'InternalIP', address: '203.0.113.1' }] },
  })
})

it('includes configured node addresses that Kubernetes does not list', () => {
  const further = ['198.51.100.9', '2001:db8:0:1::7', '203.0.113.1', 'not-an-address']
  expect(listClusterCidrs({ nodes: [aNode('203.0.113.1')], apiServers: [], services: [], further })).toEqual([
    '198.51.100.9/32',
    '2001:db8:0:1::7/128',
    '203.0.113.1/32',
  ])
})
