import { networkPolicies, pods, services } from '@capstan/kubernetes/built-in-kinds'
import { apiServerScope, endpointSlices } from '@capstan/kubernetes/cluster-addresses'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../doctor/attempts.ts'
import type { Target } from '../../doctor/orders.ts'
import { doctorPort, type Orders, ordersVariable } from '../../doctor/orders.ts'
import { desiredNetworkPolicy } from '../challenge-instance/desired/network-policy.ts'
import { type ContainerSpec, desiredPod } from '../challenge-instance/desired/pod.ts'
import { isReady } from '../challenge-instance/pod-state.ts'
import { anInstance, settings } from '../testing/builders.ts'
import { captureImage, createTestCluster, doctorImages, echoImage, eventually, type TestCluster } from '../testing/cluster.ts'
import { doctorLimits, examine, type Way } from './examine.ts'
import { hear } from './patients.ts'
import { isHealthy, writeTable } from './table.ts'
import { nodeAddressesOf, type PlatformService, targetsOf } from './targets.ts'

/** Needs a network plugin that enforces policies, as instances do. */
let cluster: TestCluster
/** Addresses of the cluster, and of a pod that no policy protects. */
let targets: Target[]
let nodeAddresses: string[]
let nameServer: { host: string; port: number }
let platformAddress: string

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator({ environment: { CAPSTAN_CAPTURE_IMAGE: captureImage } })
  const stranger = await standBy()
  platformAddress = stranger.status?.podIP ?? ''
  const addressOf = async (name: string, namespace: string) =>
    ((await cluster.client.get(services, namespace, name)) as PlatformService).spec?.clusterIP ?? ''
  nameServer = { host: await addressOf('kube-dns', 'kube-system'), port: 53 }
  nodeAddresses = nodeAddressesOf([stranger])
  targets = targetsOf({
    services: [await cluster.client.get(services, cluster.namespace, 'platform')],
    pods: [stranger],
    endpointSlices: (await cluster.client.listPage(endpointSlices, apiServerScope, { limit: 10 })).items,
    apiServer: { host: await addressOf('kubernetes', 'default'), port: 443 },
  })
})
afterAll(() => cluster?.close())

/** Stands for the platform: a pod with a service that everybody may reach. */
async function standBy() {
  const { client, namespace } = cluster
  const labels = { app: 'platform' }
  await client.create(services, namespace, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'platform', namespace },
    spec: { type: 'NodePort', selector: labels, ports: [{ port: 80, targetPort: 1337 }] },
  })
  await client.create(pods, namespace, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'platform', namespace, labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'echo',
          image: echoImage,
          ports: [{ containerPort: 1337 }],
          readinessProbe: { tcpSocket: { port: 1337 }, periodSeconds: 1 },
        },
      ],
    },
  })
  return eventually('the stand-in is ready', 30_000, async () => {
    const pod = await cluster.find(pods, 'platform')
    return pod && isReady(pod) ? pod : undefined
  })
}

/** Leads to the stand-in of the platform. */
const aService = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: cluster.namespace },
  spec: { selector: { app: 'platform' }, ports: [{ name: 'challenge', port: 1337 }] },
})

const ordersFor = (changes: Partial<Orders> = {}): Orders => ({
  role: 'attempts',
  egress: 'None',
  profile: 'Restricted',
  targets,
  nodeAddresses,
  nameServer,
  limits: { ...doctorLimits, processes: 4096 },
  ...changes,
})

describe('inside a challenge that the operator made, the doctor finds no way out', () => {
  const ways: [string, Way][] = [
    [
      'Restricted, without egress',
      {
        image: doctorImages.user,
        egress: 'None',
        security: { profile: 'Restricted' },
        capture: { enabled: false },
      },
    ],
    [
      'Baseline as root, with the internet, recorded',
      { image: doctorImages.root, egress: 'Internet', security: { profile: 'Baseline' }, capture: { enabled: true } },
    ],
  ]
  it.concurrent.each(ways)(
    '%s',
    async (_name, way) => {
      const { client, namespace } = cluster
      const orders = ordersFor({
        egress: way.egress,
        profile: way.security.profile,
        ...(way.capture.enabled ? { capturePort: 19_100 } : {}),
      })
      const findings = await examine({ client, namespace, way, orders, inPod: false })
      const wrong = findings.filter(({ outcome }) => outcome === 'escaped' || outcome === 'broken')
      expect(wrong, writeTable(findings)).toEqual([])
      expect(isHealthy(findings)).toBe(true)
      expect(findings.filter(({ outcome }) => outcome === 'blocked').length).toBeGreaterThanOrEqual(60)
      const recorded = findings.filter(({ control }) => control === 'capture sidecar').map(({ outcome }) => outcome)
      expect(new Set(recorded)).toEqual(new Set([way.capture.enabled ? 'blocked' : 'skipped']))
    },
    180_000,
  )
})

