import { describe, expect, it } from 'vitest'
import { LookupCache } from './lookup-cache.ts'

function aCache(answers: (key: string) => Promise<number>, maxEntries = 10) {
  const asked: string[] = []
  const clock = { now: 0 }
  const cache = new LookupCache<string, number>({
    load: (key) => {
      asked.push(key)
      return answers(key)
    },
    lifetimeMs: (value) => value * 100,
    maxEntries,
    now: () => clock.now,
  })
  return { cache, asked, clock }
}

describe('a cached result', () => {
  it('a cached result is reused until its lifetime ends', async () => {
    const { cache, asked, clock } = aCache(async () => 5)
    expect(await cache.get('a')).toBe(5)
    clock.now = 499
    expect(await cache.get('a')).toBe(5)
    expect(asked).toEqual(['a'])
    clock.now = 500
    await cache.get('a')
    expect(asked).toEqual(['a', 'a'])
  })

  it('a pending lookup is shared by concurrent callers', async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const { cache, asked } = aCache(() => promise)
    const answers = Promise.all([cache.get('a'), cache.get('a'), cache.get('a')])
    resolve(1)
    expect(await answers).toEqual([1, 1, 1])
    expect(asked).toEqual(['a'])
  })

  it('a failure is never cached, so the next call after a failure causes a new lookup', async () => {
    let fails = true
    const { cache } = aCache(async () => {
      if (fails) throw new Error('away')
      return 1
    })
    await expect(cache.get('a')).rejects.toThrow('away')
    fails = false
    expect(await cache.get('a')).toBe(1)
  })

  it('a result is not cached if `forget` is called while the lookup is pending', async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const { cache, asked } = aCache(() => promise)
    const first = cache.get('a')
    cache.forget('a')
    resolve(1)
    await first
    await cache.get('a')
    expect(asked).toEqual(['a', 'a'])
  })

  it('the oldest cached result is dropped if the maximum number of results is exceeded', async () => {
    const { cache, asked } = aCache(async () => 1, 2)
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await cache.get(key)
    expect(asked).toEqual(['a', 'b', 'c', 'a'])
  })
})
