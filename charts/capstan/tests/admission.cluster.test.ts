import { execFile } from 'node:child_process'
import type { Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { desiredObjects } from '../../../operator/src/challenge-instance/desired/index.ts'
import { anInstance, captureSettings, someSettings } from '../../../operator/src/testing/builders.ts'
import {
  captureImage,
  createTestCluster,
  operatorImage,
  type TestCluster,
  waitForValue,
} from '../../../operator/src/testing/cluster.ts'
import { type Manifest, renderChart } from './render.ts'

/** Plural resource names of the two kinds that the test creates. */
const plurals: Record<string, string> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
}
function resourceOf({ apiVersion, kind }: Manifest): Resource {
  return { apiVersion, kind, plural: plurals[kind] ?? '' }
}

let cluster: TestCluster
let objects: Manifest[] = []

type Answer = Readonly<{
  isAllowed: boolean
  text: string
}>

/** Sends a request through kubectl. By default, the request has the identity of the release's operator. */
function ask(args: string[], input?: object, user = `system:serviceaccount:${cluster.namespace}:cap-operator`): Promise<Answer> {
  return new Promise((resolve) => {
    const child = execFile('kubectl', ['--namespace', cluster.namespace, '--as', user, ...args], (error, out, problem) =>
      resolve({ isAllowed: error === null, text: out + problem }),
    )
    child.stdin?.end(input ? JSON.stringify(input) : undefined)
  })
}

// biome-ignore lint/suspicious/noExplicitAny: tests change fields that we never set
type PodLike = any

/** Returns the pod that the operator creates for a recorded instance with a flag file. */
function aPod(change: (pod: PodLike) => void = () => {}, name = 'ci-1'): PodLike {
  const instance = anInstance(
    {
      capture: { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 },
      flag: { secretName: name, environmentNames: [], file: { path: '/flag/flag.txt', mode: '0400', owner: 1000 } },
    },
    { metadata: { ...anInstance().metadata, name, namespace: cluster.namespace } },
  )
  const configured = someSettings({ capture: { ...captureSettings, image: captureImage }, flagFileImage: operatorImage })
  const pod: PodLike = structuredClone(desiredObjects(instance, configured, 0).pod)
  delete pod.metadata.ownerReferences
  change(pod)
  return pod
}
function create(pod: PodLike, user?: string) {
  return ask(['create', '--dry-run=server', '--filename', '-'], pod, user)
}

beforeAll(async () => {
  cluster = await createTestCluster()
  const { client, namespace } = cluster
  const values = { ...{ 'capture.enabled': 'true', 'instances.security': 'Restricted', 'crds.install': 'false' } }
  const images = { 'image.repository': 'capstan', 'image.tag': 'dev', 'capture.image': captureImage }
  objects = renderChart(
    { ...values, ...images, 'instances.namespace': namespace, 'instances.createNamespace': 'true' },
    namespace,
  ).filter(({ kind }) => plurals[kind] !== undefined)
  for (const object of objects) await client.create(resourceOf(object), undefined, object)
  for (const name of ['cap-operator', 'somebody'])
    await client.create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', plural: 'rolebindings' }, namespace, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    } as object as Manifest)
  await waitForValue('the policy is in force', async () => {
    const { isAllowed } = await create(aPod(), `system:serviceaccount:${namespace}:somebody`)
    return isAllowed ? undefined : true
  })
})
afterAll(async () => {
  for (const object of objects) await cluster.client.delete(resourceOf(object), undefined, object.metadata.name)
  await cluster.close()
})

