import { readFile } from 'node:fs/promises'
import { sum } from './statistics.ts'

/** Unit in which Linux counts CPU time, in ms. */
const msPerTick = 10

/**
 * Returns four CPU times in ms: the user time and the system time of the process, then the user time and the system
 * time of its ended children.
 */
async function readTimes(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return [Number.NaN]
  // Skip the process name, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).map((ticks) => Number(ticks) * msPerTick)
}

/**
 * Returns the CPU time of a process and all its children, including ended children, in ms.
 * @returns NaN without /proc
 */
export async function readCpuMs(pid: number): Promise<number> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const pids = list.split(' ').filter(Boolean).map(Number)
  const children = await Promise.all(pids.map(readTimes))
  // Ignore a child that ended after the list was read.
  return sum(await readTimes(pid)) + sum(children.flat().filter((ms) => !Number.isNaN(ms)))
}

/** Returns the total CPU time of a process's ended children, in ms. */
export async function readEndedCpuMs(pid: number): Promise<number> {
  return sum((await readTimes(pid)).slice(2))
}

/**
 * Returns the peak memory (`VmHWM`) or the current memory without mapped files (`RssAnon`), in bytes.
 * @returns NaN without /proc
 */
export async function readMemory(pid: number, kind: 'VmHWM' | 'RssAnon'): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024
}
