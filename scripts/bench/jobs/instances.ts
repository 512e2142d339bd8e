import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { networkPolicies, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import type { Resource } from '@capstan/kubernetes/types'
import { echoImage } from '@capstan/operator/testing/cluster'
import type { Job } from '../bench.ts'
import { readCpuMs, readPeakMemory } from '../process-usage.ts'
import { megabytes, milliseconds, skipped } from '../report.ts'
import { quantile } from '../statistics.ts'
import { type BenchCluster, createInstance, echoPort, isReady, useCluster } from './cluster.ts'

const starts = 16
const startsPerBatch = 8
const mostAtP50 = 1.2
const mostAtP99 = 1.5
const atOnce = 100
const warmUpInstances = 10
const mostCpuMs = 15
const allReadyMs = 120_000

function reasonToSkip(): string | undefined {
  return process.env.KUBECONFIG ? undefined : 'there is no cluster to measure on (KUBECONFIG is not set)'
}

/** What somebody would start by hand: the same image, limits and probe, and nothing else. */
function createBarePod({ test }: BenchCluster, name: string) {
  return test.client.create(pods, test.namespace, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: test.namespace },
    spec: {
      terminationGracePeriodSeconds: 2,
      containers: [
        {
          name: 'challenge',
          image: echoImage,
          imagePullPolicy: 'IfNotPresent',
          ports: [{ containerPort: echoPort }],
          resources: {
            requests: { cpu: '10m', memory: '2Mi', 'ephemeral-storage': '7Mi' },
            limits: { cpu: '1', memory: '128Mi', 'ephemeral-storage': '64Mi' },
          },
          readinessProbe: { tcpSocket: { port: echoPort }, periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 3 },
        },
      ],
    },
  })
}

function newName() {
  return `ci-bench-${randomBytes(5).toString('hex')}`
}

/** @returns ms from before the create request until the watch told that it is Ready */
async function timeInstance(cluster: BenchCluster, name: string): Promise<number> {
  const startedAtMs = performance.now()
  const ready = cluster.instances.until(name, 'Ready', isReady)
  ready.catch(() => undefined)
  await createInstance(cluster, name)
  return (await ready) - startedAtMs
}

async function timeBarePod(cluster: BenchCluster, name: string): Promise<number> {
  const startedAtMs = performance.now()
  const ready = cluster.pods.until(name, 'Ready', isReady)
  ready.catch(() => undefined)
  await createBarePod(cluster, name)
  return (await ready) - startedAtMs
}

/** Starts some of both by turns; only then are they deleted and waited for, so that no start shares the node with an end. */
async function timeBatch(cluster: BenchCluster, count: number) {
  const times = { oursMs: [] as number[], limitMs: [] as number[] }
  const names = Array.from({ length: count }, () => ({ instance: newName(), pod: newName() }))
  for (const { instance, pod } of names) {
    times.oursMs.push(await timeInstance(cluster, instance))
    times.limitMs.push(await timeBarePod(cluster, pod))
  }
  await Promise.all(
    names.flatMap(({ instance, pod }) => [
      cluster.test.remove(challengeInstances, instance),
      cluster.test.remove(pods as Resource, pod),
    ]),
  )
  const all = names.flatMap(({ instance, pod }) => [instance, pod])
  await Promise.all(all.map((name) => cluster.pods.until(name, 'gone', (pod) => pod === undefined)))
  return times
}

/** Starting an instance beside starting a bare pod. */
export const instanceStartJob: Job = {
  name: 'instance-start',
  about: 'a ChallengeInstance from create to Ready, beside a bare pod of the same image',
  shareSeconds: 48,
  async run(bench) {
    const reason = reasonToSkip()
    if (reason) return skipped('instance-start', reason)
    const cluster = await useCluster(bench)
    await timeBatch(cluster, 2)
    const oursMs: number[] = []
    const limitMs: number[] = []
    while (oursMs.length < starts) {
      const batch = await timeBatch(cluster, startsPerBatch)
      oursMs.push(...batch.oursMs)
      limitMs.push(...batch.limitMs)
    }
    const row = (name: string, share: number, most: number) => {
      const [ours, limit] = [quantile(oursMs, share), quantile(limitMs, share)]
      const ratio = ours / limit
      return {
        job: `instance-start, ${name}`,
        ours: milliseconds(ours),
        limit: milliseconds(limit),
        ratio,
        bar: `<= ${most}`,
        isMet: ratio <= most,
      }
    }
    return {
      rows: [row('p50', 0.5, mostAtP50), row('p99', 0.99, mostAtP99)],
      notes: [
        `instance-start: ${starts} each by turns, image present, the bare pod with the same limits and readiness probe; ratio of the quantiles.`,
      ],
    }
  },
}

