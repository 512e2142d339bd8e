import { setTimeout as delay } from 'node:timers/promises'
import type { BoardChanges } from '@capstan/contract/board-changes'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { findFreePort } from '@capstan/db/testing/find-free-port'
import { sendRequest } from '../ask.ts'
import type { Job } from '../bench.ts'
import { median } from '../statistics.ts'
import { createRowWithMaximum, milliseconds } from '../table.ts'
import { addGame } from '../world.ts'

const size = { teams: 5_000, challenges: 100, solvedByTeam: 20 }
const maxStepMs = 25
const solves = 7
const maxWaitMs = 60_000

export const job: Job = {
  name: 'rebuild',
  about: 'the event loop of the api while it rebuilds a board of 5,000 teams, 100 challenges and 100,000 solves',
  async run(bench) {
    const database = await bench.openDatabase('rebuild', size.teams)
    const { boardPath, takeSolves } = await addGame(database.sql, size)
    const probeAddress = { port: await findFreePort() }
    const probe = new URL(`../loop-probe.ts?port=${probeAddress.port}`, import.meta.url)
    const api = await bench.startApi(database, ['--import', probe.href])
    const readLongestMs = async () => Number((await sendRequest(probeAddress, { path: '/' })).text())
    let version = (await sendRequest(api, { path: boardPath })).headers[boardVersionHeader]
    /** Polls the changes of the board every 100 ms until there is a new version. The polls simulate the load of many open pages. */
    const watch = async () => {
      await readLongestMs()
      const startedAtMs = performance.now()
      while (performance.now() < startedAtMs + maxWaitMs) {
        await delay(100)
        const answer = await sendRequest(api, { path: `${boardPath}/rows?since=${version}` })
        const { whole, version: next } = JSON.parse(answer.text()) as BoardChanges
        if (whole) throw new Error('A watcher had to read the whole board')
        if (next === version) continue
        version = next
        return { elapsedMs: performance.now() - startedAtMs, longestMs: await readLongestMs() }
      }
      throw new Error('The board did not change after a solve')
    }
    const turns: Awaited<ReturnType<typeof watch>>[] = []
    for (const solve of takeSolves(solves)) {
      await sendRequest(api, solve)
      turns.push(await watch())
    }
    await api.stop()
    // Ignore the first rebuild, because its code is not compiled yet.
    const medianOf = (name: 'longestMs' | 'elapsedMs') => median(turns.slice(1).map((turn) => turn[name]))
    return [
      createRowWithMaximum('rebuild, longest step of the event loop', medianOf('longestMs'), maxStepMs, milliseconds),
      { job: 'rebuild, from solve to changed board', ours: milliseconds(medianOf('elapsedMs')) },
    ]
  },
}
