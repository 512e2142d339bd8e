import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, pods } from '@capstan/kubernetes/built-in-kinds'
import type { Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ProbeTask, probePort, taskVariable } from '../../../operator/isolation-probe/task.ts'
import { isPodReady } from '../../../operator/src/challenge-instance/pod-state.ts'
import { readProbeFindings } from '../../../operator/src/doctor/probe-findings.ts'
import { probeLimits } from '../../../operator/src/doctor/run-probes.ts'
import {
  createTestCluster,
  echoImage,
  probeImages,
  type TestCluster,
  waitForValue,
} from '../../../operator/src/testing/cluster.ts'
import { findManifest, type Manifest, renderChart, renderChartOnCluster } from './render.ts'

const daemonSets: Resource = { apiVersion: 'apps/v1', kind: 'DaemonSet', plural: 'daemonsets' }

/** Public address for documentation (RFC 5737). The test adds it to a node. */
const furtherAddress = '198.51.100.77'
const listeningPort = 28_123
/** Label selector of the pods that report node addresses, in the release `cap`. */
const reporters = 'app.kubernetes.io/component=node-addresses,app.kubernetes.io/instance=cap'

const internet = { 'instances.egress': 'Internet', 'image.repository': 'capstan', 'image.tag': 'dev' }

describe('the chart', () => {
  const daemonSetOf = (values: Record<string, string>) => findManifest(renderChart(values), 'DaemonSet', 'cap-node-addresses')
  const roleOf = (values: Record<string, string>) =>
    renderChart(values).find(({ kind, metadata }) => kind === 'Role' && metadata.name === 'cap-operator' && !metadata.namespace)

  test.each([
    ['egress None', {}, false],
    ['egress Dns', { 'instances.egress': 'Dns' }, false],
    ['egress Internet', internet, true],
    ['widestEgress Internet', { 'instances.widestEgress': 'Internet' }, true],
    ['readNodeAddresses off', { ...internet, 'instances.readNodeAddresses': 'false' }, false],
  ])('the operator reads node addresses only if challenges may use the Internet: %s, %o, %s', (_name, values, isRead) => {
    expect(daemonSetOf(values) !== undefined).toBe(isRead)
    expect(JSON.stringify(roleOf(values)).includes('"pods"')).toBe(isRead)
    expect(JSON.stringify(findManifest(renderChart(values), 'Deployment', 'cap-operator')).includes(reporters)).toBe(isRead)
  })

  test('a pod that reports the addresses of its node has no token, no capabilities and no ports', () => {
    const pod = daemonSetOf(internet)?.spec.template.spec
    expect(pod).toMatchObject({ automountServiceAccountToken: false, hostNetwork: true })
    for (const container of [...pod.containers, ...pod.initContainers]) {
      expect(container.ports).toBeUndefined()
      expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
    }
  })
})

describe('a cluster whose nodes have an address that Kubernetes does not list', () => {
  let cluster: TestCluster

  /**
   * Starts a pod that adds `furtherAddress` to the loopback device of a node (ioctl SIOCSIFADDR), or removes this address
   * (SIOCSIFFLAGS). The pod becomes ready after the change.
   */
  const changeNode = async (change: 'add' | 'remove'): Promise<void> => {
    const { client, namespace } = cluster
    const port = change === 'add' ? listeningPort : listeningPort + 1
    // Perl is part of every Debian image.
    const program = `
use Socket;
socket(my $kernel, AF_INET, SOCK_DGRAM, 0) or die $!;
my $added = pack('a16 S S a4 x8', 'lo:77', AF_INET, 0, inet_aton('${furtherAddress}'));
my $down = pack('a16 s x14', 'lo:77', 0);
ioctl($kernel, ${change === 'add' ? '0x8916, $added' : '0x8914, $down'}) or die $!;
socket(my $server, AF_INET, SOCK_STREAM, 0) or die $!;
bind($server, sockaddr_in(${port}, INADDR_ANY)) && listen($server, 5) or die $!;
while (accept(my $client, $server)) { close $client }
`
    await client.create(pods, namespace, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: change, namespace },
      spec: {
        hostNetwork: true,
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            ...{
              name: 'change',
              image: echoImage,
              command: ['perl', '-e', program],
              securityContext: { privileged: true, runAsUser: 0 },
            },
            readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          },
        ],
      },
    })
    await waitForValue(`the address has been changed: ${change}`, async () => {
      const pod = await cluster.find(pods, change)
      if (pod?.status?.phase === 'Failed') throw new Error('The address could not be changed')
      return pod && isPodReady(pod) ? pod : undefined
    })
  }

  /** Tries to connect to the node's address from an instance with egress Internet. */
  const tryFromInstance = async (name: string): Promise<string | undefined> => {
    const what = `the node from ${name}`
    const task: ProbeTask = {
      ...{ role: 'attempts', egress: 'Internet', profile: 'Restricted', nodeAddresses: [] },
      targets: [{ what, host: furtherAddress, port: listeningPort }],
      limits: { ...probeLimits, processes: 4096 },
    }
    const flag = { secretName: name, environmentNames: [taskVariable] }
    const spec = {
      image: probeImages.user,
      port: probePort,
      egress: 'Internet',
      resources: { ...probeLimits, pids: 256 },
      flag,
    } as const
    await cluster.create(spec, { name, flag: JSON.stringify(task) })
    const findings = await readProbeFindings(cluster.client, { namespace: cluster.namespace, name, task }, 110_000)
    await cluster.remove(challengeInstances, name)
    return findings.find(({ title }) => title === `reach ${what}`)?.outcome
  }

  beforeAll(async () => {
    cluster = await createTestCluster()
    await changeNode('add')
  })
  afterAll(async () => {
    await changeNode('remove')
    await cluster.close()
  })

  test('an instance can connect to an unlisted address of a node only until the node has reported the address', async () => {
    const { client, namespace } = cluster
    const unaware = await cluster.startOperator()
    expect(await tryFromInstance('ci-before')).toBe('escaped')
    await unaware.stop()

    const daemonSet = findManifest(renderChart(internet, namespace), 'DaemonSet', 'cap-node-addresses') as Manifest
    await client.create(daemonSets, namespace, { ...daemonSet, metadata: { ...daemonSet.metadata, namespace } })
    await cluster.startOperator({ environment: { CAPSTAN_NODE_REPORTERS: reporters } })
    await cluster.create({ egress: 'Internet' }, { name: 'ci-policy' })
    await waitForValue('the policy denies the address', async () => {
      const policy = await cluster.find(networkPolicies, 'ci-policy')
      return JSON.stringify(policy ?? {}).includes(`${furtherAddress}/32`) || undefined
    })
    expect(await tryFromInstance('ci-after')).toBe('blocked')
  })

  test('Helm fails with a hint if Pod Security forbids the pods that report node addresses', async () => {
    const { namespace } = cluster
    await promisify(execFile)('kubectl', ['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=baseline'])
    onTestFinished(async () => {
      await promisify(execFile)('kubectl', ['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce-'])
    })
    expect(() => renderChartOnCluster(internet, namespace)).toThrow('Set instances.readNodeAddresses=false')
    expect(renderChartOnCluster({ ...internet, 'instances.readNodeAddresses': 'false' }, namespace)).not.toContain('DaemonSet')
  })
})
