import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { drainedAnnotation } from '@capstan/challenge-instance/labels'
import { networkPolicies, type Pod, pods, secrets, services } from '@capstan/kubernetes/built-in-kinds'
import type { Resource } from '@capstan/kubernetes/types'
import { captureImage, createTestCluster, echoImage, eventually } from '@capstan/operator/testing/cluster'
import type { Bench } from './bench.ts'

const port = 1337

/** Object to start: an instance with or without a recorder, or a plain pod with the same image, limits and probe. */
export type Subject = 'instance' | 'recorded instance' | 'bare pod'

const kinds = [challengeInstances, pods, services, networkPolicies, secrets] as Resource[]
const capture = { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 }

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
  const spec = { terminationGracePeriodSeconds: 2, containers: [challenge] }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec }
}

function isReady({ status }: Pod | ChallengeInstance): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
}

/**
 * Opens a namespace on the cluster of KUBECONFIG, and runs an operator with the Node options of its image.
 * @returns undefined without KUBECONFIG
 */
export async function openCluster(bench: Bench) {
  if (!process.env.KUBECONFIG) return undefined
  const cluster = await createTestCluster()
  const { client, namespace } = cluster
  bench.stopAtEnd({ stop: cluster.close })
  const operator = await bench.startPart('operator', {
    CAPSTAN_INSTANCE_NAMESPACE: namespace,
    CAPSTAN_PLATFORM_NAMESPACE: namespace,
    // With these limits, 100 instances fit on a small node.
    CAPSTAN_CPU_REQUEST_PERCENT: '1',
    CAPSTAN_MEMORY_REQUEST_PERCENT: '1',
    CAPSTAN_CAPTURE_IMAGE: captureImage,
    POD_NAME: 'bench',
  })

  const create = async (subject: Subject, name: string): Promise<unknown> => {
    if (subject === 'bare pod') return client.create(pods, namespace, barePod(name, namespace))
    const resources = { cpuTenths: 10, memoryMb: 128, storageMb: 64, pids: 64 }
    const spec = { image: echoImage, port, resources, ...(subject === 'recorded instance' && { capture }) }
    return cluster.create(spec, { name, flag: 'flag{not-a-secret}' })
  }

  return {
    operatorPid: operator.pid,
    /** Starts subjects concurrently and waits until all are Ready. @returns the start time of each, in ms */
    async start(subject: Subject, count = 1): Promise<number[]> {
      const names = new Set(Array.from({ length: count }, () => `ci-bench-${randomBytes(5).toString('hex')}`))
      const startedAtMs = performance.now()
      const times: number[] = []
      await Promise.all([...names].map((name) => create(subject, name)))
      await eventually(`${count} of "${subject}" are Ready`, async () => {
        const objects = await cluster.list<Pod | ChallengeInstance>(subject === 'bare pod' ? pods : challengeInstances)
        for (const object of objects)
          if (isReady(object) && names.delete(object.metadata.name)) times.push(performance.now() - startedAtMs)
        return names.size === 0 ? true : undefined
      })
      return times
    },
    /** Deletes all instances and pods, and waits until all their objects are deleted. */
    async removeAll(): Promise<void> {
      // Confirm the end of recording like a collector that has fetched everything. Otherwise a recorded instance waits for its
      // collector.
      const value = { [drainedAnnotation]: new Date().toISOString() }
      const patch = [{ op: 'add' as const, path: '/metadata/annotations', value }]
      for (const { metadata } of await cluster.list(challengeInstances)) {
        await client.patchJson(challengeInstances, namespace, metadata.name, patch)
        await cluster.remove(challengeInstances, metadata.name)
      }
      const barePods = (await cluster.list(pods)).filter(({ metadata }) => metadata.ownerReferences === undefined)
      for (const { metadata } of barePods) await cluster.remove(pods as Resource, metadata.name)
      await eventually('nothing of the instances remains', async () => {
        const left = await Promise.all(kinds.map((kind) => cluster.list(kind)))
        return left.flat().length === 0 ? true : undefined
      })
    },
  }
}
