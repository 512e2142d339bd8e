import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startApiProcess } from '../api-process.ts'
import type { Bench, Job } from '../bench.ts'
import { createLargeGame } from '../large-game.ts'
import type { LoopFigures } from '../loop-probe.ts'
import { readPeakMemory } from '../process-usage.ts'
import { megabytes, milliseconds } from '../report.ts'
import { median } from '../statistics.ts'
import { readAnswer } from './http.ts'

const size = { teams: 5_000, challenges: 100, solves: 100_000 }
const mostSumMs = 20
const mostStepMs = 5
const mostBytes = 400 * 1024 * 1024
const solvesMeasured = 7
const quietMs = 1_500

function askProbe(socketPath: string): Promise<LoopFigures> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: '/' }, async (incoming) => {
      const text = (await incoming.toArray()).join('')
      resolve(JSON.parse(text) as LoopFigures)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

async function startMeasured(bench: Bench) {
  const { url } = await bench.database()
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-rebuild-'))
  bench.onClose(() => rm(folder, { recursive: true, force: true }))
  const socket = path.join(folder, 'probe')
  const probe = new URL('../loop-probe.ts', import.meta.url)
  probe.searchParams.set('socket', socket)
  const flags = [...bench.nodeFlags, '--import', probe.href]
  const api = await startApiProcess({
    databaseUrl: url,
    secretKey: bench.secretKey,
    blobFolder: path.join(folder, 'files'),
    flags,
  })
  bench.onClose(api.stop)
  return { api, socket }
}

/** Building the board anew after each solve of a large game: what the event loop of the api has to do for it. */
export const rebuildJob: Job = {
  name: 'rebuild',
  about: 'the event loop while the board of 5,000 teams, 100 challenges and 100,000 solves takes up a solve',
  shareSeconds: 35,
  async run(bench) {
    const { sql } = await bench.database()
    const game = await createLargeGame(sql, size)
    const { api, socket } = await startMeasured(bench)
    const board = `/api/game/${game.gameId}/scoreboard`
    const first = await readAnswer(api.port, board)
    let version = String(first.headers['x-board-version'])

    /** What the loop does until a new version is there, or for a while. */
    const watch = async (untilNew: boolean) => {
      await askProbe(socket)
      const startedAtMs = performance.now()
      let asked = 0
      for (;;) {
        await delay(100)
        const { body } = await readAnswer(api.port, `${board}/rows?since=${version}`)
        asked += 1
        const changes = JSON.parse(body) as { version: string; whole: boolean }
        if (untilNew ? changes.version !== version : performance.now() - startedAtMs > quietMs) {
          version = changes.version
          return { ...(await askProbe(socket)), asked, wasWhole: changes.whole, elapsedMs: performance.now() - startedAtMs }
        }
      }
    }
    await watch(false)
    const quiet = await watch(false)
    const busy: Awaited<ReturnType<typeof watch>>[] = []
    for (let turn = 0; turn < solvesMeasured; turn += 1) {
      await game.addSolve()
      busy.push(await watch(true))
    }
    // The first one finds nothing compiled.
    const counted = busy.slice(1)
    const quietPerAnswer = quiet.cpuMs / quiet.asked
    const sumMs = median(counted.map(({ cpuMs, asked }) => Math.max(0, cpuMs - asked * quietPerAnswer)))
    const stepMs = median(counted.map(({ longestMs }) => longestMs))
    const memory = await readPeakMemory(api.pid)
    await api.stop()
    return {
      rows: [
        {
          job: 'rebuild, event loop in all',
          ours: milliseconds(sumMs),
          bar: `<= ${mostSumMs} ms`,
          isMet: sumMs <= mostSumMs,
        },
        {
          job: 'rebuild, longest step',
          ours: milliseconds(stepMs),
          limit: `${milliseconds(quiet.longestMs)} quiet`,
          bar: `<= ${mostStepMs} ms`,
          isMet: stepMs <= mostStepMs,
        },
        memory === undefined
          ? { job: 'api memory at 5,000 x 100', ours: 'skipped: this system has no /proc' }
          : {
              job: 'api memory at 5,000 x 100',
              ours: megabytes(memory),
              bar: `<= ${megabytes(mostBytes)}`,
              isMet: memory <= mostBytes,
            },
      ],
      notes: [
        `rebuild: ${size.teams} teams, ${size.challenges} challenges, ${size.solves} solves, a board of ${megabytes(first.body.length)}; a solve shows after ${milliseconds(median(counted.map(({ elapsedMs }) => elapsedMs)))}; loop by solve: ${counted.map(({ cpuMs, asked, longestMs }) => `${(cpuMs - asked * quietPerAnswer).toFixed(1)} (${longestMs.toFixed(1)})`).join(', ')} ms.`,
      ],
      faults: busy.some(({ wasWhole }) => wasWhole) ? ['rebuild: a watcher was sent for the whole board'] : [],
    }
  },
}
