import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import type { Resource } from '@capstan/kubernetes/types'
import { createTestCluster, echoImage, type TestCluster } from '@capstan/operator/testing/cluster'
import type { Job } from '../bench.ts'
import { startServer } from '../process.ts'
import { median, quantile } from '../statistics.ts'
import { atLeast, atMost, count, megabytes, milliseconds, ratioAtMost, skipped } from '../table.ts'
import { readCpuMs, readPeakMemory } from '../usage.ts'

const port = 1337
const pairs = [2, 8, 8]
const maxRatio = { p50: 1.2, p99: 1.5 }
const atOnce = 100
const maxCpuMs = 15
const maxWaitMs = 120_000
const pollMs = 20

/** Kinds of objects of an instance. */
const kinds = [challengeInstances, pods, services, networkPolicies, secrets] as Resource[]

/** Waits for a condition of the cluster. @returns false after two minutes */
const eventually = async (isSo: () => Promise<boolean>): Promise<boolean> => {
  const deadlineMs = performance.now() + maxWaitMs
  while (performance.now() < deadlineMs) {
    if (await isSo()) return true
    await delay(pollMs)
  }
  return false
}

/** Pod with the image, the limits and the probe of an instance. */
const barePod = (name: string, namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    terminationGracePeriodSeconds: 2,
    containers: [
      {
        ...{ name: 'challenge', image: echoImage, imagePullPolicy: 'IfNotPresent', ports: [{ containerPort: port }] },
        resources: {
          requests: { cpu: '10m', memory: '2Mi', 'ephemeral-storage': '7Mi' },
          limits: { cpu: '1', memory: '128Mi', 'ephemeral-storage': '64Mi' },
        },
        readinessProbe: { tcpSocket: { port }, periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 3 },
      },
    ],
  },
})

/** Starts an instance or a bare pod. @returns ms from the request until it was Ready, NaN if it was not */
const start = async ({ client, namespace, create, find }: TestCluster, name: string, isBare: boolean): Promise<number> => {
  const startedAtMs = performance.now()
  const resources = { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 }
  if (isBare) await client.create(pods, namespace, barePod(name, namespace))
  else await create({ image: echoImage, port, resources }, { name, flag: 'flag{not-a-secret}' })
  const isReady = await eventually(async () => {
    const object = await (isBare ? find(pods, name) : find(challengeInstances, name))
    return object?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  })
  return isReady ? performance.now() - startedAtMs : Number.NaN
}

export const instancesJob: Job = {
  name: 'instances',
  about: 'starts of instances compared with bare pods, and 100 instances at once, on the cluster of KUBECONFIG',
  async run(bench) {
    if (!process.env.KUBECONFIG) return { rows: [skipped('instances', 'there is no cluster (KUBECONFIG is not set)')] }
    const cluster = await createTestCluster()
    bench.onClose(cluster.close)
    const operator = await startServer({
      folder: 'operator',
      environment: (healthPort) => ({
        CAPSTAN_INSTANCE_NAMESPACE: cluster.namespace,
        CAPSTAN_PLATFORM_NAMESPACE: cluster.namespace,
        CAPSTAN_HEALTH_PORT: String(healthPort),
        // A hundred instances fit on a small node.
        CAPSTAN_CPU_REQUEST_PERCENT: '1',
        CAPSTAN_MEMORY_REQUEST_PERCENT: '1',
        POD_NAME: 'bench',
      }),
    })
    bench.onClose(operator.stop)
    const newName = () => `ci-bench-${randomBytes(5).toString('hex')}`
    const listLeft = async () =>
      (await Promise.all(kinds.map((kind) => cluster.list(kind)))).flat().map(({ metadata }) => metadata.name)
    /** Deletes at the end of a batch, so that no start shares the node with an end. @returns names that remain */
    const remove = async (names: readonly string[], kind: Resource): Promise<string[]> => {
      await Promise.all(names.map((name) => cluster.remove(kind, name)))
      await eventually(async () => !(await listLeft()).some((left) => names.includes(left)))
      return (await listLeft()).filter((left) => names.includes(left))
    }
    const times: { ours: number[]; limit: number[] } = { ours: [], limit: [] }
    for (const [batch, number] of pairs.entries()) {
      const names = Array.from({ length: number }, () => [newName(), newName()] as const)
      for (const [instance, pod] of names) {
        const [ours, limit] = [await start(cluster, instance, false), await start(cluster, pod, true)]
        // The first batch warms up.
        if (batch > 0) times.ours.push(ours)
        if (batch > 0) times.limit.push(limit)
      }
      await remove(
        names.map(([instance]) => instance),
        challengeInstances,
      )
      await remove(
        names.map(([, pod]) => pod),
        pods as Resource,
      )
    }
    const cpuBefore = await readCpuMs(operator.pid)
    const names = Array.from({ length: atOnce }, newName)
    const crowd = (await Promise.all(names.map((name) => start(cluster, name, false)))).filter((ms) => !Number.isNaN(ms))
    const left = await remove(names, challengeInstances)
    const cpuMs = (await readCpuMs(operator.pid)) - cpuBefore
    const row = (name: string, share: number, max: number) => {
      const [ours, limit] = [quantile(times.ours, share), quantile(times.limit, share)]
      return ratioAtMost(`instance start, ${name}`, { ours, limit, ratio: ours / limit, added: ours - limit }, max, milliseconds)
    }
    return {
      rows: [
        row('p50', 0.5, maxRatio.p50),
        row('p99', 0.99, maxRatio.p99),
        atLeast('100 instances at once, Ready', crowd.length, atOnce, count),
        atMost('100 instances at once, operator CPU each', cpuMs / atOnce, maxCpuMs, milliseconds),
        atMost('100 instances at once, objects after deletion', left.length, 0, count),
      ],
      notes: [
        `instances: 100 at once: half Ready after ${milliseconds(median(crowd))}, all after ${milliseconds(quantile(crowd, 1))}; operator memory at most ${megabytes(await readPeakMemory(operator.pid))}, including the kubeconfig library, which a pod does not load.`,
      ],
      faults: left.length === 0 ? [] : [`instances: not deleted: ${left.slice(0, 10).join(', ')}`],
    }
  },
}
