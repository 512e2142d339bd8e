import type { BenchDatabase, Job } from '../bench.ts'
import type { LoadOrder, LoadReport, LoadRequest } from '../load/order.ts'
import { atLeast, atMost, count, type Figure, milliseconds, ratioAtMost } from '../report.ts'
import { mean } from '../statistics.ts'
import { startWorker } from '../worker.ts'
import { browserHeaders, faultsOf } from './http.ts'

const logIns = 1_000
const addresses = 250
/** So long they take to come: faster than they can be let in, so that hundreds wait. */
const arriveWithinMs = 10_000
const mostSeconds = 60
const mostTimesQuiet = 3
/** Players beside the storm: fewer than the machine can serve, for a full one would show nothing but its own queue. */
const readers = 20
const submitters = 10
const pauseMs = 100
const quietSeconds = 10
/** All of it falls into the storm. */
const stormSeconds = 15

const names = {
  loggedIn: 'login storm, logged in of 1,000',
  storm: 'login storm, the last of 1,000',
  board: 'login storm, p99 of the board',
  flags: 'login storm, p99 of flags',
} as const

function logInsOf({ world }: BenchDatabase): LoadRequest[] {
  return Array.from({ length: logIns }, (_, index) => ({
    method: 'POST',
    path: '/api/account/login',
    headers: { 'x-forwarded-for': `198.18.${index % addresses}.7` },
    body: JSON.stringify({ userName: world.players[index % world.players.length]?.userName, password: world.password }),
  }))
}

/** Wrong answers, each once. */
function flagsOf({ world }: BenchDatabase): LoadRequest[] {
  return Array.from({ length: 10_000 }, (_, index) => {
    const player = world.players[index % world.players.length]
    const challenge = world.challenges[Math.floor(index / world.players.length) % world.challenges.length]
    return {
      method: 'POST',
      path: `/api/game/${world.gameId}/challenges/${challenge?.id}`,
      headers: { cookie: player?.cookie ?? '' },
      body: JSON.stringify({ flag: `flag{in-the-storm-${index}}` }),
    }
  })
}

/** Everybody comes back at once, while others play: what do those notice? */
export const loginStormJob: Job = {
  name: 'login-storm',
  about: '1,000 log-ins that come within ten seconds from 250 addresses, while others read the board and submit flags',
  shareSeconds: 58,
  place: 45,
  bars: {
    [names.loggedIn]: atLeast(logIns, count),
    [names.storm]: atMost(mostSeconds * 1000, milliseconds),
    [names.board]: ratioAtMost(mostTimesQuiet, milliseconds),
    [names.flags]: ratioAtMost(mostTimesQuiet, milliseconds),
  },
  async run(bench) {
    const database = await bench.database()
    const { port } = await bench.api()
    const [boardLoad, flagLoad] = [0, 1].map(() => {
      const worker = startWorker<LoadOrder, LoadReport>(new URL('../load/generator.ts', import.meta.url))
      bench.onClose(worker.stop)
      return worker
    })
    if (!boardLoad || !flagLoad) throw new Error('There is no load generator')
    const path = `/api/game/${database.world.gameId}/scoreboard`
    const boardReads = [{ method: 'GET' as const, path, headers: browserHeaders }]
    const flags = flagsOf(database)
    const play = async (seconds: number) => {
      const order = { port, seconds, pauseMs, keepsBodies: false }
      const [board, flag] = await Promise.all([
        boardLoad.ask({ ...order, clients: readers, requests: boardReads }),
        flagLoad.ask({ ...order, clients: submitters, requests: flags }),
      ])
      return { board, flag }
    }

    await play(2)
    const before = await play(quietSeconds)
    const storm = bench.load({
      port,
      clients: logIns,
      seconds: mostSeconds,
      most: logIns,
      arriveWithinMs,
      requests: logInsOf(database),
      keepsBodies: false,
    })
    const during = await play(stormSeconds)
    const loggedIn = await storm
    const after = await play(quietSeconds)

    const figure = (reportOf: (played: typeof during) => LoadReport): Figure => ({
      value: reportOf(during).p99Ms,
      limit: mean([reportOf(before).p99Ms, reportOf(after).p99Ms]),
    })
    const quiet = [before, after].flatMap(({ board, flag }) => [board, flag])
    return {
      figures: {
        [names.loggedIn]: { value: loggedIn.answered },
        [names.storm]: { value: loggedIn.lastedMs },
        [names.board]: figure(({ board }) => board),
        [names.flags]: figure(({ flag }) => flag),
      },
      notes: [
        `login-storm: ${loggedIn.answered} logged in, half of them after ${milliseconds(loggedIn.p50Ms)}; limit: the same players without the storm, before and after; beside it ${during.board.perSecond.toFixed(0)} boards and ${during.flag.perSecond.toFixed(0)} flags a second, half of them within ${milliseconds(during.board.p50Ms)} and ${milliseconds(during.flag.p50Ms)} (quiet: ${milliseconds(mean([before.board.p50Ms, after.board.p50Ms]))} and ${milliseconds(mean([before.flag.p50Ms, after.flag.p50Ms]))}).`,
      ],
      faults: faultsOf('login-storm', [loggedIn, during.board, during.flag, ...quiet]),
    }
  },
}
