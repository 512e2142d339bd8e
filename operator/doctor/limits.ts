import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import { attemptBy } from './kernel.ts'
import type { Orders } from './orders.ts'

/** How much more than allowed is tried. */
const excess = 2

/** How long the processor is kept busy, in milliseconds. */
const busyMs = 2000

/** How long kubelet has to notice a full disk, in milliseconds. Its round is 10 seconds, and an eviction takes a moment. */
const evictionMs = 40_000

const endless = 'for (;;) {}'

/** Keeps more threads busy than the limit feeds, and measures what they got. */
async function burn({ cpuTenths }: Orders['limits']): Promise<string> {
  const allowed = cpuTenths / 10
  const threads = Array.from({ length: Math.ceil(allowed) + 1 }, () => new Worker(endless, { eval: true }))
  await Promise.all(threads.map((thread) => new Promise((resolve) => thread.once('online', resolve))))
  const before = process.cpuUsage()
  const startedAtMs = performance.now()
  await pause(busyMs)
  const { user, system } = process.cpuUsage(before)
  const cores = (user + system) / 1000 / (performance.now() - startedAtMs)
  await Promise.all(threads.map((thread) => thread.terminate()))
  // A period of 100 ms may be spent at either end.
  if (cores > allowed * 1.5 + 0.1) return `got ${cores.toFixed(2)} cores, ${allowed} are allowed`
  if (cores < allowed / 4) throw new Skipped(`the machine was too busy to tell: ${cores.toFixed(2)} cores`)
  throw new Blocked(`got ${cores.toFixed(2)} cores, ${allowed} are allowed`)
}

export const processorAttempts = (orders: Orders): Attempt[] => [
  { title: 'use more processor than allowed', control: 'processor limit', run: () => burn(orders.limits) },
]

/** Takes memory until it has more than allowed, or is killed. */
async function hoard(memoryMb: number): Promise<string> {
  const kept: Buffer[] = []
  for (let heldMb = 0; heldMb < memoryMb * excess; heldMb += 8) {
    kept.push(Buffer.alloc(8 * 1024 * 1024, 1))
    await pause(1)
  }
  return `held ${kept.length * 8} MB, ${memoryMb} are allowed`
}

/** Writes more than allowed, and waits for the one who throws out such pods. */
async function fill(storageMb: number): Promise<string> {
  const megabyte = Buffer.alloc(1024 * 1024, 1)
  for (let written = 0; written < storageMb * excess; written++) await writeFile('/tmp/doctor-fill', megabyte, { flag: 'a' })
  await pause(evictionMs)
  return `kept ${storageMb * excess} MB for ${evictionMs / 1000} s, ${storageMb} are allowed`
}

/** Attempts that may cost the pod its life. Each has a pod of its own, and its death is the refusal. */
export const fatalAttempt = {
  memory: ({ limits }: Orders): Attempt => ({
    title: 'use more memory than allowed',
    control: 'memory limit',
    run: () => hoard(limits.memoryMb),
  }),
  disk: ({ limits }: Orders): Attempt => ({
    title: 'fill the node’s disk',
    control: 'storage limit',
    run: () => fill(limits.storageMb),
  }),
  processes: ({ limits }: Orders): Attempt => ({
    title: `start ${limits.processes} processes`,
    control: 'process limit',
    run: () => attemptBy('attempt', 'processes', String(limits.processes)),
  }),
}
