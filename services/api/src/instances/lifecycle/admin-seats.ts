import { Problem } from '@capstan/contract/problems'

type SeatLimits = Readonly<{
  /** Maximum number of seats in this process. A seat is the permission to open one log or terminal. */
  max: number
  maxPerAdmin: number
  /** Value of `Retry-After` in a refusal. */
  retrySeconds: number
}>

/** Counts and limits the seats of admins, in total and for each admin, so that one admin cannot take the seats of all others. */
export function createAdminSeats({ max, maxPerAdmin, retrySeconds }: SeatLimits) {
  const taken = new Map<string, number>()
  let total = 0
  return {
    /**
     * Takes a seat.
     * @returns a function that frees the seat. The caller must call it once
     * @throws Problem `request.rate-limited`
     */
    take(userId: string): () => void {
      const own = taken.get(userId) ?? 0
      if (total >= max || own >= maxPerAdmin) throw new Problem('request.rate-limited', { retryAfterSeconds: retrySeconds })
      total += 1
      taken.set(userId, own + 1)
      return () => {
        total -= 1
        const left = (taken.get(userId) ?? 1) - 1
        if (left === 0) taken.delete(userId)
        else taken.set(userId, left)
      }
    },
  }
}
