import type { Job } from '../bench.ts'
import { readPeakMemory } from '../process-usage.ts'
import { atMost, megabytes, skipped } from '../report.ts'

const mostBytes = 250 * 1024 * 1024
const name = 'api memory, peak under this load'

/** The most memory that the api held under all the load of the jobs before. */
export const memoryJob: Job = {
  name: 'memory',
  about: 'the most memory that the api held under the load of the jobs before',
  shareSeconds: 1,
  place: 90,
  bars: { [name]: atMost(mostBytes, megabytes) },
  async run(bench) {
    const api = await bench.startedApi()?.catch(() => undefined)
    if (!api) return skipped('memory', 'no job before put load on the api')
    const bytes = await readPeakMemory(api.pid)
    return bytes === undefined ? skipped('memory', 'this system has no /proc') : { figures: { [name]: { value: bytes } } }
  },
}
