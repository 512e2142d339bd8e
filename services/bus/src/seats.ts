import { SeatCounts } from './seat-counts.ts'

/**
 * Seats that several processes share, with a common maximum per name. Two adapters pass the same tests: one process (here) and
 * Redis (`redis-seats.ts`).
 */
export interface Seats {
  /**
   * Takes one of the `limit` seats of `name`. The seat counts in this process before the first await, so callers cannot race.
   * @returns an idempotent function that frees the seat, undefined if all seats are taken
   */
  take(name: string, limit: number): Promise<(() => void) | undefined>
  /** True if the seats of all processes currently count. */
  isShared(): boolean
  close(): Promise<void>
}

/** Creates the seats of a single process, for use without `REDIS_URL`. */
export function createInProcessSeats(): Seats {
  const counts = new SeatCounts()
  return {
    async take(name, limit) {
      return counts.take(name, limit) ? once(() => counts.leave(name)) : undefined
    },
    isShared: () => true,
    async close() {},
  }
}

/** Wraps a function so that only the first call runs it. */
export function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
