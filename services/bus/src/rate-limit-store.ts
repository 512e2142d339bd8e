import { type ConcurrencyRule, type RateDecision, type RateRule, type RateState, takePermit } from './rate-limit-rules.ts'

/** Stores the state of rate limits. Two adapters under the same tests: in memory (here) and Redis (`rate-limit-redis.ts`). */
export interface RateLimitStore {
  /** Takes one permit of `key`, atomically. */
  take(key: string, rule: RateRule, nowMs: number): Promise<RateDecision>
  /**
   * Enters the queue of `key`. A holder that is in it already keeps its place and renews its lease.
   * @returns how many holders are before it, or undefined when the queue is full
   */
  enter(key: string, holder: string, rule: ConcurrencyRule, nowMs: number): Promise<number | undefined>
  /** Leaves the queue. Unknown holders are ignored. */
  leave(key: string, holder: string): Promise<void>
  close(): Promise<void>
}

const sweepEveryMs = 60_000

/** How many keys are stored. Beyond that, the keys without a call for the longest time are deleted. */
const defaultKeysMax = 100_000

interface Remembered {
  readonly state: RateState
  readonly forgetAtMs: number
}

const nothing: RateState = new Map()

/** For one process. Keys whose state no longer matters are deleted once a minute. */
export const createMemoryRateLimitStore = ({ keysMax = defaultKeysMax } = {}): RateLimitStore => {
  const permits = new Map<string, Remembered>()
  /** For each key, the holders in order of arrival and the time at which each lease ends. */
  const queues = new Map<string, Map<string, number>>()
  let sweptAtMs = 0

  const sweep = (nowMs: number): void => {
    if (nowMs - sweptAtMs < sweepEveryMs) return
    sweptAtMs = nowMs
    for (const [key, { forgetAtMs }] of permits) if (forgetAtMs <= nowMs) permits.delete(key)
  }

  const dropExpired = (queue: Map<string, number>, nowMs: number): void => {
    for (const [holder, leaseEndMs] of queue) if (leaseEndMs <= nowMs) queue.delete(holder)
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
      const queue = queues.get(key) ?? new Map<string, number>()
      queues.set(key, queue)
      dropExpired(queue, nowMs)
      if (!queue.has(holder) && queue.size >= rule.running + rule.queued) return undefined
      queue.set(holder, nowMs + rule.leaseMs)
      return [...queue.keys()].indexOf(holder)
    },
    async leave(key, holder) {
      const queue = queues.get(key)
      queue?.delete(holder)
      if (queue?.size === 0) queues.delete(key)
    },
    async close() {
      permits.clear()
      queues.clear()
    },
  }
}
