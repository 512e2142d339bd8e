import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { ResourceAmount } from '../runtime.ts'

/** Unit of CPU time, in ms. Linux reports CPU time in hundredths of a second, regardless of the kernel's internal unit. */
const tickMs = 10
const windowMs = 500

/** Returns the CPU time that all threads have used so far. @throws if the process or `/proc` does not exist */
async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/**
 * Returns the memory that a process uses, in bytes.
 * @throws if the process has ended, even if its pid still exists, or if this system has no `/proc`
 */
async function readMemoryBytes(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error('The process has no memory usage')
  return Number(kilobytes) * 1024
}

/** Measures one process for half a second. @returns undefined if the process has ended, or if this system is not Linux */
export async function measureProcessUsage(pid: number): Promise<ResourceAmount | undefined> {
  try {
    const [startMs, startCpuMs] = [performance.now(), await readCpuMs(pid)]
    await wait(windowMs)
    const [memoryBytes, cpuMs] = [await readMemoryBytes(pid), (await readCpuMs(pid)) - startCpuMs]
    return { cpuMillicores: Math.round((cpuMs / (performance.now() - startMs)) * 1_000), memoryBytes }
  } catch {
    return undefined
  }
}
