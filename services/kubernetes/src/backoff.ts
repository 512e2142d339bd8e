export interface Backoff {
  /** Delay before the second attempt, in ms. */
  firstMs: number
  /** Maximum delay, in ms. */
  capMs: number
}

/**
 * Returns the delay in ms after `failures` consecutive failures (1 or more). The delay doubles up to the maximum. Up to
 * half of the delay is random, so that clients do not retry together. `random` is in [0, 1).
 */
export function getBackoffMs({ firstMs, capMs }: Backoff, failures: number, random: () => number): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return full / 2 + (full / 2) * random()
}
