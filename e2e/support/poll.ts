import { setTimeout as wait } from 'node:timers/promises'

export type PollOptions = Readonly<{
  /** Give up after this long; 30 s unless told: against hanging, not a measure. */
  timeoutMs?: number
  /** Pause between two looks; 100 ms unless told. */
  everyMs?: number
}>

/**
 * Looks until `look` gives something other than undefined, null or false, and returns that.
 * A look that throws counts as "not yet"; its error is the cause when time is up.
 * @param description what is waited for, as it completes "Waited 30000 ms for …"
 */
export async function poll<Value>(
  description: string,
  look: () => Promise<Value> | Value,
  { timeoutMs = 30_000, everyMs = 100 }: PollOptions = {},
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
