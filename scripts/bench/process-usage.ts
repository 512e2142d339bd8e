import { readFile } from 'node:fs/promises'

/** Linux counts CPU time in hundredths of a second, whatever its own clock. */
const ticksPerSecond = 100

/** CPU time of a process so far, in ms, user and system. Undefined where /proc is missing or the process has ended. */
export const readCpuMs = async (pid: number): Promise<number | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name, in brackets, may hold spaces; what follows is counted from after it.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields?.[11]) + Number(fields?.[12])
  return Number.isNaN(ticks) ? undefined : (ticks / ticksPerSecond) * 1000
}

/** Most memory that a process has held so far (RSS), in bytes. Undefined where /proc is missing or the process has ended. */
export const readPeakMemory = async (pid: number): Promise<number | undefined> => {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined)
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(text ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** Runs `work` and tells how much CPU time the process took meanwhile, in ms. */
export const withCpu = async <Result>(pid: number, work: () => Promise<Result>): Promise<Result & { cpuMs: number }> => {
  const before = await readCpuMs(pid)
  const result = await work()
  return { ...result, cpuMs: ((await readCpuMs(pid)) ?? Number.NaN) - (before ?? Number.NaN) }
}
