import type { Clock } from '../../server/http/clock.ts'
import type { InstanceRuntime, MeasuredUsages } from './runtime.ts'
import { waitUpToMs } from './wait-up-to-ms.ts'

const freshMs = 5_000

/** Default of `waitMs`. This time is short, because responses that also contain other data wait for the measurement. */
const soonMs = 2_000

type UsageReaderDeps = Readonly<{
  runtime: Pick<InstanceRuntime, 'readUsage'>
  clock: Clock
  log: { warn(fields: object, text: string): void }
  /** Maximum time that `readSoon` waits, in ms. */
  waitMs?: number
}>

/**
 * Measures the usage of instances on demand. All callers share one measurement, and its result is cached for some seconds.
 * After a failure the usage is unknown, and only the first of several failures is logged.
 */
export function createUsageReader({ runtime, clock, log, waitMs = soonMs }: UsageReaderDeps) {
  let measured: Promise<MeasuredUsages | undefined> = Promise.resolve(undefined)
  let latest: MeasuredUsages | undefined = new Map()
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let isFailing = false

  const measure = async (): Promise<MeasuredUsages | undefined> => {
    try {
      latest = await runtime.readUsage?.()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'Could not measure the resource usage of instances')
      isFailing = true
      latest = undefined
    }
    freshUntilMs = clock.now().getTime() + freshMs
    return latest
  }

  /** @returns undefined if this installation does not measure containers */
  const read = (): Promise<MeasuredUsages | undefined> => {
    if (clock.now().getTime() >= freshUntilMs) {
      freshUntilMs = Number.POSITIVE_INFINITY
      measured = measure()
    }
    return measured
  }

  return {
    read,
    /** Like `read`, but returns the previous measurement if a new measurement takes longer than `waitMs`. */
    readSoon: async (): Promise<MeasuredUsages | undefined> => (await waitUpToMs(waitMs, read())) ?? latest,
  }
}

export type UsageReader = ReturnType<typeof createUsageReader>
