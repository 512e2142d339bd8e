import type { RateRule } from '@capstan/bus/rate-limit-rules'
import { createMemoryRateLimitStore } from '@capstan/bus/rate-limit-store'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { concurrencyRule, createRateLimiter, globalRule, policyRules } from './rate-limiter.ts'

const start = Date.UTC(2026, 0, 1)
const store = createMemoryRateLimitStore()

test('the limiter allows 150 calls a minute in segments of ten seconds, and lets 60 more calls wait', () => {
  expect(globalRule).toEqual({ kind: 'sliding-window', count: 150, segments: 6, segmentMs: 10_000, queued: 60 })
})

test('the limiter uses the limits of the contract', async () => {
  const allowed = async (rule: RateRule, time: number, key: string) => {
    const decisions = await Promise.all(Array.from({ length: 310 }, () => store.take(key, rule, start + time)))
    return decisions.filter(({ kind }) => kind === 'go').length
  }
  expect([await allowed(policyRules.register, 0, 'register'), await allowed(policyRules.register, 149_999, 'register')]).toEqual([
    20, 0,
  ])
  expect(await allowed(policyRules.register, 150_000, 'register')).toBe(20)
  expect(await allowed(policyRules.signIn, 0, 'signIn')).toBe(300)
  expect([await allowed(policyRules.submit, 0, 'submit'), await allowed(policyRules.submit, 5_000, 'submit')]).toEqual([100, 50])
  expect([
    await allowed(policyRules.container, 0, 'container'),
    await allowed(policyRules.container, 10_000, 'container'),
  ]).toEqual([120, 30])
})

describe('calls that wait for a permit', () => {
  beforeEach(() => void vi.useFakeTimers({ now: start }))
  afterEach(() => void vi.useRealTimers())

  /**
   * Creates a limiter with one key. `ask` enters the queue, `entered` lists the calls that got a permit, and `countPolls` counts
   * the polls.
   */
  function aQueue() {
    const queue = createMemoryRateLimitStore()
    const enter = vi.spyOn(queue, 'enter')
    const limiter = createRateLimiter({ store: queue, clock: { now: () => new Date() } })
    const entered: string[] = []
    const ask = (name: string, signal = new AbortController().signal) =>
      limiter.enter('user', concurrencyRule, signal).then((leave) => {
        entered.push(name)
        return leave
      })
    return { ask, entered, countPolls: () => enter.mock.calls.length, queue }
  }

  test('only the first of twenty waiting calls polls the store, in intervals that double up to a maximum', async () => {
    const { ask, countPolls } = aQueue()
    await ask('running')
    for (let call = 0; call < 20; call++) void ask('waiting')
    await vi.advanceTimersByTimeAsync(0)
    const before = countPolls()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(countPolls() - before).toBe(7)
  })

  test('a waiting call runs as soon as an earlier call ends, in the order of arrival', async () => {
    const { ask, entered } = aQueue()
    const leave = await ask('first')
    const [second, third] = [ask('second'), ask('third')]
    await leave()
    await (await second)()
    await third
    expect(entered).toEqual(['first', 'second', 'third'])
  })

  test('a call whose caller disconnects leaves its place to a later call', async () => {
    const { ask, entered } = aQueue()
    const leave = await ask('running')
    const client = new AbortController()
    const cancelled = ask('cancelled', client.signal)
    for (let call = 1; call < 20; call++) void ask('waiting')
    await expect(ask('late')).rejects.toMatchObject({ code: 'request.rate-limited' })
    client.abort(new Error('disconnected'))
    await expect(cancelled).rejects.toThrow('disconnected')
    void ask('later')
    await leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(entered).toEqual(['running', 'waiting'])
  })

  test('a call that waits longer than its lease does not lose its place in the queue', async () => {
    const { ask, entered, queue } = aQueue()
    await queue.enter('user', 'call of a crashed process', concurrencyRule, start)
    const [second, third] = [ask('second'), ask('third')]
    await vi.advanceTimersByTimeAsync(concurrencyRule.leaseMs + 1_000)
    void ask('fourth')
    await (await second)()
    await third
    expect(entered).toEqual(['second', 'third'])
  })

  test('a call that runs longer than its lease does not lose its permit', async () => {
    const { ask, entered } = aQueue()
    const leave = await ask('long')
    const second = ask('second')
    await vi.advanceTimersByTimeAsync(3 * concurrencyRule.leaseMs)
    expect(entered).toEqual(['long'])
    await leave()
    await second
    expect(entered).toEqual(['long', 'second'])
  })

  test('a call that ends while it renews its lease returns its permit', async () => {
    const { ask, entered, queue } = aQueue()
    const leave = await ask('long')
    const renewed = Promise.withResolvers<void>()
    const { enter } = queue
    vi.spyOn(queue, 'enter').mockImplementationOnce(async (...asked) => {
      await renewed.promise
      return enter(...asked)
    })
    await vi.advanceTimersByTimeAsync(concurrencyRule.leaseMs / 2)
    const left = leave()
    renewed.resolve()
    await left
    await ask('next')
    expect(entered).toEqual(['long', 'next'])
  })
})
