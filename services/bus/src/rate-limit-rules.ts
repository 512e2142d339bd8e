/**
 * The rules of rate limiting: pure functions of a rule, what is remembered of one caller, and the time in milliseconds.
 * Figures are in `@capstan/contract/limits`; behaviour §5. `rate-limit-redis.ts` says the same in Lua.
 */

/** A bucket of `capacity` permits; `refill` come back at the end of every period of `periodMs`. */
export interface TokenBucketRule {
  readonly kind: 'token-bucket'
  readonly capacity: number
  readonly refill: number
  readonly periodMs: number
}

/** `count` permits in each window of `windowMs`; the first call opens the window. */
export interface FixedWindowRule {
  readonly kind: 'fixed-window'
  readonly count: number
  readonly windowMs: number
}

/**
 * `count` permits in any `segments` segments in a row, each of `segmentMs`. Calls above it get a permit of a later segment
 * and wait for it, at most `queued` at a time.
 */
export interface SlidingWindowRule {
  readonly kind: 'sliding-window'
  readonly count: number
  readonly segments: number
  readonly segmentMs: number
  readonly queued: number
}

export type RateRule = TokenBucketRule | FixedWindowRule | SlidingWindowRule

/** `running` calls at a time, `queued` more wait. A holder that says nothing for `leaseMs` is taken for dead. */
export interface ConcurrencyRule {
  readonly running: number
  readonly queued: number
  readonly leaseMs: number
}

export type RateDecision =
  | { readonly kind: 'go' }
  /** The permit is taken and holds from `waitMs` on. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'refuse'; readonly retryAfterMs: number }

/** What is remembered of one caller: numbered amounts. Meaning of the keys: see each rule. */
export type RateState = ReadonlyMap<number, number>

export interface RateOutcome {
  readonly decision: RateDecision
  readonly state: RateState
  /** From when on the state says nothing any more, as long as no call follows. */
  readonly forgetAtMs: number
}

const go: RateDecision = { kind: 'go' }

/** State: period number of the last refill -> permits left. */
const takeFromBucket = (rule: TokenBucketRule, state: RateState, nowMs: number): RateOutcome => {
  const period = Math.floor(nowMs / rule.periodMs)
  const [lastPeriod, left] = state.entries().next().value ?? [period, rule.capacity]
  const tokens = Math.min(rule.capacity, left + Math.max(0, period - lastPeriod) * rule.refill)
  const after = tokens > 0 ? tokens - 1 : 0
  const periodsToFull = Math.ceil((rule.capacity - after) / rule.refill)
  return {
    decision: tokens > 0 ? go : { kind: 'refuse', retryAfterMs: (period + 1) * rule.periodMs - nowMs },
    state: new Map([[period, after]]),
    forgetAtMs: (period + periodsToFull) * rule.periodMs,
  }
}

/** State: start of the window in ms -> permits taken. */
const takeFromWindow = (rule: FixedWindowRule, state: RateState, nowMs: number): RateOutcome => {
  const [lastStart, lastTaken] = state.entries().next().value ?? [nowMs, 0]
  const isOver = nowMs >= lastStart + rule.windowMs
  const start = isOver ? nowMs : lastStart
  const taken = isOver ? 0 : lastTaken
  const endMs = start + rule.windowMs
  const isFree = taken < rule.count
  return {
    decision: isFree ? go : { kind: 'refuse', retryAfterMs: endMs - nowMs },
    state: new Map([[start, isFree ? taken + 1 : taken]]),
    forgetAtMs: endMs,
  }
}

const sumOf = (counts: RateState, from: number, to: number): number => {
  let sum = 0
  for (let segment = from; segment <= to; segment++) sum += counts.get(segment) ?? 0
  return sum
}

/** State: segment number -> permits given for it; numbers after the present one are calls that wait. */
const takeFromSegments = (rule: SlidingWindowRule, state: RateState, nowMs: number): RateOutcome => {
  const present = Math.floor(nowMs / rule.segmentMs)
  const counts = new Map([...state].filter(([segment]) => segment > present - rule.segments))
  const last = Math.max(present, ...counts.keys())
  // Permits are given in order, so no segment after the last used one holds anything: its window reaches back only.
  let segment = last
  while (sumOf(counts, segment - rule.segments + 1, segment) >= rule.count) segment += 1
  const waiting = sumOf(counts, present + 1, last)
  const forgetAtMs = (Math.max(segment, last) + rule.segments) * rule.segmentMs
  const waitMs = segment * rule.segmentMs - nowMs
  if (segment > present && waiting >= rule.queued)
    return { decision: { kind: 'refuse', retryAfterMs: waitMs }, state: counts, forgetAtMs }
  counts.set(segment, (counts.get(segment) ?? 0) + 1)
  return { decision: segment === present ? go : { kind: 'wait', waitMs }, state: counts, forgetAtMs }
}

/** Takes one permit at `nowMs`. An empty state is a caller never seen. */
export const takePermit = (rule: RateRule, state: RateState, nowMs: number): RateOutcome => {
  switch (rule.kind) {
    case 'token-bucket':
      return takeFromBucket(rule, state, nowMs)
    case 'fixed-window':
      return takeFromWindow(rule, state, nowMs)
    case 'sliding-window':
      return takeFromSegments(rule, state, nowMs)
  }
}

/**
 * Place of a call among those of one key: below `running` it runs, below `running + queued` it waits for the ones before.
 * @param place how many were there before it
 */
export const placeDecision = (rule: ConcurrencyRule, place: number | undefined): 'go' | 'wait' | 'refuse' => {
  if (place === undefined) return 'refuse'
  return place < rule.running ? 'go' : 'wait'
}
