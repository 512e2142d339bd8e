import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { startEmbeddedPostgres } from '@capstan/db/embedded'
import { migrateDatabase } from '@capstan/db/migrate'
import postgres from 'postgres'
import type { BareRoute } from './bare-server.ts'
import { browserHeaders, type LoadOrder, type LoadReport, load } from './load.ts'
import { root, type Server, startServer, startWorker } from './process.ts'
import type { JobResult } from './table.ts'
import { readCpuMs, readParent } from './usage.ts'
import { addGame, addPeople, type World, type WorldSize } from './world.ts'

export interface BenchDatabase {
  readonly sql: postgres.Sql
  readonly url: string
  /** Main process of PostgreSQL, the parent of all others. */
  readonly pid: number
}

/** Server that the bench loads, and the database that works for it. */
export interface Target {
  readonly port: number
  readonly pid: number
  readonly databasePid?: number
}

/** Load with the CPU time that it took of the server and of its database. NaN without /proc. */
export interface Measured extends LoadReport {
  readonly cpuMs: number
  readonly databaseMs: number
}

export interface Job {
  readonly name: string
  /** Line of `--help`. */
  readonly about: string
  run(bench: Bench): Promise<JobResult>
}

const once = <Result>(make: () => Promise<Result>) => {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const internalToken = 'only for this measurement'
const usualTeams = 500

export type Bench = ReturnType<typeof createBench>

/** Starts what jobs ask for, once, and stops everything at the end. */
export const createBench = () => {
  const stops: (() => Promise<unknown> | unknown)[] = []
  const onClose = (stop: () => Promise<unknown> | unknown) => void stops.push(stop)

  const folder = once(async () => {
    const made = await mkdtemp(path.join(tmpdir(), 'capstan-bench-'))
    onClose(() => rm(made, { recursive: true, force: true }))
    // PostgreSQL does not run as root. Its user must be able to enter the folder.
    await chmod(made, 0o711)
    return made
  })
  const postgresServer = once(async () => {
    const started = await startEmbeddedPostgres({ folder: path.join(await folder(), 'database') })
    onClose(started.stop)
    return started
  })
  const connect = (url: string) => {
    const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'bench' } })
    onClose(() => sql.end({ timeout: 5 }))
    return sql
  }
  /** Creates a database with teams, on the PostgreSQL that all jobs share. It syncs to disk. */
  const openDatabase = async (name: string, teams: number): Promise<BenchDatabase> => {
    const { url: adminUrl, urlOf } = await postgresServer()
    const admin = connect(adminUrl)
    await admin`create database ${admin(name)}`
    const url = urlOf(name)
    await migrateDatabase(url)
    const sql = connect(url)
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    await addPeople(sql, teams)
    return { sql, url, pid: await readParent(backend?.pid ?? 0) }
  }
  let apis = 0
  /** Starts an api with its default settings, without rate limits. */
  const startApi = async (
    { url, pid }: BenchDatabase,
    options: { readonly environment?: Readonly<Record<string, string>>; readonly flags?: readonly string[] } = {},
  ): Promise<Server & Target> => {
    apis += 1
    const blobFolder = path.join(await folder(), `files-${apis}`)
    const started = await startServer({
      folder: 'services/api',
      flags: options.flags ?? [],
      environment: (port) => ({
        DATABASE_URL: url,
        CAPSTAN_HOST: '127.0.0.1',
        CAPSTAN_PORT: String(port),
        CAPSTAN_SECRET_KEY: 'only for this measurement',
        CAPSTAN_INTERNAL_TOKEN: internalToken,
        CAPSTAN_BLOB_FOLDER: blobFolder,
        CAPSTAN_RATE_LIMITS: 'off',
        // Requests have the addresses of many clients.
        CAPSTAN_TRUSTED_PROXIES: '127.0.0.1',
        CAPSTAN_INSTANCE_RUNTIME: 'none',
        ...options.environment,
      }),
    })
    onClose(started.stop)
    return { ...started, databasePid: pid }
  }
  const database = once(() => openDatabase('bench', usualTeams))
  const api = once(async () => startApi(await database()))
  return {
    /** Counted rounds of ours and the limit. */
    rounds: 5,
    folder,
    onClose,
    openDatabase,
    startApi,
    /** The database of most jobs, with 500 teams. */
    database,
    /** The api of that database. */
    api,
    /** Adds a game of 500 teams to that database. */
    addGame: async (size: Omit<WorldSize, 'teams'>): Promise<World> =>
      addGame((await database()).sql, { teams: usualTeams, ...size }),
    /** Starts the web process in front of an api. */
    async startWeb(behind: Target): Promise<Server> {
      const web = await startServer({
        folder: 'web',
        environment: (port) => ({
          CAPSTAN_HOST: '127.0.0.1',
          CAPSTAN_PORT: String(port),
          CAPSTAN_API_URL: `http://127.0.0.1:${behind.port}`,
          CAPSTAN_GATEWAY_URL: `http://127.0.0.1:${behind.port}`,
          CAPSTAN_INTERNAL_TOKEN: internalToken,
          CAPSTAN_WEB_FOLDER: path.join(root, 'web/dist-web'),
        }),
      })
      onClose(web.stop)
      return web
    },
    /** Starts a bare Fastify that always gives the same answer. */
    async startBare(route: BareRoute): Promise<Target> {
      const worker = startWorker<BareRoute, number>(new URL('bare-server.ts', import.meta.url))
      onClose(worker.stop)
      return { port: await worker.ask(route), pid: worker.pid }
    },
    async close() {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop()
    },
  }
}

