import type { LoadReport } from './load/order.ts'
import { readCpuMs, readFamilyCpuMs } from './process-usage.ts'
import { fineMilliseconds } from './report.ts'

/** CPU time that a load took of an api and its database, in ms. NaN where it is unknown. */
export type ServerCpu = Readonly<{
  apiMs: number
  databaseMs: number
}>

/** An api that load is put on. */
export type LoadedServer = Readonly<{
  pid: number
  /** Of PostgreSQL's first process. */
  databasePid: number
}>

export type LoadedReport = LoadReport &
  Readonly<{
    /** Of the api that was asked and its database; NaN for other servers. */
    cpu: ServerCpu
  }>

async function readServerCpu({ pid, databasePid }: LoadedServer): Promise<ServerCpu> {
  return {
    apiMs: (await readCpuMs(pid)) ?? Number.NaN,
    databaseMs: (await readFamilyCpuMs(databasePid)) ?? Number.NaN,
  }
}

/** Tells what the work took of the server, besides what it gave. */
export async function withServerCpu<Result>(
  server: LoadedServer | undefined,
  work: () => Promise<Result>,
): Promise<Result & { cpu: ServerCpu }> {
  const unknown = { apiMs: Number.NaN, databaseMs: Number.NaN }
  const before = server ? await readServerCpu(server) : unknown
  const result = await work()
  const after = server ? await readServerCpu(server) : unknown
  return { ...result, cpu: { apiMs: after.apiMs - before.apiMs, databaseMs: after.databaseMs - before.databaseMs } }
}

type Counted = Pick<LoadedReport, 'cpu' | 'answered'>

function eachMs(reports: readonly Counted[], figure: (cpu: ServerCpu) => number): number {
  return reports.reduce((sum, { cpu }) => sum + figure(cpu), 0) / reports.reduce((sum, { answered }) => sum + answered, 0)
}

/** CPU time of api and database together for one answer, in ms. */
export function serverCpuEachMs(reports: readonly Counted[]): number {
  return eachMs(reports, ({ apiMs, databaseMs }) => apiMs + databaseMs)
}

/** For the column: api and database, for one answer. */
export function cpuText(reports: readonly Counted[]): string {
  const [apiMs, databaseMs] = [eachMs(reports, (cpu) => cpu.apiMs), eachMs(reports, (cpu) => cpu.databaseMs)]
  return Number.isNaN(apiMs + databaseMs) ? '' : `${fineMilliseconds(apiMs)} + ${fineMilliseconds(databaseMs)}`
}
