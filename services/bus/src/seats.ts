import { SeatCounts } from './seat-counts.ts'

/**
 * Seats that several processes share, with a common maximum per name. Two adapters pass the same tests: one process (here) and
 * Redis (`redis-seats.ts`).
 */
export interface Seats {
  /**
   * Takes one of the `limit` seats of `name`. The seat counts in this process before the first await, so concurrent callers
   * cannot exceed the limit.
   * @returns an idempotent function that frees the seat, undefined if all seats are taken
   */
  take(name: string, limit: number): Promise<(() => void) | undefined>
  /** True if seats are currently counted over all processes. */
  isShared(): boolean
  close(): Promise<void>
}

/** Creates the seats of a single process, for use if `REDIS_URL` is not set. */
export function createInProcessSeats(): Seats {
  const counts = new SeatCounts()
  return {
    async take(name, limit) {
      return counts.take(name, limit) ? callOnce(() => counts.leave(name)) : undefined
    },
    isShared: () => true,
    async close() {},
  }
}

/** Wraps a function so that only the first call runs it. */
export function callOnce(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
