import type { Clock } from './clock.ts'

/** A difference up to this is rounding and the way of an answer, in milliseconds: `Date` counts whole seconds. */
const toleratedMs = 2000

/**
 * The API server's wall clock. Everything that ends at a time was written by somebody whose clock is compared with that server's,
 * so a node whose own clock is wrong must not end instances early or late.
 */
export function followServerClock(clock: Clock): Clock & {
  /** Told the `Date` of each answer (RFC 9110, section 6.6.1). */
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
