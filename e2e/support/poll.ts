import { setTimeout as wait } from 'node:timers/promises'

export type PollOptions = Readonly<{
  /**
   * Timeout in ms. Default: 5 minutes. The timeout is long, because a loaded machine is ten times slower. It matters
   * only if a value never arrives.
   */
  timeoutMs?: number
  /** Pause between two calls in ms. Default: 100. */
  everyMs?: number
}>

/**
 * Calls `look` until it returns a value other than undefined, null or false, and returns that value. After an error, `look` is
 * called again. The last error is the cause of the timeout error.
 * @param description completes the sentence "Waited 300000 ms for …"
 */
export async function poll<Value>(
  description: string,
  look: () => Promise<Value> | Value,
  { timeoutMs = 300_000, everyMs = 100 }: PollOptions = {},
): Promise<NonNullable<Exclude<Value, false>>> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    let cause: unknown
    try {
      const seen = await look()
      if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<Exclude<Value, false>>
    } catch (error) {
      cause = error
    }
    if (Date.now() >= deadline) throw new Error(`Waited ${timeoutMs} ms for ${description}`, { cause })
    await wait(everyMs)
  }
}
