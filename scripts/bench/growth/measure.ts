import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { instances } from '@capstan/db/schema/instances'
import { inBatches } from '../../data/in-batches.ts'
import { seededRandom } from '../../data/random.ts'
import type { Bench, BenchDatabase } from '../bench.ts'
import { browserHeaders, readAnswer } from '../jobs/http.ts'
import type { LoadOrder, LoadReport, LoadRequest } from '../load/order.ts'
import type { LoadedReport } from '../loaded.ts'
import { readPrintedTable } from '../printed-table.ts'
import { readCpuMs, readFamilyCpuMs, readFamilyMemory } from '../process-usage.ts'
import type { ServerProcess } from '../server-process.ts'
import { quantile } from '../statistics.ts'
import { startWorker } from '../worker.ts'
import { startFakeApiServer } from './fake-api-server.ts'
import * as table from './table.ts'

const operationsFile = fileURLToPath(new URL('../../../docs/operations.md', import.meta.url))
const megabyte = 1024 * 1024
const challenges = 50
const warmUpSeconds = 3
const pointSeconds = 12
const replicaSeconds = 8
/** A quarter of what one process answers on a processor of its own. */
const steadyPerSecond = 1_000

/** What a player with the pages of the game open does in a minute. */
const perMinute = { boards: 6, ownBoards: 2, flags: 0.5 } as const
const callsPerMinute = perMinute.boards + perMinute.ownBoards + perMinute.flags
/** Of a hundred flags so many are right, so that the board changes. */
const rightPercent = 20

type Size = Readonly<{
  players: number
  submissions: number
  instances: number
}>

const usual: Size = { players: 1_000, submissions: 100_000, instances: 0 }
const byPlayers = [100, 1_000, 5_000, 10_000].map((players) => ({ ...usual, players }))
const bySubmissions = [10_000, 100_000, 1_000_000].map((submissions) => ({ ...usual, submissions }))
const byInstances = [50, 500, 5_000].map((count) => ({ ...usual, instances: count }))
const replicaCounts = [1, 2, 4]
const hubClients = [100, 1_000, 5_000, 10_000]

const capacity: table.Capacity = {
  databaseCores: availableParallelism(),
  // The chart's limit.
  apiMb: 512,
  // PostgreSQL's usual max_connections.
  connections: 100,
  // Of a gigabit.
  bytesPerSecond: 125_000_000,
}

/** Calls in the shares of `perMinute`, by all players in turn; no wrong answer comes twice. @param since version of the board that they know */
function createCalls({ world }: BenchDatabase, since: string) {
  const random = seededRandom(7)
  const game = `/api/game/${world.gameId}`
  const pick = (list: readonly unknown[]) => Math.floor(random() * list.length)
  let serial = 0
  const flag = (): LoadRequest => {
    const [player, challenge] = [pick(world.players), pick(world.challenges)]
    serial += 1
    const answer = random() * 100 < rightPercent ? world.flagOf(player, challenge) : `flag{growth-${serial}}`
    return {
      method: 'POST',
      path: `${game}/challenges/${world.challenges[challenge]?.id}`,
      headers: { cookie: world.players[player]?.cookie ?? '' },
      body: JSON.stringify({ flag: answer }),
    }
  }
  const next = (): LoadRequest => {
    const dice = random() * callsPerMinute
    if (dice < perMinute.flags) return flag()
    const headers = { ...browserHeaders, cookie: world.players[pick(world.players)]?.cookie ?? '' }
    const isBoard = dice < perMinute.flags + perMinute.boards
    return { method: 'GET', path: isBoard ? `${game}/scoreboard/rows?since=${since}` : `${game}/details`, headers }
  }
  return (count: number): LoadRequest[] => Array.from({ length: count }, next)
}

/** As many calls a second as so many players make, over a few connections. */
function playAt(port: number, wantedPerSecond: number, seconds: number, calls: (count: number) => LoadRequest[]): LoadOrder {
  const clients = Math.min(256, Math.max(8, Math.ceil(wantedPerSecond)))
  return {
    port,
    clients,
    seconds,
    pauseMs: (clients / wantedPerSecond) * 1000,
    requests: calls(Math.ceil(wantedPerSecond * seconds * 1.5) + clients),
    keepsBodies: false,
  }
}

/** Of the board as it is now: players who have read it ask for what has changed since. */
async function readVersion({ world }: BenchDatabase, port: number): Promise<string> {
  return String((await readAnswer(port, `/api/game/${world.gameId}/scoreboard`)).headers[boardVersionHeader])
}

async function readStatements({ sql }: BenchDatabase): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()`
  return row?.count ?? 0
}

async function countConnections({ sql }: BenchDatabase): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name not like 'bench%' and pid <> pg_backend_pid()`
  return row?.count ?? 0
}