const [challenge, recorder] = ['challenge', 'capture'].map(
  (wanted) => (change: object) => (pod: PodLike) =>
    Object.assign(
      pod.spec.containers.find(({ name }: { name: string }) => name === wanted),
      change,
    ),
) as [(change: object) => (pod: PodLike) => void, (change: object) => (pod: PodLike) => void]
function security(change: object) {
  return (pod: PodLike) => {
    for (const { name, securityContext } of pod.spec.containers) if (name === 'challenge') Object.assign(securityContext, change)
  }
}
function ofPod(change: object) {
  return (pod: PodLike) => Object.assign(pod.spec, change)
}
function podSecurity(change: object) {
  return (pod: PodLike) => Object.assign(pod.spec.securityContext, change)
}

describe('a pod of a challenge', () => {
  test('a pod is accepted if the operator added a recorder and a flag file', async () => {
    const pod = aPod()
    expect(pod.spec.containers.map(({ name }: { name: string }) => name)).toEqual(['capture', 'challenge'])
    expect(pod.spec.initContainers).toHaveLength(1)
    expect(await create(pod)).toMatchObject({ isAllowed: true })
  })

  test('a pod is accepted for an additional container with a readiness command and the Secret of its instance', async () => {
    const pod = aPod((changed) => {
      changed.metadata.name = 'ci-1-db'
      challenge({ readinessProbe: { exec: { command: ['pg_isready'] } } })(changed)
    })
    expect(await create(pod)).toMatchObject({ isAllowed: true })
  })

  test.each<[string, (pod: PodLike) => void, string]>([
    [
      'the network of its node',
      (pod) => Object.assign(pod.spec, { hostNetwork: true }) && podSecurity({ sysctls: [] })(pod),
      'share no network',
    ],
    ['the processes of its node', ofPod({ hostPID: true }), 'share no network'],
    ['the memory of its node', ofPod({ hostIPC: true }), 'share no network'],
    ['the users of its node', ofPod({ hostUsers: true }), 'share no network'],
    ['one process namespace for all its containers', ofPod({ shareProcessNamespace: true }), 'do not share processes'],
    ['a node of its choice', ofPod({ nodeName: 'kit' }), 'the scheduler chooses'],
    ['a priority of the system', ofPod({ priorityClassName: 'system-node-critical' }), 'priority'],
    ['a token', ofPod({ automountServiceAccountToken: true }), 'no service account token'],
    ['a folder of its node', ({ spec }) => spec.volumes.push({ name: 'host', hostPath: { path: '/' } }), 'only empty volumes'],
    ['an SELinux label', podSecurity({ seLinuxOptions: { type: 'spc_t' } }), 'SELinux'],
    ['an SELinux label of a container', security({ seLinuxOptions: { user: 'system_u' } }), 'SELinux'],
    ['no AppArmor profile', podSecurity({ appArmorProfile: { type: 'Unconfined' } }), 'AppArmor'],
    ['a container without an AppArmor profile', security({ appArmorProfile: { type: 'Unconfined' } }), 'AppArmor'],
    [
      'an annotation that disables the AppArmor profile',
      ({ metadata }) =>
        Object.assign(metadata.annotations, { 'container.apparmor.security.beta.kubernetes.io/challenge': 'unconfined' }),
      'AppArmor',
    ],
    ['no seccomp profile', podSecurity({ seccompProfile: { type: 'Unconfined' } }), 'seccomp'],
    ['a container without a seccomp profile', security({ seccompProfile: { type: 'Unconfined' } }), 'seccomp'],
    ['an unmasked /proc', security({ procMount: 'Unmasked' }), ''],
    ['a sysctl of the node', podSecurity({ sysctls: [{ name: 'kernel.msgmax', value: '1' }] }), 'sysctl'],
    ['options of Windows', podSecurity({ windowsOptions: { hostProcess: true } }), ''],
    ['a container that can gain privileges', security({ allowPrivilegeEscalation: true }), 'cannot gain privileges'],
    ['a privileged container', security({ privileged: true }), ''],
    ['a capability', security({ capabilities: { drop: ['ALL'], add: ['NET_RAW'] } }), 'only the container capture'],
    ['capabilities that it does not drop', security({ capabilities: {} }), 'drop all capabilities'],
    ['root', security({ runAsNonRoot: false }), 'do not run as root'],
    ['the user ID of root', security({ runAsNonRoot: true, runAsUser: 0 }), 'do not run as root'],
    ['a port of its node', challenge({ ports: [{ containerPort: 80, hostPort: 8080 }] }), 'no ports on their node'],
    ['a hook', challenge({ lifecycle: { postStart: { exec: { command: ['id'] } } } }), 'the kubelet probes'],
    [
      'a probe of another host',
      challenge({ readinessProbe: { tcpSocket: { port: 80, host: '10.0.0.1' } } }),
      'the kubelet probes',
    ],
    ['a probe that runs a program', challenge({ livenessProbe: { exec: { command: ['id'] } } }), 'the kubelet probes'],
    ['a recorder that runs a program', recorder({ readinessProbe: { exec: { command: ['id'] } } }), 'the kubelet probes'],
    [
      'a variable of the Secret of another instance',
      challenge({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'ci-2', key: 'flag' } } }] }),
      'only from the Secret',
    ],
    [
      'the volume of the Secret of another instance',
      ({ spec }) => spec.volumes.push({ name: 'other', secret: { secretName: 'ci-2' } }),
      'the volume of the Secret',
    ],
    ['variables of another Secret', challenge({ envFrom: [{ secretRef: { name: 'other' } }] }), 'only from the Secret'],
    ['a recorder with another image', recorder({ image: 'registry.example/other:1' }), 'with the image of the recorder'],
    [
      'a recorder with more capabilities',
      recorder({
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], add: ['NET_RAW', 'SYS_ADMIN'] } },
      }),
      'only the container capture',
    ],
    ['a container with an unexpected name', recorder({ name: 'other' }), 'run beside a challenge'],
    [
      'a native sidecar',
      (pod) => Object.assign(pod.spec.initContainers[0], { restartPolicy: 'Always' }),
      'run beside a challenge',
    ],
  ])('is refused if it has %s', async (_name, change, message) => {
    const { isAllowed, text } = await create(aPod(change))
    expect(isAllowed, text).toBe(false)
    expect(text).toContain(message)
  })
})

