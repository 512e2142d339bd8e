import { randomUUID } from 'node:crypto'
import { setTimeout as sleepFor } from 'node:timers/promises'
import {
  type ConcurrencyRule,
  decideCallByQueuePosition,
  type RateRule,
  type SlidingWindowRule,
} from '@capstan/bus/rate-limit-rules'
import type { RateLimitStore } from '@capstan/bus/rate-limit-store'
import { limitKeyOfIpAddress } from '@capstan/contract/addresses'
import { RateLimits } from '@capstan/contract/limits'
import type { RateLimitPolicy } from '@capstan/contract/operation'
import { Problem } from '@capstan/contract/problems'
import type { Clock } from './clock.ts'

/** Returns the key of the counter for calls without a user: the address, or the /64 network of an IPv6 address. */
export function callerKeyOfAddress(address: string): string {
  return `address:${limitKeyOfIpAddress(address)}`
}

/** Limit for all calls of a caller together. */
export const globalRule: SlidingWindowRule = {
  kind: 'sliding-window',
  count: RateLimits.global.perMinute,
  segments: RateLimits.global.segments,
  segmentMs: 60_000 / RateLimits.global.segments,
  queued: RateLimits.global.queued,
}

/** Limit for all calls without a session from one IPv6 network of 48 bits, which contains 65,536 addresses with their own limits. */
export const networkRule: RateRule = {
  ...globalRule,
  count: globalRule.count * RateLimits.addressesPerNetwork,
  queued: globalRule.queued * RateLimits.addressesPerNetwork,
}

function bucket({ capacity, refill, refillSeconds }: { capacity: number; refill: number; refillSeconds: number }): RateRule {
  return {
    kind: 'token-bucket',
    capacity,
    refill,
    periodMs: refillSeconds * 1000,
  }
}

function window({ count, windowSeconds }: { count: number; windowSeconds: number }): RateRule {
  return { kind: 'fixed-window', count, windowMs: windowSeconds * 1000 }
}

/** Additional limits for particular calls. */
export const policyRules: Readonly<Record<Exclude<RateLimitPolicy, 'concurrency'>, RateRule>> = {
  register: window(RateLimits.register),
  signIn: window(RateLimits.signIn),
  ticketMessage: window(RateLimits.ticketMessage),
  ticketState: window(RateLimits.ticketState),
  powChallenge: bucket(RateLimits.powChallenge),
  submit: bucket(RateLimits.submit),
  container: bucket(RateLimits.container),
}

/** Limit of the instances that a team creates in a game. */
export const instanceStartRule: RateRule = bucket(RateLimits.instanceStart)

/** Time after which calls of a crashed process no longer count, in ms. */
const leaseMs = 30_000
/** Shortest and longest pause between two polls of the store, in ms. The pause doubles after each poll. */
const [minPollMs, maxPollMs] = [20, 500]
/** Interval at which a call renews its lease while it waits and while it runs, in ms. */
const renewMs = leaseMs / 3
const unknownRetrySeconds = 60

export const concurrencyRule: ConcurrencyRule = { ...RateLimits.concurrency, leaseMs }

export interface RateLimiter {
  /**
   * Takes a permit for a call. If no permit is free, and the rule allows waiting, waits for the next permit.
   * @throws Problem `request.rate-limited`
   */
  take(key: string, rule: RateRule): Promise<void>
  /**
   * Waits until fewer than `rule.running` other calls with the key are in progress.
   * @param signal aborts the wait, for example because the caller has disconnected
   * @returns a function to call when the work is done
   * @throws Problem `request.rate-limited` if too many calls are waiting
   * @throws the reason of `signal`
   */
  enter(key: string, rule: ConcurrencyRule, signal: AbortSignal): Promise<() => Promise<void>>
}

/** Waiting call of this process. `wake` ends its current pause. */
interface Waiting {
  wake(): void
}

/** Creates local queues, one for each key. The calls of this process wait there until they may enter the queue of the store. */
function createWaitingLines() {
  const lines = new Map<string, Set<Waiting>>()
  const firstOf = (key: string): Waiting | undefined => lines.get(key)?.values().next().value
  return {
    firstOf,
    join(key: string): Waiting {
      const waiting = { wake: () => {} }
      const line = lines.get(key) ?? new Set()
      lines.set(key, line.add(waiting))
      return waiting
    },
    leave(key: string, waiting: Waiting): void {
      const line = lines.get(key)
      line?.delete(waiting)
      if (line?.size === 0) lines.delete(key)
      firstOf(key)?.wake()
    },
  }
}

export function createRateLimiter(
  deps: Readonly<{
    store: RateLimitStore
    clock: Clock
    sleep?: (ms: number) => Promise<unknown>
  }>,
): RateLimiter {
  const { store, clock, sleep = sleepFor } = deps
  const lines = createWaitingLines()
  return {
    async take(key, rule) {
      const decision = await store.take(key, rule, clock.now().getTime())
      if (decision.kind === 'refuse')
        throw new Problem('request.rate-limited', { retryAfterSeconds: decision.retryAfterMs / 1000 })
      if (decision.kind === 'wait') await sleep(decision.waitMs)
    },
    async enter(key, rule, signal) {
      const holder = randomUUID()
      const takePlace = () => store.enter(key, holder, rule, clock.now().getTime())
      const leave = async (): Promise<void> => {
        await store.leave(key, holder)
        lines.firstOf(key)?.wake()
      }
      /** Renews the lease until the call ends. @returns a function to call at the end of the call */
      const run = (): (() => Promise<void>) => {
        let renewal: Promise<unknown> = Promise.resolve()
        const timer = setInterval(() => {
          renewal = takePlace().catch(() => {})
        }, renewMs).unref()
        return async () => {
          clearInterval(timer)
          // Wait for a renewal in progress. Otherwise, the renewal could end after the removal and add the call again.
          await renewal
          await leave()
        }
      }
      const waiting = lines.join(key)
      const abort = () => waiting.wake()
      signal.addEventListener('abort', abort)
      let pollMs = minPollMs
      try {
        while (!signal.aborted) {
          // Set `wake` before the poll, so that a call of `wake` during the poll has an effect.
          const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
          waiting.wake = wake
          const decision = decideCallByQueuePosition(rule, await takePlace())
          if (decision === 'refuse') throw new Problem('request.rate-limited', { retryAfterSeconds: unknownRetrySeconds })
          if (decision === 'go') return run()
          const isFirst = lines.firstOf(key) === waiting
          const timer = setTimeout(wake, isFirst ? pollMs : renewMs)
          if (isFirst) pollMs = Math.min(2 * pollMs, maxPollMs)
          await woken
          clearTimeout(timer)
        }
      } finally {
        signal.removeEventListener('abort', abort)
        lines.leave(key, waiting)
      }
      await leave()
      throw signal.reason
    },
  }
}
