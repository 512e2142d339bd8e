import { randomUUID } from 'node:crypto'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { instanceIdLabel, instanceLabel } from '@capstan/challenge-instance/labels'
import { networkPolicies, pods, services } from '@capstan/kubernetes/built-in-kinds'
import { nodes, serviceRanges } from '@capstan/kubernetes/cluster-addresses'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestCluster, echoImage, sendLineAndReadReply, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { isPodReady } from './pod-state.ts'

/** The tests in this file need a network plugin that enforces policies. */
let cluster: TestCluster
/** Addresses of two pods that no policy isolates. One of them has the labels of the gateway. */
let gateway: string
let stranger: string

const endpoints: Resource<KubeObject & { endpoints: { addresses: string[] }[]; ports: { port: number }[] }> = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
}

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator()
  gateway = await standBy('gateway', { 'app.kubernetes.io/name': 'capstan', 'app.kubernetes.io/component': 'gateway' })
  stranger = await standBy('stranger', {})
})
afterAll(() => cluster?.close())

/**
 * Starts a pod of the echo image.
 * @returns its address
 */
async function standBy(name: string, labels: Record<string, string>): Promise<string> {
  await cluster.client.create(pods, cluster.namespace, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: cluster.namespace, labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'echo', image: echoImage, readinessProbe: { tcpSocket: { port: 1337 }, periodSeconds: 1 } }],
    },
  })
  return waitForValue(`${name} is ready`, async () => {
    const pod = await cluster.find(pods, name)
    return pod && isPodReady(pod) ? pod.status?.podIP : undefined
  })
}

async function start(spec: Partial<ChallengeInstanceSpec>) {
  const { metadata } = await cluster.create(spec)
  const { status } = await cluster.waitForReason(metadata.name, 'Ready')
  const pod = await cluster.find(pods, metadata.name)
  return { name: metadata.name, address: status!.address!, podAddress: pod!.status!.podIP! }
}

function dial(from: string, host: string, port: number) {
  return sendLineAndReadReply(from, 1337, `dial ${host} ${port}`)
}

/** Waits until the network plugin has applied a policy, which it does shortly after the start of the pod. */
function untilClosed(from: string, host: string, port: number) {
  return waitForValue(`${from} does not reach ${host}:${port}`, async () =>
    (await dial(from, host, port)) === 'closed' ? true : undefined,
  )
}

/** Returns addresses inside the cluster that a challenge may try to reach, as host and port by name. */
async function targets() {
  const addressOf = async (namespace: string, name: string) =>
    ((await cluster.client.get(services, namespace, name)) as KubeObject & { spec: { clusterIP: string } }).spec.clusterIP
  const [apiServer] = (await cluster.client.listPage(endpoints, { namespace: 'default' }, { limit: 10 })).items
  const node = (await cluster.find(pods, 'stranger'))!.status!.hostIP!
  return {
    'the cluster’s name server': [await addressOf('kube-system', 'kube-dns'), 53],
    'another pod': [stranger, 1337],
    'the API server': [apiServer!.endpoints[0]!.addresses[0]!, apiServer!.ports[0]!.port],
    'the API server’s service': [await addressOf('default', 'kubernetes'), 443],
    'the kubelet of the node': [node, 10_250],
    'the metadata address': ['169.254.169.254', 80],
  } as Record<string, [string, number]>
}

