import type { Bench, Job } from '../bench.ts'
import type { LoadRequest } from '../load/order.ts'
import { withCpu } from '../process-usage.ts'
import { milliseconds, perSecond } from '../report.ts'
import { alternate, summarise } from '../rounds.ts'
import { countStatements } from '../statements.ts'
import { browserHeaders, captureAnswer, cpuRow, faultsOf, kilobytes } from './http.ts'

const mostStatements = 6

/** Teams that are looked up by turns; enough that no single row is all that is ever read. */
const lookedUp = 100

async function requestsOf(bench: Bench): Promise<LoadRequest[]> {
  const { world } = await bench.database()
  const path = `/api/game/${world.gameId}/details`
  return world.players.map(({ cookie }) => ({ method: 'GET', path, headers: { ...browserHeaders, cookie } }))
}

/** A player's view of the game beside a bare route with one indexed select and the same bytes. */
export const detailsJob: Job = {
  name: 'details',
  about: 'reads of the challenge board by players, beside a bare route with one indexed select and the same bytes',
  shareSeconds: 30,
  place: 20,
  async run(bench) {
    const { world, url } = await bench.database()
    const { port, pid } = await bench.api()
    const { seconds, clients } = bench
    const requests = await requestsOf(bench)
    const path = requests[0]?.path ?? ''
    const answer = await captureAnswer(port, path, world.players[0]?.cookie)
    const query = {
      url,
      statement: 'select id, team_id, status, division, token from participations where id = $1',
      parameters: world.players.slice(0, lookedUp).map(({ participationId }) => String(participationId)),
    }
    const bare = await bench.bare({ path: '/api/game/:id/details', ...answer, query })
    const load = (target: number) => bench.load({ port: target, clients, seconds, requests, keepsBodies: false })
    const comparison = await alternate(
      bench.rounds,
      () => withCpu(pid, () => load(port)),
      () => withCpu(bare.pid, () => load(bare.port)),
    )
    const { ours, limit, ratio } = summarise(comparison, (report) => report.perSecond)
    const p99 = summarise(comparison, ({ p99Ms }) => p99Ms)
    const statements = await countStatements(bench, requests.slice(0, 20), requests.slice(0, 20))
    return {
      rows: [
        { job: 'details', ours: perSecond(ours), limit: perSecond(limit), ratio },
        cpuRow('details', comparison),
        {
          job: 'details, statements a request',
          ours: String(statements.most),
          bar: `<= ${mostStatements}`,
          isMet: statements.most <= mostStatements,
        },
      ],
      notes: [
        `details: ${kilobytes(answer.bytes.length)} of ${answer.headers['content-encoding'] ?? 'uncompressed'} JSON; ${clients} clients, p99 ${milliseconds(p99.ours)}, bare ${milliseconds(p99.limit)}; statements ${statements.text}.`,
      ],
      faults: [...faultsOf('details', [...comparison.ours, ...comparison.limit]), ...statements.faults],
    }
  },
}
