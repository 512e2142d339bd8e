import { readFile } from 'node:fs/promises'

/** Linux counts CPU time in hundredths of a second. */
const msPerTick = 10

/** Returns the fields of /proc/PID/stat after the name, which may contain spaces. */
const readFields = async (pid: number): Promise<string[]> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

const ticksMs = (fields: readonly string[], places: readonly number[]): number =>
  places.reduce((total, place) => total + Number(fields[place]), 0) * msPerTick

const familyOf = async (pid: number): Promise<number[]> => {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return [pid, ...list.split(' ').filter(Boolean).map(Number)]
}

/** Returns the CPU time of a process and its running and ended children, in ms. @returns NaN without /proc */
export const readCpuMs = async (pid: number): Promise<number> => {
  const [parent = Number.NaN, ...children] = await Promise.all(
    (await familyOf(pid)).map(async (member) => ticksMs(await readFields(member), [11, 12, 13, 14])),
  )
  // A child may have ended since it was listed.
  return children.reduce((total, ms) => total + (Number.isNaN(ms) ? 0 : ms), parent)
}

/** Returns the CPU time of ended children of a process, in ms. @returns NaN without /proc */
export const readEndedCpuMs = async (pid: number): Promise<number> => ticksMs(await readFields(pid), [13, 14])

export const readParent = async (pid: number): Promise<number> => Number((await readFields(pid))[1])

const readKilobytes = async (file: string, name: string): Promise<number> => {
  const text = await readFile(file, 'utf8').catch(() => '')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024
}

/** Returns the maximum memory of a process so far (RSS), in bytes. @returns NaN without /proc */
export const readPeakMemory = (pid: number): Promise<number> => readKilobytes(`/proc/${pid}/status`, 'VmHWM')

/** Returns the memory of a process and its children (PSS), in bytes. Shared memory counts once. @returns NaN without /proc */
export const readMemory = async (pid: number): Promise<number> => {
  const sizes = await Promise.all((await familyOf(pid)).map((member) => readKilobytes(`/proc/${member}/smaps_rollup`, 'Pss')))
  return sizes.reduce((total, size) => total + size, 0)
}
