import { networkPolicies, pods, services } from '@capstan/kubernetes/built-in-kinds'
import { apiServerScope, endpointSlices } from '@capstan/kubernetes/cluster-addresses'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../isolation-probe/attempts.ts'
import { type ProbeTask, probePort, type Target, taskVariable } from '../../isolation-probe/task.ts'
import { desiredNetworkPolicy } from '../challenge-instance/desired/network-policy.ts'
import { type ContainerSpec, desiredPod } from '../challenge-instance/desired/pod.ts'
import { isPodReady } from '../challenge-instance/pod-state.ts'
import { anInstance, someSettings } from '../testing/builders.ts'
import { captureImage, createTestCluster, echoImage, probeImages, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { readProbeFindings } from './probe-findings.ts'
import { type ProbeInstanceSpec, probeLimits, runProbes } from './run-probes.ts'
import { formatDoctorReport, isEveryAttemptBlockedOrSkipped } from './table.ts'
import { listNodeAddresses, listProbeTargets, type PlatformService } from './targets.ts'

/** The tests in this file need a network plugin that enforces network policies. */
let cluster: TestCluster
/** Addresses of the cluster, and the address of a pod without a network policy. */
let targets: Target[]
let nodeAddresses: string[]
let nameServer: { host: string; port: number }
let platformAddress: string

beforeAll(async () => {
  cluster = await createTestCluster()
  await cluster.startOperator({ environment: { CAPSTAN_CAPTURE_IMAGE: captureImage } })
  const platform = await startPlatformPod()
  platformAddress = platform.status?.podIP ?? ''
  const addressOf = async (name: string, namespace: string) =>
    ((await cluster.client.get(services, namespace, name)) as PlatformService).spec?.clusterIP ?? ''
  nameServer = { host: await addressOf('kube-dns', 'kube-system'), port: 53 }
  nodeAddresses = listNodeAddresses([platform])
  targets = listProbeTargets({
    services: [await cluster.client.get(services, cluster.namespace, 'platform')],
    pods: [platform],
    endpointSlices: (await cluster.client.listPage(endpointSlices, apiServerScope, { limit: 10 })).items,
    apiServer: { host: await addressOf('kubernetes', 'default'), port: 443 },
  })
})
afterAll(() => cluster?.close())

/** Starts a pod with a service as a stand-in for the platform. No network policy protects it. */
async function startPlatformPod() {
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
  return waitForValue('the pod of the platform is ready', async () => {
    const pod = await cluster.find(pods, 'platform')
    return pod && isPodReady(pod) ? pod : undefined
  })
}

/** Returns the Service of the pod that this test starts as a stand-in for the platform. */
function aService(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: cluster.namespace },
    spec: { selector: { app: 'platform' }, ports: [{ name: 'challenge', port: 1337 }] },
  }
}

function aTask(changes: Partial<ProbeTask> = {}): ProbeTask {
  return {
    role: 'attempts',
    egress: 'None',
    profile: 'Restricted',
    targets,
    nodeAddresses,
    nameServer,
    limits: { ...probeLimits, processes: 4096 },
    ...changes,
  }
}

describe('the isolation probe in a pod that the operator created', () => {
  const variants: [string, ProbeInstanceSpec][] = [
    [
      'Restricted, without egress',
      {
        image: probeImages.user,
        egress: 'None',
        security: { profile: 'Restricted' },
        capture: { enabled: false },
      },
    ],
    [
      'Baseline, as root, with egress Internet and recorded traffic',
      { image: probeImages.root, egress: 'Internet', security: { profile: 'Baseline' }, capture: { enabled: true } },
    ],
  ]
  it.concurrent.each(variants)('cannot escape from the pod: %s', async (_name, instanceSpec) => {
    const { client, namespace } = cluster
    const task = aTask({
      egress: instanceSpec.egress,
      profile: instanceSpec.security.profile,
      ...(instanceSpec.capture.enabled ? { capturePort: 19_100 } : {}),
    })
    const findings = await runProbes({ client, namespace, instanceSpec, task, inPod: false })
    const failures = findings.filter(({ outcome }) => outcome === 'escaped' || outcome === 'broken')
    expect(failures, formatDoctorReport(findings)).toEqual([])
    expect(isEveryAttemptBlockedOrSkipped(findings)).toBe(true)
    expect(findings.filter(({ outcome }) => outcome === 'blocked').length).toBeGreaterThanOrEqual(60)
    const recorded = findings.filter(({ control }) => control === 'capture sidecar').map(({ outcome }) => outcome)
    expect(new Set(recorded)).toEqual(new Set([instanceSpec.capture.enabled ? 'blocked' : 'skipped']))
  })
})

