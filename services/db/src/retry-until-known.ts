import { DatabaseUnavailable } from './database-error.ts'
import { defaultPatience } from './outage.ts'

/**
 * Runs `work`, and retries it while its outcome is unknown. The outcome is unknown if the connection breaks between the commit and
 * its response.
 * @param find returns the result of an earlier attempt that had an effect, or undefined. By default, `work` always runs again. Each
 * further run must then be harmless.
 * @param isDone true if an error of the work proves that an earlier attempt succeeded
 */
export async function retryUntilOutcomeKnown<Result>(
  work: () => Promise<Result>,
  {
    find = async () => undefined,
    isDone = () => false,
  }: { find?: () => Promise<Result | undefined>; isDone?: (error: unknown) => boolean } = {},
): Promise<Result> {
  let untilMs: number | undefined
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isUnknown = error instanceof DatabaseUnavailable && error.isOutcomeUnknown
      untilMs ??= performance.now() + defaultPatience.waitMs
      if (!(isUnknown || isDone(error)) || performance.now() >= untilMs) throw error
      const found = await find()
      if (found !== undefined) return found
    }
  }
}
