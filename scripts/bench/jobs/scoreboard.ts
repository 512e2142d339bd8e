import type { Job } from '../bench.ts'
import { withCpu } from '../process-usage.ts'
import { milliseconds, perSecond } from '../report.ts'
import { alternate, summarise } from '../rounds.ts'
import { browserHeaders, captureAnswer, cpuRow, faultsOf, kilobytes } from './http.ts'

const leastRatio = 0.75

/** Reading the scoreboard beside a bare route that sends the same bytes. */
export const scoreboardJob: Job = {
  name: 'scoreboard',
  about: 'reads of a scoreboard of 500 teams and 50 challenges, beside a bare route with the same bytes',
  shareSeconds: 40,
  place: 10,
  async run(bench) {
    const { world } = await bench.database()
    const { port, pid } = await bench.api()
    const path = `/api/game/${world.gameId}/scoreboard`
    const answer = await captureAnswer(port, path)
    const bare = await bench.bare({ path: '/api/game/:id/scoreboard', ...answer })
    const { seconds, clients } = bench
    const requests = [{ method: 'GET' as const, path, headers: browserHeaders }]
    const load = (target: number) => bench.load({ port: target, clients, seconds, requests, keepsBodies: false })
    const comparison = await alternate(
      bench.rounds,
      () => withCpu(pid, () => load(port)),
      () => withCpu(bare.pid, () => load(bare.port)),
    )
    const { ours, limit, ratio } = summarise(comparison, (report) => report.perSecond)
    const p99 = summarise(comparison, ({ p99Ms }) => p99Ms)
    const row = { job: 'scoreboard', ours: perSecond(ours), limit: perSecond(limit), ratio }
    return {
      rows: [{ ...row, bar: `>= ${leastRatio}`, isMet: ratio >= leastRatio }, cpuRow('scoreboard', comparison, leastRatio)],
      notes: [
        `scoreboard: ${kilobytes(answer.bytes.length)} of ${answer.headers['content-encoding'] ?? 'uncompressed'} JSON; ${clients} clients, p99 ${milliseconds(p99.ours)}, bare ${milliseconds(p99.limit)}.`,
      ],
      faults: faultsOf('scoreboard', [...comparison.ours, ...comparison.limit]),
    }
  },
}
