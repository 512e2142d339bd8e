import { createMemoryRateLimitStore } from '@capstan/bus/rate-limit-store'
import { describe, expect, it } from 'vitest'
import { Attempts } from './attempts.ts'

function someAttempts() {
  const clock = { now: 1_000_000 }
  const counted: string[] = []
  const own = createMemoryRateLimitStore()
  const store: typeof own = {
    ...own,
    take(key, rule, nowMs) {
      counted.push(key)
      return own.take(key, rule, nowMs)
    },
  }
  return { attempts: new Attempts({ store, now: () => clock.now }), clock, counted }
}

describe('attempts', () => {
  it('attempts are allowed up to the limit per minute, and again in the next minute', async () => {
    const { attempts, clock } = someAttempts()
    expect([await attempts.refuse('a', 2), await attempts.refuse('a', 2)]).toEqual([undefined, undefined])
    clock.now += 45_500
    expect(await attempts.refuse('a', 2)).toBe(15)
    expect(await attempts.refuse('b', 2)).toBeUndefined()
    clock.now += 14_500
    expect(await attempts.refuse('a', 2)).toBeUndefined()
  })

  it('attempts are not counted between a refusal and the end of the minute', async () => {
    const { attempts, clock, counted } = someAttempts()
    for (let attempt = 0; attempt < 10; attempt += 1) await attempts.refuse('a', 1)
    expect(counted).toEqual(['a', 'a'])
    expect(attempts.refusedFor('a')).toBe(60)
    clock.now += 60_000
    expect(attempts.refusedFor('a')).toBeUndefined()
  })
})
