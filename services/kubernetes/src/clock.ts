export interface Clock {
  now(): Date
  elapsedMs(): number
  /** Calls `run` once after `delayMs`, unless the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void
}

/** Maximum delay of a timer (2^31 - 1 ms). */
const maxTimerMs = 2_147_483_647

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, delayMs), maxTimerMs))
    return () => clearTimeout(timer)
  },
}

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