/** Fields of a challenge pod that the tests change. */
interface PodSpec {
  containers: [ContainerSpec & { securityContext: Record<string, unknown> }]
  initContainers?: object[]
  securityContext: Record<string, unknown>
  [field: string]: unknown
}

interface Weakness {
  /** Name of the protection that the test removes. */
  without: string
  weakenPod?: (pod: PodSpec) => void
  weakenPolicy?: (policy: Record<string, unknown>) => void
  image?: string
  task?: Partial<ProbeTask>
  /** Egress of the pod. The default is `None`. */
  egress?: ProbeTask['egress']
  /** Name of a Service to create for the stand-in pod. The name has the format of a challenge's Service. */
  service?: string
  /** Titles of the escape attempts that must succeed without the protection. */
  finds: string[]
}

function challengeContainerOf(pod: PodSpec) {
  return pod.containers[0]
}

const knownId = '5c1a1a52-6d1c-4e4f-9a4e-000000000001'

const weaknesses: Weakness[] = [
  {
    without: 'names without information',
    egress: 'Dns',
    service: `ci-${knownId}`,
    weakenPod: (pod) => {
      challengeContainerOf(pod).env?.push({ name: 'INSTANCE', value: `ci-${knownId}` })
    },
    task: { instanceId: knownId },
    finds: [
      'find other challenges by reverse lookups',
      'find another challenge by guessed names',
      'find the UUID that permits connections',
    ],
  },
  {
    without: 'the network policy’s egress part',
    weakenPolicy: (policy) => {
      policy.policyTypes = ['Ingress']
    },
    finds: [
      'reach pod platform',
      'reach service platform',
      'reach node port of platform',
      'reach the API server',
      'reach the API server’s service',
      'query the name server by UDP',
      'query the name server by TCP',
    ],
  },
  {
    without: 'dropped capabilities',
    image: probeImages.root,
    weakenPod: (pod) => {
      challengeContainerOf(pod).securityContext.capabilities = {}
    },
    task: { profile: 'Baseline' },
    finds: [
      'open a raw socket',
      'become another user',
      'give a file to another user',
      'change the root',
      'read another user’s file',
      'find a capability in the bounding set',
    ],
  },
  {
    without: 'dropped administration of the network and the system',
    image: probeImages.root,
    weakenPod: (pod) => {
      challengeContainerOf(pod).securityContext.capabilities = { drop: ['ALL'], add: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_NICE'] }
    },
    task: { profile: 'Baseline' },
    finds: ['change a network interface', 'change the routes', 'create a mount namespace', 'get a higher priority'],
  },
  {
    without: 'a seccomp profile',
    weakenPod: (pod) => {
      pod.securityContext.seccompProfile = { type: 'Unconfined' }
    },
    finds: ['call the kernel without a filter', 'write to the kernel’s keyring'],
  },
  {
    without: 'the refusal of privilege escalation',
    weakenPod: (pod) => {
      challengeContainerOf(pod).securityContext.allowPrivilegeEscalation = true
    },
    finds: ['run a setuid root program', 'gain new privileges'],
  },
  {
    without: 'any confinement (privileged)',
    image: probeImages.root,
    weakenPod: (pod) => {
      challengeContainerOf(pod).securityContext = { privileged: true }
    },
    task: { profile: 'Baseline' },
    finds: [
      'mount a file system',
      'find devices of the node',
      'run our program on the node (core_pattern)',
      'change how the node allocates memory',
      'leave its control group',
    ],
  },
  {
    without: 'the refusal of root',
    image: probeImages.root,
    weakenPod: (pod) => {
      challengeContainerOf(pod).securityContext.runAsNonRoot = false
    },
    finds: ['be root'],
  },
  {
    without: 'a network of its own',
    weakenPod: (pod) => {
      pod.hostNetwork = true
      pod.securityContext.sysctls = []
    },
    finds: ['use the node’s network'],
  },
  {
    without: 'processes of its own',
    weakenPod: (pod) => {
      pod.hostPID = true
    },
    finds: ['see processes of the node or of other containers'],
  },
  {
    without: 'memory of its own',
    weakenPod: (pod) => {
      pod.hostIPC = true
    },
    finds: ['share memory with the node'],
  },
  {
    without: 'the refusal of host mounts',
    weakenPod: (pod) => {
      pod.volumes = [{ name: 'host', hostPath: { path: '/var/log' } }]
      challengeContainerOf(pod).volumeMounts = [{ name: 'host', mountPath: '/host' }]
    },
    finds: ['find a folder that is mounted from outside'],
  },
  {
    without: 'the refusal of a token',
    weakenPod: (pod) => {
      pod.automountServiceAccountToken = true
    },
    finds: ['read the service account’s token', 'find a token or key in the files'],
  },
  {
    without: 'the refusal of service links',
    weakenPod: (pod) => {
      pod.enableServiceLinks = true
    },
    finds: ['find other services in the environment'],
  },
  {
    without: 'a processor limit',
    weakenPod: (pod) => {
      delete challengeContainerOf(pod).resources.limits.cpu
    },
    // Set a very low limit, because the pod gets little CPU time on a busy machine.
    task: { limits: { ...probeLimits, cpuTenths: 0.1, processes: 4096 } },
    finds: ['use more CPU than allowed'],
  },
  {
    without: 'a memory limit',
    weakenPod: (pod) => {
      delete challengeContainerOf(pod).resources.limits.memory
    },
    task: { role: 'memory' },
    finds: ['use more memory than allowed'],
  },
  {
    without: 'a storage limit',
    weakenPod: (pod) => {
      delete challengeContainerOf(pod).resources.limits['ephemeral-storage']
    },
    task: { role: 'disk' },
    finds: ['fill the node’s disk'],
  },
  {
    without: 'a process limit below the number that is tried',
    task: { role: 'processes', limits: { ...probeLimits, processes: 40 } },
    finds: ['start 40 processes'],
  },
  {
    without: 'the sidecar’s refusal of the own pod',
    weakenPod: (pod) => {
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
    task: { capturePort: 19_100 },
    finds: [
      'read recordings through localhost',
      'read recordings through the pod’s address',
      'read recordings from the pod’s address through localhost',
      'stop the recording',
    ],
  },
]

/** Runs the isolation probe in the pod that the operator would create, but removes one of the protections. */
async function runWeakened(
  { weakenPod, weakenPolicy, image, task: changes, egress = 'None', service }: Weakness,
  index: number,
): Promise<Finding[]> {
  const { client, namespace } = cluster
  const name = `weak-${index}`
  const resources = { ...probeLimits, pids: 256 }
  const instance = anInstance(
    { image: image ?? probeImages.user, port: probePort, resources, egress },
    { metadata: { ...anInstance().metadata, name, namespace } },
  )
  if (image === probeImages.root) instance.spec.security = { profile: 'Baseline' }
  const task = aTask({
    egress,
    ...(service && { neighbor: { name: service, namespace, host: platformAddress } }),
    ...changes,
  })
  if (service) await client.create(services, namespace, aService(service))
  const policy = desiredNetworkPolicy(instance, someSettings())
  weakenPolicy?.(policy.spec as Record<string, unknown>)
  const pod = desiredPod(instance, someSettings(), 0)
  const spec = pod.spec as unknown as PodSpec
  challengeContainerOf(spec).env = [{ name: taskVariable, value: JSON.stringify(task) }]
  weakenPod?.(spec)
  for (const { metadata } of [policy, pod]) delete metadata.ownerReferences
  await client.create(networkPolicies, namespace, policy)
  await client.create(pods, namespace, pod)
  const findings = await readProbeFindings(client, { namespace, name, task }, 110_000)
  await client.delete(pods, namespace, name, { gracePeriodSeconds: 0 })
  return findings
}

describe('the isolation probe in a pod without one protection', () => {
  it.concurrent.each(weaknesses.map((weakness, index) => ({ ...weakness, index })))(
    'escapes if this protection is missing: $without',
    async ({ index, ...weakness }) => {
      const findings = await runWeakened(weakness, index)
      const escapes = findings.filter(({ outcome }) => outcome === 'escaped').map(({ title }) => title)
      expect(escapes, formatDoctorReport(findings)).toEqual(expect.arrayContaining(weakness.finds))
      expect(isEveryAttemptBlockedOrSkipped(findings)).toBe(false)
    },
  )
})
