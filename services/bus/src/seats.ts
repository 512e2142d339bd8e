import { SeatCounts } from './seat-counts.ts'

/**
 * Seats that several processes share: so many may be held at once, by all of them together. Two adapters under the same tests: for
 * one process (here) and on Redis (`redis-seats.ts`).
 */
export interface Seats {
  /**
   * Takes one of the `limit` seats of `name`. It counts in this process before the first wait, so that callers cannot race.
   * @returns what frees it, once, however often it is called; undefined: all are taken
   */
  take(name: string, limit: number): Promise<(() => void) | undefined>
  /** Whether the seats of all processes count at this moment. */
  isShared(): boolean
  /** Frees what this process holds. Safe to call again. */
  close(): Promise<void>
}

/** The seats of a single process: stands in for Redis where `REDIS_URL` is not set (design §2). */
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

/** Does it the first time only. */
export function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
