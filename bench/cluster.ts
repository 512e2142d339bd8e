import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { drainedAnnotation } from '@capstan/challenge-instance/labels'
import { networkPolicies, type Pod, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import type { Resource } from '@capstan/kubernetes/types'
import { captureImage, createTestCluster, echoImage, waitForValue } from '@capstan/operator/testing/cluster'
import type { Bench } from './bench.ts'
import { measureAlternately, median } from './statistics.ts'

const port = 1337

/** Number of plain pods that the benchmark starts together. A plain pod belongs to no instance. */
const barePodsOf = { 'bare pod': 1, 'three bare pods': 3 } as const

/** Kind of start to measure: an instance with one or three containers, with or without a recorder, or plain pods. */
export type Subject = 'instance' | 'recorded instance' | 'instance of three' | keyof typeof barePodsOf

function isBare(subject: Subject): subject is keyof typeof barePodsOf {
  return Object.hasOwn(barePodsOf, subject)
}

const kinds = [challengeInstances, pods, services, networkPolicies, secrets] as Resource[]
const capture = { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 }

const container = { image: echoImage, resources: { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 } }
const further = { ...container, furtherPorts: [port], egress: 'None' as const, profile: 'Restricted' as const }

/** Instance with three containers: the page shares one network with the database, and another network with the bot. */
const three = {
  container: { name: 'page', networks: [{ name: 'front' }, { name: 'back' }] },
  containers: [
    { ...further, name: 'db', networks: [{ name: 'back' }] },
    { ...further, name: 'bot', networks: [{ name: 'front' }] },
  ],
}

function barePod(name: string, namespace: string) {
  const challenge = {
    name: 'challenge',
    image: echoImage,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ containerPort: port }],
    resources: {
      requests: { cpu: '10m', memory: '2Mi', 'ephemeral-storage': '7Mi' },
      limits: { cpu: '1', memory: '128Mi', 'ephemeral-storage': '64Mi' },
    },
    readinessProbe: { tcpSocket: { port }, periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 3 },
  }
  // Do not mount a token, because a token would delay the start. Pods of instances have no token either.
  const spec = { terminationGracePeriodSeconds: 2, automountServiceAccountToken: false, containers: [challenge] }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec }
}

function isReady({ status }: Pod | ChallengeInstance): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
}

/**
 * Opens a namespace on the cluster of KUBECONFIG, and runs an operator with the Node options of its image.
 * @returns undefined without KUBECONFIG
 */
export async function openBenchCluster(bench: Bench) {
  if (!process.env.KUBECONFIG) return undefined
  const cluster = await createTestCluster()
  const { client, namespace } = cluster
  bench.stopAtEnd({ stop: cluster.close })
  const operator = await bench.startPart('operator', {
    CAPSTAN_INSTANCE_NAMESPACE: namespace,
    CAPSTAN_PLATFORM_NAMESPACE: namespace,
    // These limits are low, so that 100 instances fit on a small node.
    CAPSTAN_CPU_REQUEST_PERCENT: '1',
    CAPSTAN_MEMORY_REQUEST_PERCENT: '1',
    CAPSTAN_CAPTURE_IMAGE: captureImage,
    POD_NAME: 'bench',
  })

  /** Returns the names of the objects that must be Ready before the start is complete. */
  const objectsOf = (subject: Subject, name: string): string[] =>
    isBare(subject) ? Array.from({ length: barePodsOf[subject] }, (_, index) => `${name}-${index}`) : [name]

  const create = async (subject: Subject, name: string): Promise<unknown> => {
    if (isBare(subject))
      return Promise.all(objectsOf(subject, name).map((pod) => client.create(pods, namespace, barePod(pod, namespace))))
    const spec = {
      ...container,
      port,
      ...(subject === 'recorded instance' && { capture }),
      ...(subject === 'instance of three' && three),
    }
    return cluster.create(spec, { name, flag: 'flag{not-a-secret}' })
  }

  const opened = {
    operatorPid: operator.pid,
    /**
     * Measures two kinds of start alternately. Deletes the objects only at the end, so that no deletion slows down a
     * start.
     * @returns the start times
     */
    async startPairs(pairs: number, ours: Subject, limit: Subject) {
      let starts = 0
      const startOne = (subject: Subject) => async () => {
        starts += 1
        // Begin each start at a different moment of a second, because the kubelet checks its containers once a second. Players also
        // start instances at different moments.
        await delay((starts * 370) % 1_000)
        return median(await opened.start(subject))
      }
      const times = await measureAlternately(pairs, startOne(ours), startOne(limit))
      await opened.removeAll()
      return times
    },
    /**
     * Creates `count` instances (or plain pods) concurrently, and waits until all of them are Ready.
     * @returns the start time of each, in ms
     */
    async start(subject: Subject, count = 1): Promise<number[]> {
      const names = Array.from({ length: count }, () => `ci-bench-${randomBytes(5).toString('hex')}`)
      const pendingNames = names.map((name) => new Set(objectsOf(subject, name)))
      const startedAtMs = performance.now()
      const times: number[] = []
      await Promise.all(names.map((name) => create(subject, name)))
      await waitForValue(`${count} of "${subject}" are Ready`, async () => {
        const objects = await cluster.list<Pod | ChallengeInstance>(isBare(subject) ? pods : challengeInstances)
        for (const { metadata } of objects.filter(isReady))
          for (const rest of pendingNames)
            if (rest.delete(metadata.name) && rest.size === 0) times.push(performance.now() - startedAtMs)
        return times.length === count ? true : undefined
      })
      return times
    },
    /** Deletes all instances and pods, and waits until all their objects are deleted. */
    async removeAll(): Promise<void> {
      // Set the annotation that a collector sets after it has fetched all recordings. Without this annotation, the deletion of a
      // recorded instance would wait for a collector.
      const value = { [drainedAnnotation]: new Date().toISOString() }
      const patch = [{ op: 'add' as const, path: '/metadata/annotations', value }]
      for (const { metadata } of await cluster.list(challengeInstances)) {
        await client.patchJson(challengeInstances, namespace, metadata.name, patch)
        await cluster.remove(challengeInstances, metadata.name)
      }
      const barePods = (await cluster.list(pods)).filter(({ metadata }) => metadata.ownerReferences === undefined)
      for (const { metadata } of barePods) await cluster.remove(pods as Resource, metadata.name)
      await waitForValue('nothing of the instances remains', async () => {
        const left = await Promise.all(kinds.map((kind) => cluster.list(kind)))
        return left.flat().length === 0 ? true : undefined
      })
    },
  }
  return opened
}