describe('a running pod', () => {
  const patch = (json: object, ...args: string[]) =>
    ask(['patch', 'pod', 'ci-2', '--type', 'strategic', '--patch', JSON.stringify(json), ...args])
  beforeAll(async () => {
    const { isAllowed, text } = await ask(
      ['create', '--filename', '-'],
      aPod(() => {}, 'ci-2'),
    )
    expect(isAllowed, text).toBe(true)
  })

  test('accepts new labels and annotations', async () => {
    expect(await patch({ metadata: { annotations: { note: 'x' }, labels: { note: 'x' } } })).toMatchObject({ isAllowed: true })
  })

  test.each([
    ['its challenge', { containers: [{ name: 'challenge', image: 'registry.example/other:1' }] }],
    ['its recorder', { containers: [{ name: 'capture', image: 'registry.example/other:1' }] }],
    ['its init container', { initContainers: [{ name: 'flag-file', image: 'registry.example/other:1' }] }],
  ])('the admission policy rejects a new image for %s', async (_name, spec) => {
    const { isAllowed, text } = await patch({ spec })
    expect(isAllowed, text).toBe(false)
    expect(text).toContain('the image of a challenge pod does not change')
  })

  test('rejects additional containers and changed resources', async () => {
    const debug = { name: 'debug', image: 'registry.example/other:1' }
    const further = await patch({ spec: { ephemeralContainers: [debug] } }, '--subresource', 'ephemeralcontainers')
    expect(further.text).toContain('a challenge pod gets no further container')
    const resources = { limits: { cpu: '8' } }
    const resized = await patch({ spec: { containers: [{ name: 'challenge', resources }] } }, '--subresource', 'resize')
    expect(resized.text).toContain('a challenge pod gets no further container')
  })
})
