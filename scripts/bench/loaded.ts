import type { LoadReport } from './load/order.ts'
import { readCpuMs, readFamilyCpuMs } from './process-usage.ts'
import { fineMilliseconds } from './report.ts'

/** CPU time that a load took of an api and its database, in ms. NaN where it is unknown. */
export interface ServerCpu {
  readonly apiMs: number
  readonly databaseMs: number
}

/** An api that load is put on. */
export interface LoadedServer {
  readonly pid: number
  /** Of PostgreSQL's first process. */
  readonly databasePid: number
}

export interface LoadedReport extends LoadReport {
  /** Of the api that was asked and its database; NaN for other servers. */
  readonly cpu: ServerCpu
}

const readServerCpu = async ({ pid, databasePid }: LoadedServer): Promise<ServerCpu> => ({
  apiMs: (await readCpuMs(pid)) ?? Number.NaN,
  databaseMs: (await readFamilyCpuMs(databasePid)) ?? Number.NaN,
})

/** Tells what the work took of the server, besides what it gave. */
export const withServerCpu = async <Result>(
  server: LoadedServer | undefined,
  work: () => Promise<Result>,
): Promise<Result & { cpu: ServerCpu }> => {
  const unknown = { apiMs: Number.NaN, databaseMs: Number.NaN }
  const before = server ? await readServerCpu(server) : unknown
  const result = await work()
  const after = server ? await readServerCpu(server) : unknown
  return { ...result, cpu: { apiMs: after.apiMs - before.apiMs, databaseMs: after.databaseMs - before.databaseMs } }
}

type Counted = Pick<LoadedReport, 'cpu' | 'answered'>

const eachMs = (reports: readonly Counted[], figure: (cpu: ServerCpu) => number): number =>
  reports.reduce((sum, { cpu }) => sum + figure(cpu), 0) / reports.reduce((sum, { answered }) => sum + answered, 0)

/** CPU time of api and database together for one answer, in ms. */
export const serverCpuEachMs = (reports: readonly Counted[]): number =>
  eachMs(reports, ({ apiMs, databaseMs }) => apiMs + databaseMs)

/** For the column: api and database, for one answer. */
export const cpuText = (reports: readonly Counted[]): string => {
  const [apiMs, databaseMs] = [eachMs(reports, (cpu) => cpu.apiMs), eachMs(reports, (cpu) => cpu.databaseMs)]
  return Number.isNaN(apiMs + databaseMs) ? '' : `${fineMilliseconds(apiMs)} + ${fineMilliseconds(databaseMs)}`
}
