import type { RateRule } from '@capstan/bus/rate-limit-rules'
import { createMemoryRateLimitStore } from '@capstan/bus/rate-limit-store'
import { expect, test } from 'vitest'
import { globalRule, policyRules } from './rate-limiter.ts'

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
