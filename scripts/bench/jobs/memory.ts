import type { Bench, BenchDatabase, Job } from '../bench.ts'
import type { LoadRequest } from '../load/order.ts'
import { cpuText, type LoadedReport, serverCpuEachMs } from '../loaded.ts'
import { readPeakMemory } from '../process-usage.ts'
import { atMost, fineMilliseconds, megabytes, type Row, skipped } from '../report.ts'
import type { ServerProcess } from '../server-process.ts'
import { browserHeaders, faultsOf } from './http.ts'

const mostBytes = 250 * 1024 * 1024
const bigMostBytes = 400 * 1024 * 1024
const name = 'api memory, peak under this load'
const bigName = 'api memory, peak at 5,000 x 100'

/** @returns bytes; a word for why there are none */
async function readPeak(bench: Bench): Promise<number | string> {
  const api = await bench.startedApi()?.catch(() => undefined)
  if (!api) return 'no job before put load on the api'
  return (await readPeakMemory(api.pid)) ?? 'this system has no /proc'
}

/**
 * The most memory that the api held while it answered what the players of one game of 500 x 50 ask: board, own board, flags, challenges,
 * log-ins. Before the jobs that play further games beside it.
 */
export const memoryJob: Job = {
  name: 'memory',
  about: 'the most memory that the api held under the load of players, which the jobs before were',
  shareSeconds: 1,
  place: 42,
  bars: { [name]: atMost(mostBytes, megabytes) },
  async run(bench) {
    const peak = await readPeak(bench)
    return typeof peak === 'string' ? skipped('memory', peak) : { figures: { [name]: { value: peak } } }
  },
}

/** The same with the storms of visitors and log-ins, and all else that is measured. */
export const wholeMemoryJob: Job = {
  name: 'memory-whole',
  about: 'the most memory that the api held under the load of all jobs before',
  shareSeconds: 1,
  place: 90,
  async run(bench) {
    const peak = await readPeak(bench)
    if (typeof peak === 'string') return skipped('memory-whole', peak)
    return { rows: [{ job: 'api memory, peak of the whole bench', ours: megabytes(peak) }] }
  },
}

const callsOfKinds = ['board', 'own board', 'right flag', 'log-in']

function cpuRowOf(call: string, report: LoadedReport): Row {
  return {
    job: `5,000 x 100, ${call}, CPU`,
    ours: fineMilliseconds(serverCpuEachMs([report])),
    cpu: cpuText([report]),
  }
}

/** Every kind of call, one kind after the other. */
async function playEverything(bench: Bench, { world }: BenchDatabase, { port }: ServerProcess): Promise<LoadedReport[]> {
  const game = `/api/game/${world.gameId}`
  const { seconds, clients } = bench
  const kinds: LoadRequest[][] = [
    [{ method: 'GET', path: `${game}/scoreboard`, headers: browserHeaders }],
    world.players.map(({ cookie }) => ({ method: 'GET', path: `${game}/details`, headers: { ...browserHeaders, cookie } })),
    world.players.map(({ cookie }, index) => ({
      method: 'POST',
      path: `${game}/challenges/${world.challenges[index % world.challenges.length]?.id}`,
      headers: { cookie },
      body: JSON.stringify({ flag: world.flagOf(index, index % world.challenges.length) }),
    })),
    world.players.map(({ userName }) => ({
      method: 'POST',
      path: '/api/account/login',
      body: JSON.stringify({ userName, password: world.password }),
    })),
  ]
  const reports: LoadedReport[] = []
  for (const requests of kinds)
    reports.push(await bench.load({ port, clients, seconds: seconds * 2, requests, keepsBodies: false }))
  return reports
}

/** The same api on the largest game that the bars name. */
export const bigMemoryJob: Job = {
  name: 'memory-big',
  about: 'the most memory that the api holds while a game of 5,000 teams and 100 challenges is played',
  shareSeconds: 112,
  place: 95,
  bars: { [bigName]: atMost(bigMostBytes, megabytes) },
  async run(bench) {
    const database = await bench.bigDatabase()
    const api = await bench.bigApi()
    const reports = await playEverything(bench, database, api)
    const bytes = await readPeakMemory(api.pid)
    if (bytes === undefined) return skipped('memory-big', 'this system has no /proc')
    return {
      figures: { [bigName]: { value: bytes } },
      rows: reports.map((report, index) => cpuRowOf(callsOfKinds[index] ?? '', report)),
      faults: faultsOf('memory-big', reports),
    }
  },
}
