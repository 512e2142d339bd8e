/**
 * Rules of rate limiting. Each rule is a pure function of the limit, the stored state of one key, and the time in ms. The limits
 * are in `@capstan/contract/limits`. `rate-limit-redis.ts` implements the same rules in Lua and passes the same tests. ADR 21
 * explains why no library is used.
 */

/**
 * Token bucket that starts with `capacity` permits. A call takes one permit, or is refused if no permit is left. Each period adds
 * `refill` permits. Periods of `periodMs` are counted from 1970, not from the first call.
 */
export type TokenBucketRule = Readonly<{
  kind: 'token-bucket'
  capacity: number
  refill: number
  periodMs: number
}>

/** Fixed window that allows `count` calls in `windowMs`. A window starts with the first call after the previous window ended. */
export type FixedWindowRule = Readonly<{
  kind: 'fixed-window'
  count: number
  windowMs: number
}>

/**
 * Sliding window that allows `count` permits in any `segments` consecutive segments of `segmentMs`. If no permit is left, a call
 * takes a permit of a later segment and waits until that segment starts. At most `queued` calls wait, and further calls are
 * refused.
 */
export type SlidingWindowRule = Readonly<{
  kind: 'sliding-window'
  count: number
  segments: number
  segmentMs: number
  queued: number
}>

export type RateRule = TokenBucketRule | FixedWindowRule | SlidingWindowRule

/**
 * Queue of a key that allows `running` concurrent calls and `queued` waiting calls. A call whose lease is not renewed within
 * `leaseMs` loses its place.
 */
export type ConcurrencyRule = Readonly<{
  running: number
  queued: number
  leaseMs: number
}>

export type RateDecision =
  | { readonly kind: 'go' }
  /** The permit is taken, and the call may start after `waitMs`. */
  | Readonly<{ kind: 'wait'; waitMs: number }>
  | Readonly<{ kind: 'refuse'; retryAfterMs: number }>

/** Stored state of one key: a map from one number to another number. Each kind of rule defines the meaning of both numbers. */
export type RateState = ReadonlyMap<number, number>

export type RateOutcome = Readonly<{
  decision: RateDecision
  state: RateState
  /** Time from which this state has the same effect as an empty state. From then on, the state may be deleted. */
  forgetAtMs: number
}>

const go: RateDecision = { kind: 'go' }

/** Takes a permit of a token bucket. The state has one entry: period index and remaining permits. */
function takeFromBucket(rule: TokenBucketRule, state: RateState, nowMs: number): RateOutcome {
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

/**
 * Takes a permit of a fixed window. The state has one entry: the key is the start of the window in ms, and the value is the
 * number of permits taken in it.
 */
function takeFromWindow(rule: FixedWindowRule, state: RateState, nowMs: number): RateOutcome {
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

function sumOf(counts: RateState, from: number, to: number): number {
  let sum = 0
  for (let segment = from; segment <= to; segment++) sum += counts.get(segment) ?? 0
  return sum
}

/**
 * Takes a permit of a sliding window. The state maps each segment to the number of permits that calls took in this
 * segment. Permits of future segments belong to waiting calls.
 */
function takeFromSegments(rule: SlidingWindowRule, state: RateState, nowMs: number): RateOutcome {
  const present = Math.floor(nowMs / rule.segmentMs)
  const counts = new Map([...state].filter(([segment]) => segment > present - rule.segments))
  const last = Math.max(present, ...counts.keys())
  // Earlier segments are full, so start the search at `last`.
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

/** Takes one permit at `nowMs`. The state of a new key is empty. */
export function takeRatePermit(rule: RateRule, state: RateState, nowMs: number): RateOutcome {
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
 * Decides whether a call may run, by its position in the queue of its key.
 * @param place number of earlier calls in the queue, undefined if the queue is full
 */
export function decideCallByQueuePosition(rule: ConcurrencyRule, place: number | undefined): 'go' | 'wait' | 'refuse' {
  if (place === undefined) return 'refuse'
  return place < rule.running ? 'go' : 'wait'
}
