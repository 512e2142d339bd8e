import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import { runAttemptProgram } from './kernel.ts'
import type { ProbeTask } from './task.ts'

/** Amount that an attempt tries to use, as a multiple of the limit. */
const excessFactor = 2

/** Duration of the load on the processor, in ms. */
const busyMs = 2000

/** Maximum time to wait until the kubelet evicts the pod, in ms. The kubelet measures the storage of pods every 10 seconds. */
const evictionWaitMs = 40_000

const endlessLoop = 'for (;;) {}'

/** Runs more busy threads than the processor limit allows, and measures their processor time. */
async function useProcessor({ cpuTenths }: ProbeTask['limits']): Promise<string> {
  const allowed = cpuTenths / 10
  const threads = Array.from({ length: Math.ceil(allowed) + 1 }, () => new Worker(endlessLoop, { eval: true }))
  await Promise.all(threads.map((thread) => new Promise((resolve) => thread.once('online', resolve))))
  const before = process.cpuUsage()
  const startedAtMs = performance.now()
  await pause(busyMs)
  const { user, system } = process.cpuUsage(before)
  const cores = (user + system) / 1000 / (performance.now() - startedAtMs)
  await Promise.all(threads.map((thread) => thread.terminate()))
  // Tolerate a slightly higher use. The limit applies to periods of 100 ms, and the measurement may include a part of one more
  // period.
  if (cores > allowed * 1.5 + 0.03) return `got ${cores.toFixed(2)} cores, ${allowed} are allowed`
  if (cores < allowed / 4) throw new Skipped(`the machine was too busy to measure: ${cores.toFixed(2)} cores`)
  throw new Blocked(`got ${cores.toFixed(2)} cores, ${allowed} are allowed`)
}

export function listCpuLimitAttempts(task: ProbeTask): Attempt[] {
  return [{ title: 'use more CPU than allowed', control: 'processor limit', run: () => useProcessor(task.limits) }]
}

/** Allocates memory until the container exceeds its limit or is killed. */
async function useMemory(memoryMb: number): Promise<string> {
  const blocks: Buffer[] = []
  for (let allocatedMb = 0; allocatedMb < memoryMb * excessFactor; allocatedMb += 8) {
    blocks.push(Buffer.alloc(8 * 1024 * 1024, 1))
    await pause(1)
  }
  return `allocated ${blocks.length * 8} MB, ${memoryMb} are allowed`
}

/** Writes more than the storage limit to the disk, and waits for the kubelet to evict the pod. */
async function fillDisk(storageMb: number): Promise<string> {
  const megabyte = Buffer.alloc(1024 * 1024, 1)
  for (let written = 0; written < storageMb * excessFactor; written++)
    await writeFile('/tmp/isolation-probe-fill', megabyte, { flag: 'a' })
  await pause(evictionWaitMs)
  return `stored ${storageMb * excessFactor} MB for ${evictionWaitMs / 1000} s, ${storageMb} are allowed`
}

/**
 * Attempts to exhaust a resource. Each attempt runs in a separate pod, because Kubernetes may end the pod. An attempt whose pod was
 * ended counts as blocked.
 */
export const exhaustingAttempts = {
  memory: ({ limits }: ProbeTask): Attempt => ({
    title: 'use more memory than allowed',
    control: 'memory limit',
    run: () => useMemory(limits.memoryMb),
  }),
  disk: ({ limits }: ProbeTask): Attempt => ({
    title: 'fill the node’s disk',
    control: 'storage limit',
    run: () => fillDisk(limits.storageMb),
  }),
  processes: ({ limits }: ProbeTask): Attempt => ({
    title: `start ${limits.processes} processes`,
    control: 'process limit',
    run: () => runAttemptProgram('attempt', 'processes', String(limits.processes)),
  }),
}
