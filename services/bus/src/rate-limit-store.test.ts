import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createRedisRateLimitStore } from './rate-limit-redis.ts'
import type { ConcurrencyRule, RateRule } from './rate-limit-rules.ts'
import { createMemoryRateLimitStore, type RateLimitStore } from './rate-limit-store.ts'
import { redisMissing, startTestRedis, type TestRedis } from './testing.ts'

const start = Date.UTC(2026, 0, 1)
const bucket: RateRule = { kind: 'token-bucket', capacity: 3, refill: 2, periodMs: 1000 }
const fixed: RateRule = { kind: 'fixed-window', count: 2, windowMs: 1000 }
const sliding: RateRule = { kind: 'sliding-window', count: 3, segments: 2, segmentMs: 500, queued: 2 }
const globalRule: RateRule = { kind: 'sliding-window', count: 150, segments: 6, segmentMs: 10_000, queued: 60 }
const queueRule: ConcurrencyRule = { running: 1, queued: 2, leaseMs: 1000 }

/** Long timeout, because the test machine may pause for seconds. */
const patient = { answerWithinMs: 120_000 }

let serial = 0
function freshKey() {
  return `key-${++serial}`
}

function waitUntilShared(store: { isShared(): boolean }) {
  return vi.waitFor(() => expect(store.isShared(), 'connected to Redis').toBe(true), { timeout: 120_000, interval: 10 })
}

function behavesAsStore(getStore: () => RateLimitStore) {
  const takeAt = async (rule: RateRule, times: number[]) => {
    const key = freshKey()
    const results: (string | number)[] = []
    for (const time of times) {
      const decision = await getStore().take(key, rule, start + time)
      if (decision.kind === 'go') results.push('go')
      else results.push(decision.kind === 'wait' ? decision.waitMs : `retry ${decision.retryAfterMs}`)
    }
    return results
  }

  test('a token bucket is refilled period by period', async () => {
    expect(await takeAt(bucket, [100, 100, 100, 400, 1000, 1000, 1000, 9000])).toEqual([
      ...['go', 'go', 'go', 'retry 600'],
      ...['go', 'go', 'retry 1000', 'go'],
    ])
  })

  test('a fixed window starts with the first call', async () => {
    expect(await takeAt(fixed, [300, 900, 901, 1300, 1301, 1302])).toEqual(['go', 'go', 'retry 399', 'go', 'go', 'retry 998'])
  })

  test('a call above the limit of a sliding window waits, or is refused if the queue is full', async () => {
    expect(await takeAt(sliding, [0, 0, 0, 200, 200, 200, 1000, 1000])).toEqual([
      'go',
      'go',
      'go',
      800,
      800,
      'retry 800',
      'go',
      1000,
    ])
  })

  test('each caller is counted separately', async () => {
    const store = getStore()
    const [mine, yours] = [freshKey(), freshKey()]
    for (let call = 0; call < 2; call++) await store.take(mine, fixed, start)
    expect(await store.take(mine, fixed, start)).toEqual({ kind: 'refuse', retryAfterMs: 1000 })
    expect(await store.take(yours, fixed, start)).toEqual({ kind: 'go' })
  })

  test('grants 150, delays 60 and refuses 90 of 300 concurrent calls at the global limit', async () => {
    const store = getStore()
    const key = freshKey()
    const decisions = await Promise.all(Array.from({ length: 300 }, () => store.take(key, globalRule, start)))
    const count = (kind: string) => decisions.filter((decision) => decision.kind === kind).length
    expect([count('go'), count('wait'), count('refuse')]).toEqual([150, 60, 90])
    expect(new Set(decisions.map((decision) => (decision.kind === 'wait' ? decision.waitMs : 0)))).toEqual(new Set([0, 60_000]))
  })

  test('queues callers in order of arrival, and refuses a caller if the queue is full', async () => {
    const store = getStore()
    const key = freshKey()
    const enter = (holder: string) => store.enter(key, holder, queueRule, start)
    expect([await enter('zoe'), await enter('mia'), await enter('ann'), await enter('bob')]).toEqual([0, 1, 2, undefined])
    await store.leave(key, 'zoe')
    expect([await enter('mia'), await enter('ann'), await enter('bob')]).toEqual([0, 1, 2])
    await store.leave(key, 'nobody')
    await store.leave(key, 'ann')
    expect(await enter('bob')).toBe(1)
  })

  test('removes a queued caller that does not renew its lease in time', async () => {
    const store = getStore()
    const key = freshKey()
    await store.enter(key, 'dead', queueRule, start)
    await store.enter(key, 'waiting', queueRule, start + 600)
    expect(await store.enter(key, 'waiting', queueRule, start + 999)).toBe(1)
    expect(await store.enter(key, 'waiting', queueRule, start + 1000)).toBe(0)
  })
}

describe('the store in memory', () => {
  const store = createMemoryRateLimitStore()
  behavesAsStore(() => store)

  test('deletes the least recently used keys if the maximum number of keys is exceeded', async () => {
    const small = createMemoryRateLimitStore({ maxKeys: 2 })
    const take = (key: string) => small.take(key, fixed, start)
    for (const key of ['quiet', 'busy', 'busy', 'new']) await take(key)
    expect(await take('busy')).toEqual({ kind: 'refuse', retryAfterMs: 1000 })
    expect([await take('quiet'), await take('quiet')]).toEqual([{ kind: 'go' }, { kind: 'go' }])
  })
})

describe.skipIf(redisMissing)(`the store on Redis${redisMissing ? ` (${redisMissing})` : ''}`, () => {
  let redis: TestRedis
  let store: ReturnType<typeof createRedisRateLimitStore>
  beforeAll(async () => {
    redis = await startTestRedis()
    store = createRedisRateLimitStore(redis.url, patient)
    await waitUntilShared(store)
  })
  afterAll(async () => {
    await store.close()
    await redis.close()
  })
  behavesAsStore(() => store)

  test('replicas share one limit', async () => {
    const other = createRedisRateLimitStore(redis.url, patient)
    await waitUntilShared(other)
    const key = freshKey()
    const decisions = await Promise.all([store, other, store, other].map((one) => one.take(key, fixed, start)))
    expect(decisions.filter(({ kind }) => kind === 'go')).toHaveLength(2)
    await other.close()
  })

  test('counts each process separately while Redis is unreachable, and counts all processes together afterwards', async () => {
    const own = await startTestRedis()
    const lonely = createRedisRateLimitStore(own.url, patient)
    await waitUntilShared(lonely)
    await own.kill()
    const key = freshKey()
    const decisions = []
    for (let call = 0; call < 3; call++) decisions.push((await lonely.take(key, fixed, start)).kind)
    expect(decisions).toEqual(['go', 'go', 'refuse'])
    await own.start()
    await waitUntilShared(lonely)
    expect(await lonely.take(key, fixed, start)).toEqual({ kind: 'go' })
    await lonely.close()
    await own.close()
  })

  test('a process decides on a call at once if Redis does not respond', async () => {
    const own = await startTestRedis()
    const lonely = createRedisRateLimitStore(own.url)
    await waitUntilShared(lonely)
    own.freeze()
    // Redis is still frozen here. A call that waited for Redis would reach the timeout of the test.
    for (let call = 0; call < 5; call++) expect(await lonely.take(freshKey(), fixed, start)).toEqual({ kind: 'go' })
    own.thaw()
    await lonely.close()
    await own.close()
  })
})
