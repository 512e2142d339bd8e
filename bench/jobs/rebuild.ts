import { request } from 'node:http'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { ask, type Job } from '../bench.ts'
import { faultsOf, load } from '../load.ts'
import type { LoopFigures } from '../loop-probe.ts'
import { median } from '../statistics.ts'
import { atMost, megabytes, milliseconds } from '../table.ts'
import { readPeakMemory } from '../usage.ts'
import { addGame } from '../world.ts'
import { changesCall } from './board.ts'

const size = { teams: 5_000, challenges: 100, solvedByTeam: 20 }
const maxStepMs = 25
const maxMemory = 400 * 1024 * 1024
const solves = 7
const quietMs = 1_500
const maxWaitMs = 60_000

const askProbe = (socketPath: string): Promise<LoopFigures> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: '/' }, async (incoming) =>
      resolve(JSON.parse((await incoming.toArray()).join(''))),
    )
    outgoing.on('error', reject)
    outgoing.end()
  })

export const rebuildJob: Job = {
  name: 'rebuild',
  about: 'the event loop of the api while it rebuilds a board of 5,000 teams, 100 challenges and 100,000 solves',
  async run(bench) {
    const database = await bench.openDatabase('rebuild', size.teams)
    const world = await addGame(database.sql, size)
    const socket = path.join(await bench.folder(), 'probe')
    const probe = new URL('../loop-probe.ts', import.meta.url)
    probe.searchParams.set('socket', socket)
    const api = await bench.startApi(database, { flags: ['--import', probe.href] })
    const board = `/api/game/${world.gameId}/scoreboard`
    const first = await ask(api, board)
    let version = first.headers[boardVersionHeader]
    /** Watches the loop until there is a new version, or for `quietMs`. */
    const watch = async (isQuiet: boolean) => {
      await askProbe(socket)
      const startedAtMs = performance.now()
      for (;;) {
        await delay(100)
        const changes = JSON.parse((await ask(api, `${board}/${changesCall}?since=${version}`)).text)
        const elapsedMs = performance.now() - startedAtMs
        if (elapsedMs > maxWaitMs) throw new Error('The board did not change after a solve')
        if (isQuiet ? elapsedMs < quietMs : changes.version === version) continue
        version = changes.version
        return { ...(await askProbe(socket)), elapsedMs, isWhole: changes.whole === true }
      }
    }
    await watch(true)
    const quiet = await watch(true)
    const [busy, faults]: [Awaited<ReturnType<typeof watch>>[], string[]] = [[], []]
    for (const { team, challenge } of world.unsolved(0, solves)) {
      const flag = { method: 'POST' as const, path: world.path(challenge), body: JSON.stringify({ flag: world.flag(challenge) }) }
      const report = await load({ port: api.port, requests: [{ ...flag, headers: { cookie: world.cookie(team) } }] })
      faults.push(...faultsOf('rebuild', [report]))

      busy.push(await watch(false))
    }
    if (busy.some(({ isWhole }) => isWhole)) faults.push('rebuild: a watcher had to read the whole board')
    const memory = await readPeakMemory(api.pid)
    await api.stop()
    // The first rebuild runs code that is not compiled yet.
    const counted = busy.slice(1)
    const longestMs = median(counted.map((turn) => turn.longestMs))
    return {
      rows: [
        atMost('rebuild, longest step of the event loop', longestMs, maxStepMs, milliseconds, {
          limit: `${milliseconds(quiet.longestMs)} quiet`,
        }),
        atMost('api memory, peak of rebuild', memory, maxMemory, megabytes),
      ],
      notes: [
        `rebuild: ${megabytes(first.text.length)} of JSON; a solve is visible after ${milliseconds(median(counted.map(({ elapsedMs }) => elapsedMs)))}; longest steps ${counted.map((turn) => milliseconds(turn.longestMs)).join(', ')}.`,
      ],
      faults,
    }
  },
}
