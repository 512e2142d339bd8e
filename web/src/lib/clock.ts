/** Answers that took longer do not tell the server's time well enough. */
const vagueMs = 10_000
/** A smaller difference is ignored: the header has whole seconds only, and clocks drift. */
const toleranceMs = 2_000

/**
 * The server's time by the visitor's clock and what the answers' `Date` headers say of it: a game begins and
 * ends for everybody at once, also where the clock of a computer is minutes wrong.
 */
export function createClock(local: () => number = Date.now) {
  let offsetMs = 0
  const now = (): number => local() + offsetMs
  return {
    /** Milliseconds since 1970. */
    now,
    /** Learns from an answer to a call. @param sentAt `now()` when the call was sent */
    learn: (dateHeader: string | null, sentAt: number): void => {
      const second = dateHeader === null ? Number.NaN : Date.parse(dateHeader)
      const receivedAt = now()
      if (Number.isNaN(second) || receivedAt - sentAt > vagueMs || receivedAt < sentAt) return
      // The header was written between the two, somewhere in its second.
      const least = second - receivedAt
      const most = second + 1000 - sentAt
      if (least > toleranceMs || most < -toleranceMs) offsetMs += (least + most) / 2
    },
  }
}

export const { now: serverNow, learn: learnServerTime } = createClock()
