import { DatabaseUnavailable } from './database-error.ts'
import { defaultPatience } from './outage.ts'

/**
 * Does `work` until it is known to be done, where the connection may break between the doing and the answer.
 * @param find what an earlier attempt has left, or undefined where it left nothing; by default nobody looks, as doing the work
 *   twice is harmless
 * @param isDone whether a failure of the work says that an earlier attempt was done after all
 */
export const untilKnown = async <Result>(
  work: () => Promise<Result>,
  {
    find = async () => undefined,
    isDone = () => false,
  }: { find?: () => Promise<Result | undefined>; isDone?: (error: unknown) => boolean } = {},
): Promise<Result> => {
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
