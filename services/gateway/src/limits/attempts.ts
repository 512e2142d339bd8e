import type { FixedWindowRule } from '@capstan/bus/rate-limit-rules'
import type { RateLimitStore } from '@capstan/bus/rate-limit-store'

const windowMs = 60_000
const rememberedMax = 10_000

export interface AttemptsOptions {
  /** Counts in this process, or for all that use one Redis. */
  readonly store: RateLimitStore
  /** Milliseconds since 1970, on a clock that never goes back. */
  readonly now: () => number
}

/**
 * Counts attempts of clients per minute. The first attempt starts the minute. A client that used up its attempts is refused until
 * the minute ends. The end is stored here, so that refused attempts reach neither Redis nor the api.
 */
export class Attempts {
  readonly #options: AttemptsOptions
  /** When each refusal is over, in order of refusal. */
  readonly #refusals = new Map<string, number>()

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /** Counts one. @returns seconds until another makes sense; undefined: it may go on */
  async refuse(key: string, perMinute: number): Promise<number | undefined> {
    const known = this.refusedFor(key)
    if (known !== undefined) return known
    const rule: FixedWindowRule = { kind: 'fixed-window', count: perMinute, windowMs }
    const decision = await this.#options.store.take(key, rule, Math.floor(this.#options.now()))
    if (decision.kind !== 'refuse') return undefined
    this.#remember(key, this.#options.now() + decision.retryAfterMs)
    return secondsOf(decision.retryAfterMs)
  }

  /** Seconds of a refusal that is already known here. Counts nothing and does not ask Redis. */
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
      if (this.#refusals.size <= rememberedMax && oldestEnd > this.#options.now()) return
      this.#refusals.delete(oldest)
    }
  }
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))
