import { readdir, readFile } from 'node:fs/promises'

/** Linux counts CPU time in hundredths of a second, whatever its own clock. */
const ticksPerSecond = 100

interface ProcessStat {
  readonly pid: number
  readonly parent: number
  readonly ownTicks: number
  /** Of processes that it has started and that have ended. */
  readonly endedTicks: number
}

const readStat = async (pid: number): Promise<ProcessStat | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // The name, in brackets, may hold spaces; what follows is counted from after it.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = (first: number) => (fields[first] ?? Number.NaN) + (fields[first + 1] ?? Number.NaN)
  return { pid, parent: fields[1] ?? 0, ownTicks: ticks(11), endedTicks: ticks(13) }
}

/** CPU time of a process so far, in ms, user and system. Undefined where /proc is missing or the process has ended. */
export const readCpuMs = async (pid: number): Promise<number | undefined> => {
  const ticks = (await readStat(pid))?.ownTicks
  return ticks === undefined ? undefined : (ticks / ticksPerSecond) * 1000
}

/** CPU time so far of processes and all that they have started, those that have ended among them, in ms. NaN without /proc. */
export const readTreeCpuMs = async (roots: readonly number[]): Promise<number> => {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0)
  const all = (await Promise.all(pids.map(readStat))).filter((stat) => stat !== undefined)
  const byPid = new Map(all.map((stat) => [stat.pid, stat]))
  const isOfTree = ({ pid, parent }: ProcessStat): boolean => {
    if (roots.includes(pid)) return true
    const above = byPid.get(parent)
    return above !== undefined && isOfTree(above)
  }
  if (!roots.every((pid) => byPid.has(pid))) return Number.NaN
  const ticks = all.filter(isOfTree).reduce((sum, { ownTicks, endedTicks }) => sum + ownTicks + endedTicks, 0)
  return (ticks / ticksPerSecond) * 1000
}

/** CPU time so far, in ms, of what a process has started and what has ended. NaN without /proc. */
export const readEndedCpuMs = async (pid: number): Promise<number> =>
  (((await readStat(pid))?.endedTicks ?? Number.NaN) / ticksPerSecond) * 1000

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

/** Runs `work` and tells how much CPU time the processes and all that they started took meanwhile, in ms. */
export const withTreeCpu = async <Result>(
  pids: readonly number[],
  work: () => Promise<Result>,
): Promise<Result & { cpuMs: number }> => {
  const before = await readTreeCpuMs(pids)
  const result = await work()
  return { ...result, cpuMs: (await readTreeCpuMs(pids)) - before }
}
