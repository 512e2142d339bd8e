import { SeatCounts } from './seat-counts.ts'

/**
 * Limits that several processes share. Each limit has a name and a maximum number of seats, and each counted use
 * takes a seat. Two adapters pass the same tests: one counts in this process only (here), the other in Redis
 * (`redis-seats.ts`).
 */
export interface Seats {
  /**
   * Takes one of the `limit` seats of `name`. This process counts the seat before the first await, so its concurrent callers
   * cannot exceed the limit.
   * @returns an idempotent function that frees the seat, undefined if all seats are taken
   */
  take(name: string, limit: number): Promise<(() => void) | undefined>
  /** True if this process currently counts seats together with all other processes. */
  isShared(): boolean
  close(): Promise<void>
}

/** Creates the adapter that counts seats in a single process. Processes use this adapter if `REDIS_URL` is not set. */
export function createInProcessSeats(): Seats {
  const counts = new SeatCounts()
  return {
    async take(name, limit) {
      return counts.take(name, limit) ? makeIdempotent(() => counts.leave(name)) : undefined
    },
    isShared: () => true,
    async close() {},
  }
}

/** Returns a function that calls `act` only on its first call. */
export function makeIdempotent(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
