import type { Clock } from './clock.ts'

/** Tolerated difference in ms, for rounding and latency, since `Date` has whole seconds. */
const toleratedMs = 2000

/**
 * Returns the API server's wall clock. The writers of expiry times follow this clock. A node with a wrong clock must not end
 * instances early or late.
 */
export function followServerClock(clock: Clock): Clock & {
  /** Observes the `Date` header of each answer (RFC 9110, section 6.6.1). */
  observe(serverDate: Date): void
} {
  let offsetMs = 0
  return {
    ...clock,
    now: () => new Date(clock.now().getTime() + offsetMs),
    observe(serverDate) {
      const differenceMs = serverDate.getTime() + 500 - clock.now().getTime()
      offsetMs = Math.abs(differenceMs) > toleratedMs ? differenceMs : 0
    },
  }
}
