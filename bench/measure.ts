import { type Load, sendLoad } from './load.ts'
import { median } from './statistics.ts'
import { createRowWithMaximum, fineMilliseconds, type Row } from './table.ts'
import { readCpuMs } from './usage.ts'

/** Server under load, and optionally its database. */
export type Target = Readonly<{
  port: number
  pid: number
  databasePid?: number
}>

/** CPU time per response in ms (NaN without /proc), and number of responses per second. */
type Measured = Readonly<{
  apiMs: number
  databaseMs: number
  cpuMs: number
  perSecond: number
}>

async function readCpu({ pid, databasePid }: Target): Promise<readonly [api: number, database: number]> {
  return [await readCpuMs(pid), databasePid === undefined ? 0 : await readCpuMs(databasePid)]
}

/** Measures the mean CPU time per response. `work` must cause `amount` responses. */
export async function measureCpuOfWork(target: Target, amount: number, work: () => Promise<unknown>): Promise<Measured> {
  const [apiBefore, databaseBefore] = await readCpu(target)
  const startedAtMs = performance.now()
  await work()
  const perSecond = (amount / (performance.now() - startedAtMs)) * 1000
  const [api, database] = await readCpu(target)
  const [apiMs, databaseMs] = [(api - apiBefore) / amount, (database - databaseBefore) / amount]
  return { apiMs, databaseMs, cpuMs: apiMs + databaseMs, perSecond }
}

export function measureCpuOfLoad(target: Target, order: Load): Promise<Measured> {
  return measureCpuOfWork(target, order.amount ?? order.requests.length, () => sendLoad(target, order))
}

export function toRatePerCpuSecond({ cpuMs }: Pick<Measured, 'cpuMs'>): number {
  return 1000 / cpuMs
}

/**
 * Returns the row of the report for the CPU time of one response.
 * @param maxMs highest permitted CPU time; if undefined, every CPU time is permitted
 */
export function createCpuRow(job: string, rounds: readonly Measured[], maxMs?: number): Row {
  const medianOf = (name: 'apiMs' | 'databaseMs' | 'cpuMs') => median(rounds.map((round) => round[name]))
  const cpu = `${medianOf('apiMs').toFixed(2)} + ${medianOf('databaseMs').toFixed(2)} ms`
  const cpuMs = medianOf('cpuMs')
  return maxMs === undefined
    ? { job, ours: fineMilliseconds(cpuMs), cpu }
    : createRowWithMaximum(job, cpuMs, maxMs, fineMilliseconds, { cpu })
}