/** Rows of instances that run, of as many teams and challenges as it takes. */
async function addInstances({ db, world }: BenchDatabase, count: number) {
  const expiresAt = new Date(Date.now() + 3_600_000)
  const rows = Array.from({ length: count }, (_, index) => ({
    gameId: world.gameId,
    challengeId: world.challenges[Math.floor(index / world.players.length)]?.id ?? 0,
    participationId: world.players[index % world.players.length]?.participationId ?? 0,
    image: 'registry.example.org/ctf/challenge:1',
    status: 'Running' as const,
    host: `10.${64 + Math.floor(index / 65_536)}.${Math.floor(index / 256) % 256}.${index % 256}`,
    port: 80,
    expiresAt,
    answeredAt: new Date(),
  }))
  const made = await inBatches(rows, (batch) => db.insert(instances).values(batch).returning({ id: instances.id }))
  return made.map(({ id }) => ({ id, expiresAt }))
}

/** Variables of an api that keeps so many instances of a cluster, and how to end that cluster. */
async function useInstances(database: BenchDatabase, count: number, name: string) {
  if (count === 0) return { environment: {}, stop: async () => {} }
  const { kubeconfig, namespace, stop } = await startFakeApiServer(await addInstances(database, count))
  const file = path.join(tmpdir(), `capstan-${name}-${process.pid}.json`)
  await writeFile(file, kubeconfig, { mode: 0o600 })
  return {
    environment: {
      CAPSTAN_INSTANCE_RUNTIME: 'kubernetes',
      CAPSTAN_INSTANCE_NAMESPACE: namespace,
      KUBECONFIG: file,
      // Comparing rows with objects falls into what is measured, and more often than usual.
      CAPSTAN_INSTANCE_REPAIR_INTERVAL_MS: '5000',
    },
    stop,
  }
}

function failuresOf({ failures }: LoadReport): string {
  return Object.entries(failures)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
}

function databaseOf({ players, submissions, instances: count }: Size): string {
  return `growth_${players}_${submissions}_${count}`
}

async function measurePoint(bench: Bench, size: Size): Promise<table.Point> {
  const name = databaseOf(size)
  const database = await bench.openDatabase(name, { teams: size.players, challenges, submissions: size.submissions })
  const cluster = await useInstances(database, size.instances, name)
  const api = await bench.startApi(database, cluster.environment)
  const wantedPerSecond = (size.players * callsPerMinute) / 60
  const warmUp = createCalls(database, await readVersion(database, api.port))
  await bench.load(playAt(api.port, wantedPerSecond, warmUpSeconds, warmUp))
  const calls = createCalls(database, await readVersion(database, api.port))
  const order = playAt(api.port, wantedPerSecond, pointSeconds, calls)
  const statementsBefore = await readStatements(database)
  const report: LoadedReport = await bench.load(order)
  // PostgreSQL's processes tell what they did once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const seconds = report.lastedMs / 1000
  const point: table.Point = {
    ...size,
    wantedPerSecond,
    answeredPerSecond: report.perSecond,
    p99Ms: report.p99Ms,
    apiCores: report.cpu.apiMs / report.lastedMs,
    databaseCores: report.cpu.databaseMs / report.lastedMs,
    apiMb: (await readFamilyMemory(api.pid)) / megabyte,
    databaseMb: (await readFamilyMemory(database.pid)) / megabyte,
    statementsPerSecond: ((await readStatements(database)) - statementsBefore) / seconds,
    connections: await countConnections(database),
    bytesPerSecond: report.bytesPerAnswer * report.perSecond,
  }
  if (failuresOf(report)) console.log(`    not answered well: ${failuresOf(report)}`)
  await api.stop()
  await cluster.stop()
  return point
}

/** Asked together: once for all that they answer, once for the same calls a second whatever their number. */
async function measureReplicas(bench: Bench, database: BenchDatabase, processes: number): Promise<table.Replicas> {
  const apis: ServerProcess[] = []
  for (let index = 0; index < processes; index += 1) apis.push(await bench.startApi(database))
  const workers = apis.map(() => startWorker<LoadOrder, LoadReport>(new URL('../load/generator.ts', import.meta.url)))
  const [first] = apis
  if (!first) throw new Error('There is no api')
  const calls = createCalls(database, await readVersion(database, first.port))
  const ask = async (orderFor: (port: number) => LoadOrder) =>
    (await Promise.all(apis.map(({ port }, index) => workers[index]?.ask(orderFor(port))))).filter(
      (report) => report !== undefined,
    )
  const fullOrder = (port: number): LoadOrder => ({
    port,
    seconds: replicaSeconds,
    clients: Math.ceil(bench.clients / processes),
    keepsBodies: false,
    requests: calls(4_000 * replicaSeconds),
  })
  const steadyOrder = (port: number) => playAt(port, steadyPerSecond / processes, replicaSeconds, calls)
  const readCpu = async () => {
    const times = await Promise.all(apis.map(({ pid }) => readCpuMs(pid)))
    const api = times.reduce<number>((sum, time) => sum + (time ?? Number.NaN), 0)
    return { api, database: (await readFamilyCpuMs(database.pid)) ?? Number.NaN }
  }
  const measure = async (orderFor: (port: number) => LoadOrder) => {
    const before = await readCpu()
    const startedAtMs = performance.now()
    const reports = await ask(orderFor)
    const lastedMs = performance.now() - startedAtMs
    const after = await readCpu()
    return {
      answeredPerSecond: reports.reduce((sum, report) => sum + report.perSecond, 0),
      p99Ms: Math.max(...reports.map(({ p99Ms }) => p99Ms)),
      apiCores: (after.api - before.api) / lastedMs,
      databaseCores: (after.database - before.database) / lastedMs,
    }
  }
  await ask(fullOrder)
  const full = await measure(fullOrder)
  const steady = await measure(steadyOrder)
  const measured = { processes, full, steady, connections: await countConnections(database) }
  for (const worker of workers) await worker.stop()
  for (const api of apis) await api.stop()
  return measured
}

