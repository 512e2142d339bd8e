import { SeatCounts } from '@capstan/contract/seat-counts'

/**
 * Limits that several processes share. Each limit has a name and a maximum number of seats, and each counted use
 * takes a seat. Two adapters pass the same tests: one counts in this process only (here), the other in Redis
 * (`redis-seats.ts`).
 */
export interface Seats {
  /**
   * Counts a use of the limit `name`. At most `limit` uses may exist at a time.
   * @returns an idempotent function that ends the use, undefined if the limit is reached
   */
  take(name: string, limit: number): Promise<(() => void) | undefined>
  /** True if this process currently counts seats together with all other processes. */
  isShared(): boolean
  close(): Promise<void>
}

/** Creates the adapter that counts seats in a single process. Processes use this adapter if `REDIS_URL` is not set. */
export function createInProcessSeatCounter(): Seats {
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
