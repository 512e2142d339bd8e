import { SeatCounts } from './seat-counts.ts'

/**
 * Seats that several processes share: all of them together hold at most a given number at once. Two adapters under the same tests: for
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
  /** Frees all seats of this process. Safe to call again. */
  close(): Promise<void>
}

/** The seats of a single process, used where `REDIS_URL` is not set. */
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