async function measureHub(clients: number): Promise<table.Hub> {
  const entry = fileURLToPath(new URL('../../../services/gateway/bench/fanout.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [entry, String(clients), '10', 'alone'], { timeout: 120_000 })
  const rows = readPrintedTable(stdout)
  const cpu = rows.find(({ job }) => job.includes('server CPU'))
  const memory = rows.find(({ job }) => job.includes('memory'))
  return { clients, messageCpu: cpu?.ours ?? '', memory: `${memory?.ours}, ${memory?.ratio}` }
}

/** Runs one measurement and says how long it took. */
async function tell<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.now()
  const result = await work()
  console.log(`  ● ${text.padEnd(60)} ${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(6)} s`)
  return result
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** Measures each axis by itself, and prints the tables. @param options `write`: also into docs/operations.md */
export async function measureGrowth(bench: Bench, { write }: { readonly write: boolean }): Promise<void> {
  const points = new Map<string, table.Point>()
  for (const size of [...byPlayers, ...bySubmissions, ...byInstances]) {
    const key = databaseOf(size)
    if (points.has(key)) continue
    const { players, submissions, instances: count } = size
    const text = `${players} players, ${submissions} submissions, ${count} instances`
    const point = await tell(text, () => measurePoint(bench, size))
    console.log(`    ${table.growthTable([point], capacity).split('\n').at(-1)}`)
    points.set(key, point)
  }
  const pointsOf = (sizes: readonly Size[]) => sizes.flatMap((size) => points.get(databaseOf(size)) ?? [])
  const replicas: table.Replicas[] = []
  const game = await bench.openDatabase('growth_replicas', { teams: usual.players, challenges, submissions: usual.submissions })
  for (const count of replicaCounts)
    replicas.push(await tell(`${count} api processes`, () => measureReplicas(bench, game, count)))
  const hubs: table.Hub[] = []
  for (const clients of hubClients) hubs.push(await tell(`${clients} live pages`, () => measureHub(clients)))

  const all = [...points.values()]
  const largest = pointsOf(byPlayers).at(-1)
  const first = largest && table.fullest(largest, capacity)
  const [cpu] = cpus()
  const part = [
    table.sizingTable(pointsOf(byPlayers)),
    `Half of each part remains free. The figures are from \`npm run bench -- --growth --write\` on ${today()} (${availableParallelism()} cores, ${cpu?.model.trim() ?? 'unknown'}, Node ${process.versions.node}; PostgreSQL and the load on the same machine). Each player is a team of one in a game with ${challenges} challenges. Each minute a player requests the changes of the board ${perMinute.boards} times and the own board ${perMinute.ownBoards} times, and submits ${perMinute.flags} flags, ${rightPercent} % of them right. Each player has an open live page. Each row of the next table is one api process under this load for ${pointSeconds} s. Instances are in a fake API server, in rows and in the api's memory.`,
    table.growthTable(all, capacity),
    [
      ...table.describeGrowth('players', pointsOf(byPlayers)),
      ...table.describeGrowth('submissions', pointsOf(bySubmissions)),
      ...table.describeGrowth('instances', pointsOf(byInstances)),
      ...(largest && first
        ? [`- Full first at ${largest.players} players: ${first.part} (${(first.share * 100).toFixed(0)} %).`]
        : []),
      `- Slowest answer of a hundred over all sizes: ${Math.round(
        quantile(
          all.map(({ p99Ms }) => p99Ms),
          1,
        ),
      )} ms.`,
    ].join('\n'),
    table.replicaTable(replicas),
    table.describeReplicas(replicas, capacity.databaseCores),
    table.hubTable(hubs),
  ].join('\n\n')
  console.log(`\n${part}\n`)
  if (write) await writeFile(operationsFile, table.withMeasured(await readFile(operationsFile, 'utf8'), part))
}
