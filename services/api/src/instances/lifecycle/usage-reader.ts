import type { Clock } from '../../server/http/clock.ts'
import type { InstanceRuntime, MeasuredUsages } from './runtime.ts'

const freshMs = 5_000

const unknown: MeasuredUsages = new Map()

type UsageReaderDeps = Readonly<{
  runtime: Pick<InstanceRuntime, 'readUsage'>
  clock: Clock
  log: { warn(fields: object, text: string): void }
}>

/**
 * Measures the usage of instances on demand. All callers share one measurement, and its result is cached for some seconds.
 * After a failure the usage is unknown, and only the first of several failures is logged.
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
      if (!isFailing) log.warn({ err: error }, 'Could not measure the resource usage of instances')
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
