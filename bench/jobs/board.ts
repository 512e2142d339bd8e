import { sendRequest } from '../ask.ts'
import type { Job } from '../bench.ts'
import { createCpuRow, measureCpuOfLoad, type Target, toRatePerCpuSecond } from '../measure.ts'
import { measureAlternately, summarizeByMedian } from '../statistics.ts'
import { createRowWithMinRatio, kilobytes, perSecond } from '../table.ts'

/** Headers that affect how a client decodes and caches a response. */
const contentHeaders = ['content-type', 'content-encoding', 'etag', 'cache-control', 'vary']
const minRatio = 0.75
const readsPerRound = 8_000

export const job: Job = {
  name: 'board',
  about: 'reads of a scoreboard of 500 teams and 50 challenges, compared with a bare Fastify route that sends the same bytes',
  async run(bench) {
    const { boardPath } = await bench.addGame()
    const api = await bench.api()
    const { headers, bytes } = await sendRequest(api, { path: boardPath })
    const sent = contentHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
    const bare = await bench.startBare({ headers: Object.fromEntries(sent), bytes })
    const read = (target: Target) => () => measureCpuOfLoad(target, { requests: [{ path: boardPath }], amount: readsPerRound })
    const reads = await measureAlternately(5, read(api), read(bare))
    return [
      createRowWithMinRatio(
        'scoreboard reads by CPU of the server',
        summarizeByMedian(reads, toRatePerCpuSecond),
        minRatio,
        perSecond,
      ),
      createCpuRow('scoreboard read', reads.ours),
      { job: 'scoreboard, compressed', ours: kilobytes(bytes.length) },
    ]
  },
}
