import { type ConcurrencyRule, type RateDecision, type RateRule, type RateState, takeRatePermit } from './rate-limit-rules.ts'

/** Stores the state of rate limits. Two adapters pass the same tests: in memory (here) and Redis (`rate-limit-redis.ts`). */
export interface RateLimitStore {
  take(key: string, rule: RateRule, nowMs: number): Promise<RateDecision>
  /**
   * Adds a holder to the queue of `key`. A holder that is already in the queue retains its place and renews its lease.
   * @returns the number of earlier holders, undefined if the queue is full
   */
  enter(key: string, holder: string, rule: ConcurrencyRule, nowMs: number): Promise<number | undefined>
  /** Removes a holder from the queue of `key`. An unknown holder is ignored. */
  leave(key: string, holder: string): Promise<void>
  close(): Promise<void>
}

const sweepEveryMs = 60_000

/** Maximum number of keys. Above this number, the least recently used keys are deleted. */
const defaultMaxKeys = 100_000

type Remembered = Readonly<{
  state: RateState
  forgetAtMs: number
}>

const emptyState: RateState = new Map()

/** Creates the store of one process. Once a minute, the store deletes keys whose state no longer affects decisions. */
export function createMemoryRateLimitStore({ maxKeys = defaultMaxKeys } = {}): RateLimitStore {
  const permits = new Map<string, Remembered>()
  /** Map from each key to its holders in the order of arrival, each with the end of its lease. */
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
      const { decision, state, forgetAtMs } = takeRatePermit(rule, permits.get(key)?.state ?? emptyState, nowMs)
      permits.delete(key)
      permits.set(key, { state, forgetAtMs })
      for (const oldest of permits.keys()) {
        if (permits.size <= maxKeys) break
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
