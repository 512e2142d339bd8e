import type { FixedWindowRule } from '@capstan/bus/rate-limit-rules'
import type { RateLimitStore } from '@capstan/bus/rate-limit-store'

const windowMs = 60_000
const maxRemembered = 10_000

export type AttemptsOptions = Readonly<{
  /** Store of the counts: in the memory of this process, or in a Redis that several processes share. */
  store: RateLimitStore
  /** Returns the current time in ms since 1970, from a clock that never goes back. */
  now: () => number
}>

/**
 * Counts attempts of clients per minute. The minute starts with the first attempt. A client that exceeds the limit is refused
 * until the minute ends. This object caches refusals, so refused attempts cause calls neither to Redis nor to the api.
 */
export class Attempts {
  readonly #options: AttemptsOptions
  readonly #refusals = new Map<string, number>()

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /**
   * Counts an attempt.
   * @returns seconds to wait, or undefined if the attempt is allowed
   */
  async refuse(key: string, perMinute: number): Promise<number | undefined> {
    const known = this.refusedFor(key)
    if (known !== undefined) return known
    const rule: FixedWindowRule = { kind: 'fixed-window', count: perMinute, windowMs }
    const decision = await this.#options.store.take(key, rule, Math.floor(this.#options.now()))
    if (decision.kind !== 'refuse') return undefined
    this.#remember(key, this.#options.now() + decision.retryAfterMs)
    return secondsOf(decision.retryAfterMs)
  }

  /** Returns the remaining seconds of a cached refusal. Does not count an attempt and sends nothing to Redis. */
  refusedFor(key: string): number | undefined {
    const end = this.#refusals.get(key)
    if (end === undefined) return undefined
    const leftMs = end - this.#options.now()
    if (leftMs > 0) return secondsOf(leftMs)
    this.#refusals.delete(key)
    return undefined
  }

  #remember(key: string, end: number): void {
    this.#refusals.delete(key)
    this.#refusals.set(key, end)
    for (const [oldest, oldestEnd] of this.#refusals) {
      if (this.#refusals.size <= maxRemembered && oldestEnd > this.#options.now()) return
      this.#refusals.delete(oldest)
    }
  }
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
