import { expect, test } from 'vitest'
import { type RateRule, type RateState, takeRatePermit } from './rate-limit-rules.ts'

/**
 * Takes a permit at each of the given times.
 * @returns a decision for each time: `go`, the wait in ms, or `retry <ms>` for a refusal
 */
function takeAt(rule: RateRule, times: number[]): (string | number)[] {
  let state: RateState = new Map()
  return times.map((nowMs) => {
    const outcome = takeRatePermit(rule, state, nowMs)
    state = outcome.state
    const { decision } = outcome
    if (decision.kind === 'go') return 'go'
    return decision.kind === 'wait' ? decision.waitMs : `retry ${decision.retryAfterMs}`
  })
}

const bucket: RateRule = { kind: 'token-bucket', capacity: 3, refill: 2, periodMs: 1000 }
const fixed: RateRule = { kind: 'fixed-window', count: 2, windowMs: 1000 }
/** Rule with 3 permits in each pair of consecutive segments of 500 ms. At most 2 calls wait. */
const sliding: RateRule = { kind: 'sliding-window', count: 3, segments: 2, segmentMs: 500, queued: 2 }

test('a token bucket grants its capacity at once, then refuses calls until the period ends', () => {
  expect(takeAt(bucket, [100, 100, 100, 400])).toEqual(['go', 'go', 'go', 'retry 600'])
})

test('a token bucket is refilled after each period, up to its capacity', () => {
  expect(takeAt(bucket, [0, 0, 0, 1000, 1000, 1000])).toEqual(['go', 'go', 'go', 'go', 'go', 'retry 1000'])
  expect(takeAt(bucket, [0, 9000, 9000, 9000, 9000])).toEqual(['go', 'go', 'go', 'go', 'retry 1000'])
})

test('a fixed window starts with the first call and resets at its end', () => {
  expect(takeAt(fixed, [300, 900, 901, 1299, 1300, 1301, 1302])).toEqual([
    'go',
    'go',
    'retry 399',
    'retry 1',
    'go',
    'go',
    'retry 998',
  ])
})

test('a sliding window counts only its last segments', () => {
  expect(takeAt(sliding, [0, 499, 500, 1000, 1000])).toEqual(['go', 'go', 'go', 'go', 'go'])
})

test('a call above the limit of a sliding window waits for a free permit', () => {
  // The three permits that calls take at 0 ms are free again at 1000 ms.
  expect(takeAt(sliding, [0, 0, 0, 200, 300])).toEqual(['go', 'go', 'go', 800, 700])
})

test('a sliding window refuses calls once its queue is full', () => {
  expect(takeAt(sliding, [0, 0, 0, 200, 200, 200])).toEqual(['go', 'go', 'go', 800, 800, 'retry 800'])
})

test('a call that waited for a segment counts in that segment', () => {
  // At 1000 ms, the two waiting calls take two of three permits. The next permits are free at 2000 ms.
  expect(takeAt(sliding, [0, 0, 0, 200, 200, 1000, 1000])).toEqual(['go', 'go', 'go', 800, 800, 'go', 1000])
})

test('the state of a sliding window does not grow over time', () => {
  let state: RateState = new Map()
  for (let nowMs = 0; nowMs < 100_000; nowMs += 100) state = takeRatePermit(sliding, state, nowMs).state
  expect(state.size).toBeLessThanOrEqual(5)
})
