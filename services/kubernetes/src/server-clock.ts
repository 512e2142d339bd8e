import type { Clock } from './clock.ts'

/** Maximum difference that is ignored, in ms. A `Date` header has whole seconds, and the response takes some time to arrive. */
const toleratedMs = 2000

/**
 * Returns a clock that shows the time of the API server. Expiry times use the same clock, so a node with a wrong
 * clock ends instances neither early nor late.
 */
export function createServerClock(clock: Clock): Clock & {
  /** Observes the `Date` header of each response (RFC 9110, section 6.6.1). */
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
