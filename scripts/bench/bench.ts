import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createDatabase, type DatabaseConnection } from '@capstan/db/client'
import { startEmbeddedPostgres } from '@capstan/db/embedded'
import { migrateDatabase } from '@capstan/db/migrate'
import postgres from 'postgres'
import { startApiProcess } from './api-process.ts'
import type { BareRoute } from './limits/bare-server.ts'
import type { LoadOrder, LoadReport } from './load/order.ts'
import { type LoadedReport, type LoadedServer, withServerCpu } from './loaded.ts'
import { readParent } from './process-usage.ts'
import type { Bar, JobResult } from './report.ts'
import type { ServerProcess } from './server-process.ts'
import { startWorker } from './worker.ts'
import { createWorld, type World, type WorldSize, worldSizes } from './world.ts'

export type BenchDatabase = DatabaseConnection &
  Readonly<{
    sql: postgres.Sql
    url: string
    /** Of the server's first process, which starts all others. */
    pid: number
    world: World
  }>

/** What jobs measure with. Everything is started when first asked for, used by all jobs, and stopped at the end. */
export type Bench = Readonly<{
  /** Of one measurement. */
  seconds: number
  /** Counted rounds of ours and the limit. */
  rounds: number
  /** Clients at once. */
  clients: number
  /** Key that private game keys are sealed with. */
  secretKey: string
  /** For the platform's processes: profiling, where it is wanted. */
  nodeFlags: readonly string[]
  /** A PostgreSQL of its own, with fsync, holding the game that is played. */
  database(): Promise<BenchDatabase>
  api(): Promise<ServerProcess>
  /** The api, if a job has started it. */
  startedApi(): Promise<ServerProcess> | undefined
  /** The same for a game of 5,000 teams and 100 challenges, in a database of its own on the same PostgreSQL. */
  bigDatabase(): Promise<BenchDatabase>
  bigApi(): Promise<ServerProcess>
  /** A further game in a database of its own on the same PostgreSQL. @param name of the database */
  openDatabase(name: string, size: WorldSize): Promise<BenchDatabase>
  /** A further api. */
  startApi(database: BenchDatabase, environment?: Readonly<Record<string, string>>): Promise<ServerProcess>
  /** @returns with the CPU time that it took of the api that was asked and of its database */
  load(order: LoadOrder): Promise<LoadedReport>
  /** A bare Fastify that answers like this, and no longer like before. */
  bare(route: BareRoute): Promise<{ readonly port: number; readonly pid: number }>
  /** Called at the end, last first. */
  onClose(stop: () => Promise<void>): void
}>

export type Job = Readonly<{
  name: string
  /** One line for --list. */
  about: string
  /** What it takes of the fifteen minutes, at most. */
  shareSeconds?: number
  /** Its place among the jobs, 0 to 100: those that change what others measure come late. */
  place?: number
  /** Lines of the table that it brings a figure for. */
  bars?: Readonly<Record<string, Bar>>
  run(bench: Bench): Promise<JobResult>
}>

export type BenchOptions = Readonly<{
  seconds: number
  profileFolder?: string | undefined
}>

/** Remembers what the first call gave. */
function once<Result>(make: () => Promise<Result>): { get(): Promise<Result>; peek(): Promise<Result> | undefined } {
  let made: Promise<Result> | undefined
  return {
    get: () => {
      made ??= make()
      return made
    },
    peek: () => made,
  }
}

export function createBench({ seconds, profileFolder }: BenchOptions): Bench & { close(): Promise<void> } {
  const stops: (() => Promise<void>)[] = []
  const onClose = (stop: () => Promise<void>) => void stops.push(stop)
  const secretKey = 'only for this measurement'
  const nodeFlags = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]

  const folder = once(async () => {
    const made = await mkdtemp(path.join(tmpdir(), 'capstan-bench-'))
    // PostgreSQL cannot run as root; then it is another user who has to get through.
    await chmod(made, 0o711)
    onClose(() => rm(made, { recursive: true, force: true }))
    return made
  })
  const server = once(async () => {
    const started = await startEmbeddedPostgres({ folder: path.join(await folder.get(), 'database') })
    onClose(started.stop)
    return started
  })
  const openDatabase = async (url: string, size: WorldSize): Promise<BenchDatabase> => {
    await migrateDatabase(url)
    const connection = createDatabase(url, { maxConnections: 5 })
    onClose(connection.close)
    const sql = postgres(url, { max: 2, onnotice: () => {} })
    onClose(() => sql.end())
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    const pid = (await readParent(backend?.pid ?? 0)) ?? 0
    return { ...connection, sql, url, pid, world: await createWorld(connection.db, secretKey, size) }
  }
  const database = once(async () => openDatabase((await server.get()).url, worldSizes.usual))
  const createNamedDatabase = async (name: string, size: WorldSize): Promise<BenchDatabase> => {
    const { url, urlOf } = await server.get()
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    await sql`create database ${sql(name)}`
    await sql.end()
    return openDatabase(urlOf(name), size)
  }
  const bigDatabase = once(() => createNamedDatabase('big', worldSizes.big))
  const servers = new Map<number, LoadedServer>()
  const startApi = async (
    { url, pid: databasePid }: BenchDatabase,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> => {
    const blobFolder = path.join(await folder.get(), `files-${servers.size}`)
    const started = await startApiProcess({ databaseUrl: url, secretKey, blobFolder, flags: nodeFlags, environment })
    onClose(started.stop)
    servers.set(started.port, { pid: started.pid, databasePid })
    return started
  }
  const api = once(async () => startApi(await database.get()))
  const bigApi = once(async () => startApi(await bigDatabase.get()))
  const generator = once(async () => {
    const worker = startWorker<LoadOrder, LoadReport>(new URL('load/generator.ts', import.meta.url))
    onClose(worker.stop)
    return worker
  })
  const bareServer = once(async () => {
    const worker = startWorker<BareRoute, number>(new URL('limits/bare-server.ts', import.meta.url))
    onClose(worker.stop)
    return worker
  })
  return {
    seconds,
    rounds: 5,
    clients: 64,
    secretKey,
    nodeFlags,
    database: database.get,
    api: api.get,
    startedApi: api.peek,
    bigDatabase: bigDatabase.get,
    bigApi: bigApi.get,
    openDatabase: createNamedDatabase,
    startApi,
    async load(order) {
      const worker = await generator.get()
      return withServerCpu(servers.get(order.port), () => worker.ask(order))
    },
    async bare(route) {
      const worker = await bareServer.get()
      return { port: await worker.ask(route), pid: worker.pid }
    },
    onClose,
    async close() {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop()
    },
  }
}
