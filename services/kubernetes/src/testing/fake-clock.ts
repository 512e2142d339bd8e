import type { Clock } from '../clock.ts'

export interface FakeClock extends Clock {
  /** Advances the time and runs the timers that are due, the earliest first. Lets pending promises settle after each timer. */
  advance(ms: number): Promise<void>
  /** Changes the time of the wall clock but not the elapsed time, as an NTP correction does. */
  correct(ms: number): void
}

export function createFakeClock(start: Date): FakeClock {
  let elapsed = 0
  let correction = 0
  let timers: { atMs: number; run: () => void }[] = []
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    now: () => new Date(start.getTime() + elapsed + correction),
    elapsedMs: () => elapsed,
    after(delayMs, run) {
      const timer = { atMs: elapsed + Math.max(0, delayMs), run }
      timers.push(timer)
      return () => {
        timers = timers.filter((each) => each !== timer)
      }
    },
    async advance(ms) {
      const end = elapsed + ms
      await settle()
      for (;;) {
        const next = timers.filter(({ atMs }) => atMs <= end).sort((a, b) => a.atMs - b.atMs)[0]
        if (!next) break
        elapsed = Math.max(elapsed, next.atMs)
        timers = timers.filter((each) => each !== next)
        next.run()
        await settle()
      }
      elapsed = end
      await settle()
    },
    correct(ms) {
      correction += ms
    },
  }
}
