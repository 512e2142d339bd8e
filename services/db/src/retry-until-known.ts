import { DatabaseUnavailable } from './database-error.ts'
import { defaultPatience } from './outage.ts'

/**
 * Runs `work`, with retries if the database connection breaks before the commit is confirmed.
 * @param find function that returns the result of an earlier attempt, or undefined if no earlier attempt succeeded. Without
 * `find`, `work` must be safe to repeat.
 * @param isDone true if an error of `work` proves that an earlier attempt succeeded
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