/** Everything of the namespace that an instance brings; what Kubernetes itself puts there is not counted. */
async function listLeft({ test }: BenchCluster): Promise<string[]> {
  const kinds = [challengeInstances, pods, services, networkPolicies, secrets] as Resource[]
  const lists = await Promise.all(kinds.map((kind) => test.list(kind)))
  return lists.flatMap((objects, index) => objects.map(({ metadata }) => `${kinds[index]?.kind} ${metadata.name}`))
}

async function waitUntilNothingIsLeft(cluster: BenchCluster, timeoutMs: number): Promise<string[]> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const left = await listLeft(cluster)
    if (left.length === 0 || performance.now() > deadlineMs) return left
    await delay(250)
  }
}

/** Creates instances at once and waits until they are Ready or it takes too long. @returns how long each took, in ms */
async function startAtOnce(cluster: BenchCluster, names: readonly string[]): Promise<number[]> {
  const startedAtMs = performance.now()
  const settled = Promise.allSettled(names.map((name) => cluster.instances.until(name, 'Ready', isReady, allReadyMs)))
  await Promise.all(names.map((name) => createInstance(cluster, name)))
  return (await settled).flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value - startedAtMs] : []))
}

/** @returns what is still there after a minute */
async function deleteAtOnce(cluster: BenchCluster, names: readonly string[]): Promise<string[]> {
  await Promise.all(names.map((name) => cluster.test.remove(challengeInstances, name)))
  return waitUntilNothingIsLeft(cluster, 60_000)
}

/** A hundred instances created at once. */
export const instancesAtOnceJob: Job = {
  name: 'instances-100',
  about: 'a hundred ChallengeInstances created at once: all Ready, CPU of the operator, nothing left after deletion',
  shareSeconds: 90,
  async run(bench) {
    const reason = reasonToSkip()
    if (reason) return skipped('instances-100', reason)
    const cluster = await useCluster(bench)
    // An operator that has just been started still compiles its code.
    const warmUp = Array.from({ length: warmUpInstances }, newName)
    await startAtOnce(cluster, warmUp)
    await deleteAtOnce(cluster, warmUp)

    const names = Array.from({ length: atOnce }, newName)
    const requestsBefore = await cluster.countRequests()
    const cpuBefore = await readCpuMs(cluster.operatorPid)
    const ready = await startAtOnce(cluster, names)
    const cpuReady = await readCpuMs(cluster.operatorPid)
    const deletedAtMs = performance.now()
    const left = await deleteAtOnce(cluster, names)
    const goneAfterMs = performance.now() - deletedAtMs
    const requests = (await cluster.countRequests()) - requestsBefore
    const cpuGone = await readCpuMs(cluster.operatorPid)
    const memory = await readPeakMemory(cluster.operatorPid)

    const cpuEachMs = cpuBefore === undefined || cpuGone === undefined ? undefined : (cpuGone - cpuBefore) / atOnce
    const startEachMs = cpuBefore === undefined || cpuReady === undefined ? undefined : (cpuReady - cpuBefore) / atOnce
    return {
      rows: [
        { job: 'instances-100, Ready', ours: `${ready.length} of ${atOnce}`, bar: `= ${atOnce}`, isMet: ready.length === atOnce },
        {
          job: 'instances-100, operator CPU each',
          ours: cpuEachMs === undefined ? 'skipped: this system has no /proc' : milliseconds(cpuEachMs),
          bar: `<= ${mostCpuMs} ms`,
          ...(cpuEachMs !== undefined && { isMet: cpuEachMs <= mostCpuMs }),
        },
        { job: 'instances-100, left after deletion', ours: String(left.length), bar: '= 0', isMet: left.length === 0 },
      ],
      notes: [
        `instances-100: half Ready after ${milliseconds(quantile(ready, 0.5))}, all after ${milliseconds(quantile(ready, 1))}; nothing left ${milliseconds(goneAfterMs)} after deletion. CPU from create to gone; ${startEachMs === undefined ? 'not measured' : milliseconds(startEachMs)} of it until Ready; ${(requests / atOnce).toFixed(1)} requests to the API server each.${memory === undefined ? '' : ` Operator memory at most ${megabytes(memory)}, the kubeconfig library included, which a pod does not load.`}`,
      ],
      faults: left.length === 0 ? [] : [`instances-100: left behind: ${left.slice(0, 10).join(', ')}`],
    }
  },
}
