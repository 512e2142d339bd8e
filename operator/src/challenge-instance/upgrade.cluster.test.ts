import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import {
  attemptAnnotation,
  challengeLabel,
  gameLabel,
  instanceLabel,
  participationLabel,
  teamLabel,
} from '@capstan/challenge-instance/labels'
import { fieldManager } from '@capstan/challenge-instance/names'
import { networkPolicies, pods } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestCluster, echoImage, sendLineAndReadReply, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { isPodReady } from './pod-state.ts'

let cluster: TestCluster

beforeAll(async () => {
  cluster = await createTestCluster()
})
afterAll(() => cluster?.close())

/** Returns the pod and the policy that an earlier operator created, before instances could have several containers. */
function formerObjects({ metadata: { name, uid } }: ChallengeInstance): [pod: DesiredObject, policy: DesiredObject] {
  const { namespace } = cluster
  const labels = {
    'app.kubernetes.io/managed-by': 'capstan-operator',
    'app.kubernetes.io/name': 'capstan-challenge',
    'app.kubernetes.io/part-of': 'capstan',
    [challengeLabel]: '2',
    [gameLabel]: '1',
    [instanceLabel]: name,
    [participationLabel]: '3',
    [teamLabel]: '7',
  }
  const owner = { apiVersion: challengeInstances.apiVersion, controller: true, kind: challengeInstances.kind, name, uid }
  const metadata = { name, namespace, labels, ownerReferences: [owner] }
  const challenge = {
    name: 'challenge',
    image: echoImage,
    imagePullPolicy: 'IfNotPresent',
    env: [
      { name: 'TEAM_ID', value: '7' },
      { name: 'FLAG', valueFrom: { secretKeyRef: { name, key: 'flag' } } },
    ],
    ports: [{ name: 'challenge', containerPort: 1337, protocol: 'TCP' }],
    resources: {
      requests: { cpu: '100m', memory: '64Mi', 'ephemeral-storage': '7Mi' },
      limits: { cpu: '1000m', memory: '128Mi', 'ephemeral-storage': '64Mi' },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
    },
    readinessProbe: { tcpSocket: { port: 1337 }, periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 3 },
  }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, annotations: { [attemptAnnotation]: '0' } },
    spec: {
      restartPolicy: 'Always',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 2,
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['127.0.0.1'] },
      securityContext: {
        seccompProfile: { type: 'RuntimeDefault' },
        sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
      },
      containers: [challenge],
    },
  }
  const gateway = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'capstan', 'app.kubernetes.io/component': 'gateway' } },
  }
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: {
      podSelector: { matchLabels: { [instanceLabel]: name } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [gateway], ports: [{ port: 1337, protocol: 'TCP' }] }],
    },
  }
  return [pod, policy]
}

const further = {
  image: echoImage,
  resources: { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 },
  egress: 'None',
  profile: 'Restricted',
} as const
const listed: Partial<ChallengeInstanceSpec> = {
  container: { name: 'page' },
  containers: [
    { ...further, name: 'db', furtherPorts: [1337] },
    { ...further, name: 'bot' },
  ],
}

async function uidsOf(...names: string[]): Promise<(string | undefined)[]> {
  const all = await cluster.list(pods)
  return names.map((name) => all.find(({ metadata }) => metadata.name === name)?.metadata.uid)
}

it('an upgrade retains pods of instances with and without a container list, and a new instance with a list starts', async () => {
  const former = await cluster.create({}, { name: 'ci-former', flag: 'flag{kept}' })
  const [pod, policy] = formerObjects(former)
  await cluster.client.apply(networkPolicies, policy, fieldManager)
  await cluster.client.apply(pods, pod, fieldManager)
  await waitForValue('the pod of the former version is ready', async () => {
    const found = await cluster.find(pods, 'ci-former')
    return found && isPodReady(found) ? true : undefined
  })
  const [formerUid] = await uidsOf('ci-former')

  const first = await cluster.startOperator()
  await cluster.create(listed, { name: 'ci-list', flag: 'flag{list}' })
  await cluster.waitForReason('ci-former', 'Ready')
  await cluster.waitForReason('ci-list', 'Ready')
  const names = ['ci-former', 'ci-list', 'ci-list-db', 'ci-list-bot']
  const before = await uidsOf(...names)
  expect(before[0]).toBe(formerUid)
  await first.stop()

  // An upgrade may change settings. The second operator has another setting, and must not replace any pod.
  const second = await cluster.startOperator({ environment: { CAPSTAN_CPU_REQUEST_PERCENT: '5' } })
  for (const name of ['ci-former', 'ci-list']) await cluster.reconcileOnce(second, name)
  await cluster.create(listed, { name: 'ci-new' })
  await cluster.waitForReason('ci-new', 'Ready')
  expect(await uidsOf(...names)).toEqual(before)
  const { status } = await cluster.waitForReason('ci-former', 'Ready')
  expect(status?.restarts).toBe(0)
  expect(await sendLineAndReadReply(status?.address?.host ?? '', 1337, 'flag')).toBe('flag{kept}')
  const writes = await second.writes()
  for (const name of ['ci-former', 'ci-list']) await cluster.reconcileOnce(second, name)
  expect(await second.writes()).toBe(writes)
  for (const name of ['ci-former', 'ci-list', 'ci-new']) await cluster.remove(challengeInstances, name)
  await waitForValue('no pod is left', async () => ((await cluster.list(pods)).length === 0 ? true : undefined))
})
