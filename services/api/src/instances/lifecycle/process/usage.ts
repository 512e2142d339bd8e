import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { MeasuredUsage } from '../runtime.ts'

/** Linux tells CPU time in hundredths of a second, whatever the kernel counts in. */
const tickMs = 10
/** CPU is what was used of so long. */
const windowMs = 500

/** CPU time so far, of all threads. @throws where there is no such process, or no `/proc` */
async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name in brackets, which may hold anything; user and system time are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** @throws as `readCpuMs`, and for a process that has ended and still has a number */
async function readMemoryBytes(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error('The process has no memory')
  return Number(kilobytes) * 1024
}

/** Looks at one process for half a second. @returns undefined: it ended, or this system does not tell (only Linux does) */
export async function measureProcess(pid: number): Promise<MeasuredUsage | undefined> {
  try {
    const [startMs, startCpuMs] = [performance.now(), await readCpuMs(pid)]
    await wait(windowMs)
    const [memoryBytes, cpuMs] = [await readMemoryBytes(pid), (await readCpuMs(pid)) - startCpuMs]
    return { cpuMillicores: Math.round((cpuMs / (performance.now() - startMs)) * 1_000), memoryBytes }
  } catch {
    return undefined
  }
}