describe.concurrent('a challenge', () => {
  it('accepts connections only from the gateway', async () => {
    const { podAddress } = await start({})
    await untilClosed(stranger, podAddress, 1337)
    expect(await dial(gateway, podAddress, 1337)).toBe('open')
  })

  it('the gateway can connect only to containers with a published port', async () => {
    const container = {
      image: echoImage,
      resources: { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 },
      egress: 'None',
      profile: 'Restricted',
    } as const
    const containers = [
      { ...container, name: 'published', furtherPorts: [1337] },
      { ...container, name: 'inner' },
    ]
    const { metadata } = await cluster.create({ container: { name: 'entry' }, containers })
    const { status } = await cluster.waitForReason(metadata.name, 'Ready')
    const hosts = status?.containers?.map(({ host = '' }) => host) ?? []
    const [entry = '', published = '', inner = ''] = hosts
    // The connection from `published` proves that `inner` listens.
    await waitForValue('the neighbor reaches the inner container', async () =>
      (await dial(published, inner, 1337)) === 'open' ? true : undefined,
    )
    await untilClosed(stranger, entry, 1337)
    expect(await Promise.all(hosts.map((host) => dial(gateway, host, 1337)))).toEqual(['open', 'open', 'closed'])
    expect(await Promise.all(hosts.map((host) => dial(stranger, host, 1337)))).toEqual(['closed', 'closed', 'closed'])
  })

  it('a challenge accepts connections from all clients on its node port, and on no other port', async () => {
    const { address, podAddress } = await start({ exposure: 'NodePort' })
    // The node starts to forward a new port a moment after the pod is ready.
    await waitForValue('the node forwards the port', async () =>
      (await dial(stranger, address.host, address.port)) === 'open' ? true : undefined,
    )
    expect(await dial(stranger, podAddress, 1337)).toBe('open')
  })

  it.each([
    ['None', []],
    ['Dns', ['the cluster’s name server']],
    ['Internet', ['the cluster’s name server']],
  ] as const)('with egress %s reaches no targets inside the cluster except %j', async (egress, allowed) => {
    const { podAddress } = await start({ egress })
    await untilClosed(podAddress, stranger, 1337)
    const reached: string[] = []
    for (const [what, [host, port]] of Object.entries(await targets()))
      if ((await dial(podAddress, host, port)) === 'open') reached.push(what)
    expect(reached).toEqual(allowed)
  })

  it.each(['Dns', 'Internet'] as const)('with egress %s cannot find other challenges through the DNS servers', async (egress) => {
    const { namespace } = cluster
    const [own, other] = await Promise.all([start({ egress }), start({ exposure: 'Proxy' })])
    const lookUp = (word: 'reverse' | 'resolve', what: string) => sendLineAndReadReply(own.podAddress, 1337, `${word} ${what}`)
    // First prove that the DNS servers respond.
    expect(await lookUp('resolve', 'kubernetes.default.svc.cluster.local')).toMatch(/^\d+\./)
    const beside = Array.from({ length: 254 }, (_, host) => other.podAddress.replace(/\d+$/, String(host + 1)))
    const found = (await Promise.all(beside.map((address) => lookUp('reverse', address)))).flatMap((names) => names.split(' '))
    expect(found.filter((name) => name.includes(other.name))).toEqual([])
    const dashed = other.podAddress.replaceAll('.', '-')
    for (const guess of [other.name, `${dashed}.${other.name}`, `${other.name}.${other.name}`, `_challenge._tcp.${other.name}`])
      expect(await lookUp('resolve', `${guess}.${namespace}.svc.cluster.local`)).toBe('none')
  })

  it('cannot reach public networks of the cluster with egress Internet, even networks of new nodes', async () => {
    const { name } = await start({ egress: 'Internet' })
    const listed = async () => JSON.stringify(await cluster.find(networkPolicies, name))
    const own = (resource: Resource) => ({
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      metadata: { name: cluster.namespace },
    })
    const { client, namespace } = cluster
    const [podNetwork, serviceNetwork] = ['198.51.100.0/24', '203.0.113.0/24']
    await client.create(nodes, undefined, {
      ...own(nodes),
      spec: { unschedulable: true, podCIDRs: [podNetwork], podCIDR: podNetwork },
    })
    try {
      await client.create(serviceRanges, undefined, { ...own(serviceRanges), spec: { cidrs: [serviceNetwork] } })
      try {
        await waitForValue('both networks are denied', async () => {
          const policy = await listed()
          return policy.includes(podNetwork) && policy.includes(serviceNetwork) ? true : undefined
        })
      } finally {
        await client.delete(serviceRanges, undefined, namespace)
      }
    } finally {
      await client.delete(nodes, undefined, namespace)
    }
    await waitForValue('what has gone is no longer named', async () => {
      const policy = await listed()
      return policy.includes(podNetwork) || policy.includes(serviceNetwork) ? undefined : true
    })
  })

  it('a challenge cannot find the UUID of its instance, which only the instance object contains', async () => {
    const id = randomUUID()
    const { metadata } = await cluster.create({ egress: 'Dns', exposure: 'NodePort' }, { labels: { [instanceIdLabel]: id } })
    await cluster.waitForReason(metadata.name, 'Ready')
    const kinds = [pods, services, networkPolicies, endpoints] as Resource<KubeObject>[]
    const objects = (await Promise.all(kinds.map((resource) => cluster.list(resource)))).flat()
    const around = objects.filter(({ metadata: { labels } }) => labels?.[instanceLabel] === metadata.name)
    expect(new Set(around.map(({ metadata: { name } }) => name.slice(0, metadata.name.length)))).toEqual(new Set([metadata.name]))
    expect(around.length).toBeGreaterThanOrEqual(4)
    expect(JSON.stringify(around)).not.toContain(id)
  })

  it('only the policy isolates a challenge: a pod without a policy reaches name server, other pods, API server and kubelet', async () => {
    const reached: string[] = []
    for (const [what, [host, port]] of Object.entries(await targets()))
      if ((await dial(gateway, host, port)) === 'open') reached.push(what)
    expect(reached).toEqual(
      expect.arrayContaining(['the cluster’s name server', 'another pod', 'the API server', 'the kubelet of the node']),
    )
  })
})
