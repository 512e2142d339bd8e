import type { Clock } from '../../server/http/clock.ts'
import type { InstanceRuntime, MeasuredUsages } from './runtime.ts'

/** Age at which usage is measured anew. */
const freshMs = 5_000

const unknown: MeasuredUsages = new Map()

type UsageReaderDeps = Readonly<{
  runtime: Pick<InstanceRuntime, 'readUsage'>
  clock: Clock
  log: { warn(fields: object, text: string): void }
}>

/**
 * What instances use, measured when somebody asks: one measurement at a time for everybody, kept for some seconds. Where it fails,
 * nothing is known; the first failure of a row of them is logged.
 */
export function createUsageReader({ runtime, clock, log }: UsageReaderDeps) {
  let measured: Promise<MeasuredUsages> = Promise.resolve(unknown)
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let isFailing = false

  const measure = async (): Promise<MeasuredUsages> => {
    try {
      const usages = (await runtime.readUsage?.()) ?? unknown
      isFailing = false
      return usages
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'Could not measure what instances use')
      isFailing = true
      return unknown
    } finally {
      freshUntilMs = clock.now().getTime() + freshMs
    }
  }

  return {
    read(): Promise<MeasuredUsages> {
      if (clock.now().getTime() >= freshUntilMs) {
        freshUntilMs = Number.POSITIVE_INFINITY
        measured = measure()
      }
      return measured
    },
  }
}
