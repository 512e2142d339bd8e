import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmbeddedPostgres } from '@capstan/db/embedded'
import { migrateDatabase } from '@capstan/db/migrate'
import postgres from 'postgres'
import type { BareRoute } from './bare-server.ts'
import type { Target } from './measure.ts'
import { root, type Server, startServer, startWorker } from './process.ts'
import type { Row } from './table.ts'
import { addGame, insertPlayersAndTeams, type World, type WorldSize } from './world.ts'

export type Job = Readonly<{
  name: string
  /** Description of the job in the output of `--help`. */
  about: string
  /**
   * Measures the job and returns the rows of the report.
   * @throws if the product fails, for example by a failed request or a lost submission
   */
  run(bench: Bench): Promise<readonly Row[]>
}>

export type BenchDatabase = Readonly<{
  sql: postgres.Sql
  url: string
  /** Process id of the main process of PostgreSQL, which is the parent of its other processes. */
  pid: number
}>

type Stop = () => unknown

const internalToken = 'only for this measurement'
const usualSize: WorldSize = { teams: 500, challenges: 50, solvedByTeam: 16 }

/** Returns a function that calls `make` only once. Later calls return the same result. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined
  return () => {
    made ??= make()
    return made
  }
}

export type Bench = ReturnType<typeof createBench>

/**
 * Starts the servers and databases that jobs need, and stops them at the end.
 * @param profileFolder folder for CPU profiles of the servers
 */
export function createBench(profileFolder: string | undefined) {
  const profileFlags = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const stops: Stop[] = []
  /** Registers an object to be stopped when the bench ends. @returns the same object */
  const stopAtEnd = <Started extends Readonly<{ stop: Stop }>>(started: Started): Started => {
    stops.push(started.stop)
    return started
  }

  const folder = once(async () => {
    const made = await mkdtemp(path.join(tmpdir(), 'capstan-bench-'))
    stops.push(() => rm(made, { recursive: true, force: true }))
    // Allow other users to enter the folder, because PostgreSQL runs as another user.
    await chmod(made, 0o711)
    return made
  })

  const postgresServer = once(async () => {
    const data = path.join(await folder(), 'database')
    const server = stopAtEnd(await startEmbeddedPostgres({ folder: data }))
    const [pid] = (await readFile(path.join(data, 'data/postmaster.pid'), 'utf8')).split('\n')
    return { ...server, pid: Number(pid) }
  })

  const connect = (url: string) => {
    const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'bench' } })
    stops.push(() => sql.end({ timeout: 5 }))
    return sql
  }

  const openDatabase = async (name: string, teams: number): Promise<BenchDatabase> => {
    const { url: adminUrl, urlOf, pid } = await postgresServer()
    const admin = connect(adminUrl)
    await admin`create database ${admin(name)}`
    const url = urlOf(name)
    await migrateDatabase(url)
    const sql = connect(url)
    await insertPlayersAndTeams(sql, teams)
    return { sql, url, pid }
  }

  const startPart = async (name: string, environment: Readonly<Record<string, string>>, flags: readonly string[] = []) =>
    stopAtEnd(await startServer(name, environment, [...profileFlags, ...flags]))

  /**
   * Starts an api with default settings but without rate limits.
   * @param flags additional command-line options of Node
   */
  const startApi = async ({ url, pid }: BenchDatabase, flags: readonly string[] = []): Promise<Server & Target> => {
    const blobFolder = await mkdtemp(path.join(await folder(), 'files-'))
    const environment = {
      DATABASE_URL: url,
      CAPSTAN_SECRET_KEY: 'only for this measurement',
      CAPSTAN_INTERNAL_TOKEN: internalToken,
      CAPSTAN_BLOB_FOLDER: blobFolder,
      CAPSTAN_RATE_LIMITS: 'off',
      // Trust the forwarding header, so that the requests seem to be from many clients with different addresses.
      CAPSTAN_TRUSTED_PROXIES: '127.0.0.1',
      CAPSTAN_INSTANCE_RUNTIME: 'none',
    }
    return { ...(await startPart('services/api', environment, flags)), databasePid: pid }
  }

  const database = once(() => openDatabase('bench', usualSize.teams))

  return {
    folder,
    stopAtEnd,
    openDatabase,
    startPart,
    startApi,
    /** Database with 500 teams, which most jobs use. */
    database,
    api: once(async () => startApi(await database())),
    /** Adds a game with 500 teams to the database that most jobs use. */
    addGame: async (size: Partial<WorldSize> = {}): Promise<World> => addGame((await database()).sql, { ...usualSize, ...size }),
    startWeb: (api: Target): Promise<Server> =>
      startPart('web', {
        CAPSTAN_API_URL: `http://127.0.0.1:${api.port}`,
        CAPSTAN_GATEWAY_URL: `http://127.0.0.1:${api.port}`,
        CAPSTAN_INTERNAL_TOKEN: internalToken,
        CAPSTAN_WEB_FOLDER: path.join(root, 'web/dist-web'),
      }),
    async startBare(route: BareRoute): Promise<Target> {
      const { result, pid } = stopAtEnd(await startWorker<number>(new URL('bare-server.ts', import.meta.url), route))
      return { port: result, pid }
    },
    async close(): Promise<void> {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop()
    },
  }
}
