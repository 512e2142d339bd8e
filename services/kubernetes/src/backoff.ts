/** Growing delays between attempts. */
export interface Backoff {
  /** Delay before the second attempt, in milliseconds. */
  firstMs: number
  /** Longest delay, in milliseconds. */
  capMs: number
}

/**
 * Delay in milliseconds after `failures` failed attempts in a row (1 or more): doubles up to the cap, then a random part of its
 * upper half, so that many who failed together do not come back together. `random` is in [0, 1).
 */
export function backoffMs({ firstMs, capMs }: Backoff, failures: number, random: () => number): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return full / 2 + (full / 2) * random()
}
