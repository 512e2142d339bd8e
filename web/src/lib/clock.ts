/**
 * Maximum duration of a call whose `Date` header is used, in ms. After a longer call, the time at which the server wrote the
 * header is too uncertain.
 */
const vagueMs = 10_000
/**
 * Tolerated difference between the visitor's clock and the server's clock, in ms. The `Date` header contains only whole seconds,
 * and clocks drift.
 */
const toleranceMs = 2_000

/**
 * Creates a clock that shows the server's time. It combines the visitor's clock with the `Date` headers of responses. A game
 * therefore starts and ends at the same time for all visitors, even if a local clock is wrong.
 */
export function createServerTimeClock(local: () => number = Date.now) {
  let offsetMs = 0
  const now = (): number => local() + offsetMs
  return {
    now,
    /** Adjusts the clock to a response. @param sentAt `now()` when the call was sent */
    learn: (dateHeader: string | null, sentAt: number): void => {
      const second = dateHeader === null ? Number.NaN : Date.parse(dateHeader)
      const receivedAt = now()
      if (Number.isNaN(second) || receivedAt - sentAt > vagueMs || receivedAt < sentAt) return
      // The server wrote the header after `sentAt` and before `receivedAt`. The header has a resolution of one second.
      const least = second - receivedAt
      const most = second + 1000 - sentAt
      if (least > toleranceMs || most < -toleranceMs) offsetMs += (least + most) / 2
    },
  }
}

export const { now: serverNow, learn: learnServerTime } = createServerTimeClock()
