import { type ConcurrencyRule, type RateDecision, type RateRule, type RateState, takePermit } from './rate-limit-rules.ts'

/** Remembers what callers have used up. Two adapters under the same tests: in memory (here) and Redis (`rate-limit-redis.ts`). */
export interface RateLimitStore {
  /** Takes one permit of `key`, atomically. */
  take(key: string, rule: RateRule, nowMs: number): Promise<RateDecision>
  /**
   * Enters the row of `key`, or says again that the holder is alive.
   * @returns how many are before it, or undefined when the row is full
   */
  enter(key: string, holder: string, rule: ConcurrencyRule, nowMs: number): Promise<number | undefined>
  /** Leaves the row. Unknown holders are ignored. */
  leave(key: string, holder: string): Promise<void>
  close(): Promise<void>
}

const sweepEveryMs = 60_000

/** Callers that are remembered; of more, those that were quiet for longest are forgotten. */
const defaultKeysMax = 100_000

interface Remembered {
  readonly state: RateState
  readonly forgetAtMs: number
}

const nothing: RateState = new Map()

/** For one process. Forgets callers that have nothing to wait for. */
export const createMemoryRateLimitStore = ({ keysMax = defaultKeysMax } = {}): RateLimitStore => {
  const permits = new Map<string, Remembered>()
  /** Holders in order of arrival -> when they are taken for dead. */
  const rows = new Map<string, Map<string, number>>()
  let sweptAtMs = 0

  const sweep = (nowMs: number): void => {
    if (nowMs - sweptAtMs < sweepEveryMs) return
    sweptAtMs = nowMs
    for (const [key, { forgetAtMs }] of permits) if (forgetAtMs <= nowMs) permits.delete(key)
  }

  const dropDead = (row: Map<string, number>, nowMs: number): void => {
    for (const [holder, deadAtMs] of row) if (deadAtMs <= nowMs) row.delete(holder)
  }

  return {
    async take(key, rule, nowMs) {
      sweep(nowMs)
      const { decision, state, forgetAtMs } = takePermit(rule, permits.get(key)?.state ?? nothing, nowMs)
      permits.delete(key)
      permits.set(key, { state, forgetAtMs })
      for (const oldest of permits.keys()) {
        if (permits.size <= keysMax) break
        permits.delete(oldest)
      }
      return decision
    },
    async enter(key, holder, rule, nowMs) {
      const row = rows.get(key) ?? new Map<string, number>()
      rows.set(key, row)
      dropDead(row, nowMs)
      if (!row.has(holder) && row.size >= rule.running + rule.queued) return undefined
      row.set(holder, nowMs + rule.leaseMs)
      return [...row.keys()].indexOf(holder)
    },
    async leave(key, holder) {
      const row = rows.get(key)
      row?.delete(holder)
      if (row?.size === 0) rows.delete(key)
    },
    async close() {
      permits.clear()
      rows.clear()
    },
  }
}