/** A challenge's pod as far as the tests take something away from it. */
interface PodSpec {
  containers: [ContainerSpec & { securityContext: Record<string, unknown> }]
  initContainers?: object[]
  securityContext: Record<string, unknown>
  [field: string]: unknown
}

interface Weakness {
  /** What is taken away. */
  without: string
  spoil?: (pod: PodSpec) => void
  /** Changes the network policy. */
  open?: (policy: Record<string, unknown>) => void
  image?: string
  orders?: Partial<Orders>
  /** What the pod may connect to; nothing if absent. */
  egress?: Orders['egress']
  /** Makes a service for the stand-in of the platform, as if it were another challenge's, under this name. */
  service?: string
  /** Some of what the doctor must find then. */
  finds: string[]
}

const challengeOf = (pod: PodSpec) => pod.containers[0]

const toldId = '5c1a1a52-6d1c-4e4f-9a4e-000000000001'

const weaknesses: Weakness[] = [
  {
    without: 'names that tell nothing',
    egress: 'Dns',
    service: `ci-${toldId}`,
    spoil: (pod) => {
      challengeOf(pod).env?.push({ name: 'INSTANCE', value: `ci-${toldId}` })
    },
    orders: { rowId: toldId },
    finds: [
      'learn of other challenges by reverse look-ups',
      'look up another challenge by guessed names',
      'find the UUID that gives the right to connect',
    ],
  },
  {
    without: 'the network policy’s egress part',
    open: (policy) => {
      policy.policyTypes = ['Ingress']
    },
    finds: [
      'reach pod platform',
      'reach service platform',
      'reach node port of platform',
      'reach the API server',
      'reach the API server’s service',
      'ask the name server by UDP',
      'ask the name server by TCP',
    ],
  },
  {
    without: 'dropped capabilities',
    image: doctorImages.root,
    spoil: (pod) => {
      challengeOf(pod).securityContext.capabilities = {}
    },
    orders: { profile: 'Baseline' },
    finds: [
      'open a raw socket',
      'become another user',
      'give a file to another user',
      'change the root',
      'read another user’s file',
      'find a capability left in the bounding set',
    ],
  },
  {
    without: 'dropped administration of the network and the system',
    image: doctorImages.root,
    spoil: (pod) => {
      challengeOf(pod).securityContext.capabilities = { drop: ['ALL'], add: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_NICE'] }
    },
    orders: { profile: 'Baseline' },
    finds: ['change a network interface', 'change the routes', 'make a mount namespace', 'take a higher priority'],
  },
  {
    without: 'a seccomp profile',
    spoil: (pod) => {
      pod.securityContext.seccompProfile = { type: 'Unconfined' }
    },
    finds: ['call the kernel without a filter', 'write to the kernel’s keyring'],
  },
  {
    without: 'the refusal of privilege escalation',
    spoil: (pod) => {
      challengeOf(pod).securityContext.allowPrivilegeEscalation = true
    },
    finds: ['run a program that is root by its file mode', 'be allowed new privileges'],
  },
  {
    without: 'any confinement (privileged)',
    image: doctorImages.root,
    spoil: (pod) => {
      challengeOf(pod).securityContext = { privileged: true }
    },
    orders: { profile: 'Baseline' },
    finds: [
      'mount a file system',
      'find devices of the node',
      'run a program of ours on the node (core_pattern)',
      'change how the node gives memory',
      'leave the own control group',
    ],
  },
  {
    without: 'the refusal of root',
    image: doctorImages.root,
    spoil: (pod) => {
      challengeOf(pod).securityContext.runAsNonRoot = false
    },
    finds: ['be root'],
  },
  {
    without: 'a network of its own',
    spoil: (pod) => {
      pod.hostNetwork = true
      pod.securityContext.sysctls = []
    },
    finds: ['have the node’s network'],
  },
  {
    without: 'processes of its own',
    spoil: (pod) => {
      pod.hostPID = true
    },
    finds: ['see processes of the node or of other containers'],
  },
  {
    without: 'memory of its own',
    spoil: (pod) => {
      pod.hostIPC = true
    },
    finds: ['share memory with the node'],
  },
  {
    without: 'the refusal of host mounts',
    spoil: (pod) => {
      pod.volumes = [{ name: 'host', hostPath: { path: '/var/log' } }]
      challengeOf(pod).volumeMounts = [{ name: 'host', mountPath: '/host' }]
    },
    finds: ['find a folder that is mounted from elsewhere'],
  },
  {
    without: 'the refusal of a token',
    spoil: (pod) => {
      pod.automountServiceAccountToken = true
    },
    finds: ['read the service account’s token', 'find a token or key in the files'],
  },
  {
    without: 'the refusal of service links',
    spoil: (pod) => {
      pod.enableServiceLinks = true
    },
    finds: ['learn of other services from the environment'],
  },
  {
    without: 'a processor limit',
    spoil: (pod) => {
      delete challengeOf(pod).resources.limits.cpu
    },
    // Little, for the machine may be too busy to give much more.
    orders: { limits: { ...doctorLimits, cpuTenths: 1, processes: 4096 } },
    finds: ['use more processor than allowed'],
  },
  {
    without: 'a memory limit',
    spoil: (pod) => {
      delete challengeOf(pod).resources.limits.memory
    },
    orders: { role: 'memory' },
    finds: ['use more memory than allowed'],
  },
  {
    without: 'a storage limit',
    spoil: (pod) => {
      delete challengeOf(pod).resources.limits['ephemeral-storage']
    },
    orders: { role: 'disk' },
    finds: ['fill the node’s disk'],
  },
  {
    without: 'a process limit below the number that is tried',
    orders: { role: 'processes', limits: { ...doctorLimits, processes: 40 } },
    finds: ['start 40 processes'],
  },
  {
    without: 'the sidecar’s refusal of the own pod',
    spoil: (pod) => {
      const env = [{ name: 'CAPTURE_ALLOW_LOCAL', value: 'yes' }]
      const securityContext = { runAsUser: 0, capabilities: { drop: ['ALL'], add: ['NET_RAW'] } }
      pod.initContainers = [
        {
          ...{ name: 'capture', image: captureImage, restartPolicy: 'Always', env, securityContext },
          startupProbe: { tcpSocket: { port: 19_100 }, periodSeconds: 1, failureThreshold: 60 },
          volumeMounts: [{ name: 'capture', mountPath: '/data' }],
        },
      ]
      pod.volumes = [{ name: 'capture', emptyDir: {} }]
    },
    orders: { capturePort: 19_100 },
    finds: ['read recordings through localhost', 'read recordings through the pod’s address', 'end the recording'],
  },
]

/** Runs the doctor in the pod that the operator would make, with something taken away. */
async function examineWeak(
  { spoil, open, image, orders, egress = 'None', service }: Weakness,
  index: number,
): Promise<Finding[]> {
  const { client, namespace } = cluster
  const name = `weak-${index}`
  const resources = { ...doctorLimits, pids: 256 }
  const instance = anInstance(
    { image: image ?? doctorImages.user, port: doctorPort, resources, egress },
    { metadata: { ...anInstance().metadata, name, namespace } },
  )
  if (image === doctorImages.root) instance.spec.security = { profile: 'Baseline' }
  const told = ordersFor({
    egress,
    ...(service && { neighbour: { name: service, namespace, host: platformAddress } }),
    ...orders,
  })
  if (service) await client.create(services, namespace, aService(service))
  const policy = desiredNetworkPolicy(instance, settings())
  open?.(policy.spec as Record<string, unknown>)
  const pod = desiredPod(instance, settings(), 0)
  const spec = pod.spec as unknown as PodSpec
  challengeOf(spec).env = [{ name: ordersVariable, value: JSON.stringify(told) }]
  spoil?.(spec)
  for (const { metadata } of [policy, pod]) delete metadata.ownerReferences
  await client.create(networkPolicies, namespace, policy)
  await client.create(pods, namespace, pod)
  const findings = await hear(client, { namespace, pod: name, orders: told }, 110_000)
  await client.delete(pods, namespace, name, { gracePeriodSeconds: 0 })
  return findings
}

describe('without one of the controls, the doctor finds the way out', () => {
  it.concurrent.each(weaknesses.map((weakness, index) => ({ ...weakness, index })))(
    '$without',
    async ({ index, ...weakness }) => {
      const findings = await examineWeak(weakness, index)
      const escapes = findings.filter(({ outcome }) => outcome === 'escaped').map(({ title }) => title)
      expect(escapes, writeTable(findings)).toEqual(expect.arrayContaining(weakness.finds))
      expect(isHealthy(findings)).toBe(false)
    },
    120_000,
  )
})
