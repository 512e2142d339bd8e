import type { Bench } from '../bench.ts'
import { readPeakMemory } from '../process-usage.ts'
import { type JobResult, megabytes } from '../report.ts'

const mostBytes = 250 * 1024 * 1024

/** The most memory that the api held under all the load before. Nothing if no job needed the api. */
export const measureMemory = async (bench: Bench): Promise<JobResult> => {
  const api = await bench.startedApi()?.catch(() => undefined)
  if (!api) return { rows: [] }
  const bytes = await readPeakMemory(api.pid)
  if (bytes === undefined) return { rows: [{ job: 'api memory', ours: 'skipped: this system has no /proc' }] }
  return {
    rows: [
      {
        job: 'api memory, peak under this load',
        ours: megabytes(bytes),
        bar: `<= ${megabytes(mostBytes)}`,
        isMet: bytes <= mostBytes,
      },
    ],
  }
}
