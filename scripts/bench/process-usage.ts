import { readFile } from 'node:fs/promises'

/** Linux counts CPU time in hundredths of a second, whatever its own clock. */
const ticksPerSecond = 100

/** Fields of /proc/PID/stat from the state on. Undefined where /proc is missing or the process has ended. */
async function readFields(pid: number): Promise<string[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name, in brackets, may hold spaces; what follows is counted from after it.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

function sumTicksMs(fields: readonly string[] | undefined, places: readonly number[]): number | undefined {
  const ticks = places.reduce((sum, place) => sum + Number(fields?.[place]), 0)
  return Number.isNaN(ticks) ? undefined : (ticks / ticksPerSecond) * 1000
}

/** CPU time of a process so far, in ms, user and system. Undefined where /proc is missing or the process has ended. */
export async function readCpuMs(pid: number): Promise<number | undefined> {
  return sumTicksMs(await readFields(pid), [11, 12])
}

/** A process and its children. */
async function familyOf(pid: number): Promise<number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return [pid, ...list.split(' ').filter(Boolean).map(Number)]
}

/** The same of a process and its children, those that have ended included. */
export async function readFamilyCpuMs(pid: number): Promise<number | undefined> {
  const family = await familyOf(pid)
  const times = await Promise.all(family.map(async (member) => sumTicksMs(await readFields(member), [11, 12, 13, 14])))
  return times[0] === undefined ? undefined : times.reduce<number>((sum, time) => sum + (time ?? 0), 0)
}

/** Undefined where /proc is missing or the process has ended. */
export async function readParent(pid: number): Promise<number | undefined> {
  const parent = (await readFields(pid))?.[1]
  return parent === undefined ? undefined : Number(parent)
}

/** Memory that a process holds now, what it shares with others counted by its share (PSS), in bytes. Undefined where /proc is missing. */
async function readMemory(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => undefined)
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(text ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** Most memory that a process has held so far (RSS), in bytes. Undefined where /proc is missing or the process has ended. */
export async function readPeakMemory(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined)
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(text ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

async function withCounted<Result>(
  read: () => Promise<number>,
  work: () => Promise<Result>,
): Promise<Result & { cpuMs: number }> {
  const before = await read()
  const result = await work()
  return { ...result, cpuMs: (await read()) - before }
}

/** Runs `work` and tells how much CPU time the process took meanwhile, in ms. */
export function withCpu<Result>(pid: number, work: () => Promise<Result>): Promise<Result & { cpuMs: number }> {
  return withCounted(async () => (await readCpuMs(pid)) ?? Number.NaN, work)
}

/** Memory that a process and its children hold now, in bytes: what they share is counted once. */
export async function readFamilyMemory(pid: number): Promise<number> {
  const sizes = await Promise.all((await familyOf(pid)).map(readMemory))
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
}

/** CPU time so far, in ms, of what a process has started and what has ended. NaN without /proc. */
export async function readEndedCpuMs(pid: number): Promise<number> {
  return sumTicksMs(await readFields(pid), [13, 14]) ?? Number.NaN
}

/** Runs `work` and tells how much CPU time the processes and their children took meanwhile, in ms. */
export function withTreeCpu<Result>(pids: readonly number[], work: () => Promise<Result>): Promise<Result & { cpuMs: number }> {
  return withCounted(async () => {
    const times = await Promise.all(pids.map(readFamilyCpuMs))
    return times.reduce<number>((sum, ms) => sum + (ms ?? Number.NaN), 0)
  }, work)
}
