import type { Clock } from './clock.ts'

/** Maximum difference that is ignored, in ms. `Date` has whole seconds, and an answer takes time. */
const toleratedMs = 2000

/**
 * Returns a clock that follows the API server's wall clock, which the writers of expiry times also follow. So a node with a wrong
 * clock does not end instances early or late.
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