export const measure = async (target: Target, order: Omit<LoadOrder, 'port'>): Promise<Measured> => {
  const read = async () => {
    const { pid, databasePid } = target
    return [await readCpuMs(pid), databasePid === undefined ? 0 : await readCpuMs(databasePid)] as const
  }
  const [cpu, database] = await read()
  const report = await load({ ...order, port: target.port })
  const [cpuAfter, databaseAfter] = await read()
  return { ...report, cpuMs: cpuAfter - cpu, databaseMs: databaseAfter - database }
}

type Counted = Pick<Measured, 'cpuMs' | 'databaseMs' | 'answered'>

const eachMs = (reports: readonly Counted[], cpuOf: (report: Counted) => number): number =>
  reports.reduce((total, report) => total + cpuOf(report), 0) / reports.reduce((total, { answered }) => total + answered, 0)

/** Returns the CPU time of server and database for one answer, in ms. */
export const cpuEachMs = (reports: readonly Counted[]): number => eachMs(reports, ({ cpuMs, databaseMs }) => cpuMs + databaseMs)

/** Returns the text of the column "api + database". */
export const cpuText = (reports: readonly Counted[]): string =>
  `${eachMs(reports, ({ cpuMs }) => cpuMs).toFixed(2)} + ${eachMs(reports, ({ databaseMs }) => databaseMs).toFixed(2)} ms`

export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** Body as it was on the wire. */
  readonly bytes: Buffer
  /** Decoded body. */
  readonly text: string
  /** Size of the whole answer on the wire. */
  readonly wireBytes: number
}

/** Sends one request like a browser. @throws if the answer is not 200 */
export const ask = (
  { port }: { readonly port: number },
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const all = { ...browserHeaders, ...headers }
    const outgoing = request({ host: '127.0.0.1', port, path: address, headers: all, agent: false }, async (incoming) => {
      const { socket } = incoming
      const bytes = Buffer.concat((await incoming.toArray()) as Buffer[])
      const text = String(incoming.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(bytes) : bytes)
      if (incoming.statusCode !== 200) return reject(new Error(`GET ${address}: ${incoming.statusCode} ${text.slice(0, 300)}`))
      resolve({ headers: incoming.headers as Record<string, string>, bytes, text, wireBytes: socket.bytesRead })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
