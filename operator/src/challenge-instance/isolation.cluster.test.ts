import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject, Resource } from '../kube/types.ts'
import { ask, createTestCluster, echoImage, eventually, type TestCluster } from '../testing/cluster.ts'
import { isReady } from './pod-state.ts'
import { type ChallengeInstanceSpec, pods, services } from './types.ts'

/** Needs a network plugin that enforces policies, as instances do. */
let cluster: TestCluster
/** Address of a pod of the test's own, which no policy isolates: by its labels the gateway, or nobody in particular. */
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

/** Runs a pod of the echo image, and resolves to its address. */
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
  return eventually(`${name} is ready`, 30_000, async () => {
    const pod = await cluster.find(pods, name)
    return pod && isReady(pod) ? pod.status?.podIP : undefined
  })
}

async function start(spec: Partial<ChallengeInstanceSpec>) {
  const { metadata } = await cluster.create(spec)
  const { status } = await cluster.reason(metadata.name, 'Ready', 30_000)
  const pod = await cluster.find(pods, metadata.name)
  return { name: metadata.name, address: status!.address!, podAddress: pod!.status!.podIP! }
}

const dial = (from: string, host: string, port: number) => ask(from, 1337, `dial ${host} ${port}`)

/** Policies take effect a moment after the pod is there. */
const untilClosed = (from: string, host: string, port: number) =>
  eventually(`${from} does not reach ${host}:${port}`, 30_000, async () =>
    (await dial(from, host, port)) === 'closed' ? true : undefined,
  )

/** Where a challenge might want to go, and whether egress `Dns` and `Internet` allow it; `None` allows nothing. */
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
  it('is reached by the gateway and by nobody else', async () => {
    const { podAddress } = await start({})
    await untilClosed(stranger, podAddress, 1337)
    expect(await dial(gateway, podAddress, 1337)).toBe('open')
  })

  it('with a node port is reached by everybody, on that port alone', async () => {
    const { address, podAddress } = await start({ exposure: 'NodePort' })
    // The node learns of a new port a moment after the pod is ready.
    await eventually('the node forwards the port', 30_000, async () =>
      (await dial(stranger, address.host, address.port)) === 'open' ? true : undefined,
    )
    expect(await dial(stranger, podAddress, 1337)).toBe('open')
  })

  it.each([
    ['None', []],
    ['Dns', ['the cluster’s name server']],
    ['Internet', ['the cluster’s name server']],
  ] as const)('with egress %s reaches inside the cluster: %j', async (egress, allowed) => {
    const { podAddress } = await start({ egress })
    await untilClosed(podAddress, stranger, 1337)
    const reached: string[] = []
    for (const [what, [host, port]] of Object.entries(await targets()))
      if ((await dial(podAddress, host, port)) === 'open') reached.push(what)
    expect(reached).toEqual(allowed)
  })

  it('could be stopped by the policy alone: a pod without one reaches all of it but the metadata address', async () => {
    const reached: string[] = []
    for (const [what, [host, port]] of Object.entries(await targets()))
      if ((await dial(gateway, host, port)) === 'open') reached.push(what)
    expect(reached).toEqual(
      expect.arrayContaining(['the cluster’s name server', 'another pod', 'the API server', 'the kubelet of the node']),
    )
  })
})
