import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { drainedAnnotation } from '@capstan/challenge-instance/labels'
import type { Job } from '../bench.ts'
import { milliseconds, ratioAtMost, skipped } from '../report.ts'
import { median, quantile } from '../statistics.ts'
import { type BenchCluster, createInstance, isReady, useCluster } from './cluster.ts'

const pairs = 8
const atOnce = 20
const maxRatio = 1.3
/** Interval at which the kubelet looks at its containers. */
const kubeletRoundMs = 1000
const pauseStepMs = 370

const capture = { enabled: true, maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 }

function newName() {
  return `ci-bench-${randomBytes(5).toString('hex')}`
}

/** Starts one instance. @returns ms from before the create request until a watch reported Ready */
async function timeStart(cluster: BenchCluster, name: string, isRecorded: boolean): Promise<number> {
  const startedAtMs = performance.now()
  const ready = cluster.instances.until(name, 'Ready', isReady)
  ready.catch(() => undefined)
  await createInstance(cluster, name, isRecorded ? { capture } : {})
  return (await ready) - startedAtMs
}

/** Deletes the instances like a collector that has fetched every recording, and waits until their pods are gone. */
async function removeAll({ test, pods }: BenchCluster, names: readonly string[]): Promise<void> {
  const patch = [{ op: 'add' as const, path: '/metadata/annotations', value: { [drainedAnnotation]: new Date().toISOString() } }]
  await Promise.all(
    names.map(async (name) => {
      await test.client.patchJson(challengeInstances, test.namespace, name, patch)
      await test.remove(challengeInstances, name)
      await pods.until(name, 'gone', (pod) => pod === undefined)
    }),
  )
}

interface Times {
  recordedMs: number[]
  plainMs: number[]
}

/**
 * Starts pairs one after another, the recorded instance first in every second pair. The pauses differ, because the kubelet looks at its
 * containers once a second and players start instances at any moment.
 */
async function timePairs(cluster: BenchCluster, count: number): Promise<Times> {
  const times: Times = { recordedMs: [], plainMs: [] }
  const names: string[] = []
  for (let pair = 0; pair < count; pair += 1) {
    for (const isRecorded of pair % 2 === 0 ? [true, false] : [false, true]) {
      const name = newName()
      names.push(name)
      await delay((names.length * pauseStepMs) % kubeletRoundMs)
      times[isRecorded ? 'recordedMs' : 'plainMs'].push(await timeStart(cluster, name, isRecorded))
    }
  }
  await removeAll(cluster, names)
  return times
}

/** Starts many at once. @returns ms until each was Ready */
async function timeAtOnce(cluster: BenchCluster, isRecorded: boolean): Promise<number[]> {
  const names = Array.from({ length: atOnce }, newName)
  const times = await Promise.all(names.map((name) => timeStart(cluster, name, isRecorded)))
  await removeAll(cluster, names)
  return times
}

/** Starting an instance that is recorded beside starting one that is not. */
export const recorderStartJob: Job = {
  name: 'recorder-start',
  about: 'a recorded ChallengeInstance from create to Ready, beside one without a recorder',
  shareSeconds: 44,
  bars: {
    'recorded start, one by one': ratioAtMost(maxRatio, milliseconds),
    'recorded start, 20 at once': ratioAtMost(maxRatio, milliseconds),
  },
  async run(bench) {
    if (!process.env.KUBECONFIG) return skipped('recorder-start', 'there is no cluster to measure on (KUBECONFIG is not set)')
    const cluster = await useCluster(bench)
    await timePairs(cluster, 1)
    const single = await timePairs(cluster, pairs)
    const together: Times = { plainMs: await timeAtOnce(cluster, false), recordedMs: await timeAtOnce(cluster, true) }
    const describe = ({ recordedMs, plainMs }: Times) =>
      `${milliseconds(quantile(recordedMs, 0.9))} and ${milliseconds(quantile(plainMs, 0.9))}`
    return {
      figures: {
        'recorded start, one by one': { value: median(single.recordedMs), limit: median(single.plainMs) },
        'recorded start, 20 at once': { value: median(together.recordedMs), limit: median(together.plainMs) },
      },
      notes: [
        `recorder-start: medians of ${pairs} pairs by turns and of ${atOnce} at once; the 90th percentiles with and without a recorder are ${describe(single)}, at once ${describe(together)}.`,
      ],
    }
  },
}
