/** Time comes in, so that tests decide what time it is. */
export interface Clock {
  /** The wall clock. */
  now(): Date
  /** Milliseconds that passed since some fixed moment; a corrected wall clock does not move it. */
  elapsedMs(): number
  /** Calls `run` once after `delayMs`, unless the returned function is called first. */
  after(delayMs: number, run: () => void): () => void
}

/** Longest delay a timer of the runtime can hold (2^31 - 1 ms). */
const longestTimerMs = 2_147_483_647

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, delayMs), longestTimerMs))
    return () => clearTimeout(timer)
  },
}

/** Resolves after `delayMs`, or at once when `signal` is aborted. Never rejects. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const wake = () => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(delayMs, wake)
    signal.addEventListener('abort', wake, { once: true })
  })
}
