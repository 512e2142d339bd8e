import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compilePattern, type PatternRunner, searchByPattern, searchDeadlineMs, searchSynchronously } from './name-search.ts'

const names = ['Rusty Anchors', 'null and void', 'Midnight Tide', 'C++ Crew']

/** Runs the code of the worker in the thread of the test. */
function runner(): PatternRunner & { stopped: boolean } {
  return {
    ready: Promise.resolve(),
    stopped: false,
    run: async (pattern, list) => list.flatMap((name, index) => (compilePattern(pattern).test(name) ? [index] : [])),
    stop() {
      this.stopped = true
    },
  }
}

describe('the search for names', () => {
  it('the search finds all names if the search text is empty', () => {
    expect(searchSynchronously('  ', names)).toBeUndefined()
  })

  it('the search ignores case if the search text is plain', () => {
    expect(searchSynchronously('ti', names)).toEqual({ found: [2] })
    expect(searchSynchronously('AN', names)).toEqual({ found: [0, 1] })
  })

  it('the search reports an invalid regular expression', () => {
    expect(searchSynchronously('([', names)).toEqual({ problem: 'invalid' })
    expect(searchSynchronously('C++', names)).toEqual({ problem: 'invalid' })
  })

  it('the search accepts a regular expression and ignores case', async () => {
    expect(searchSynchronously('^(rusty|mid)', names)).toBe('pattern')
    const worker = runner()
    expect(await searchByPattern('^(rusty|mid)', names, worker, new AbortController().signal)).toEqual({ found: [0, 2] })
    expect(worker.stopped).toBe(true)
  })
})

describe('a regular expression that takes too long', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const endless = () => ({ ...runner(), run: () => new Promise<readonly number[]>(() => undefined) })

  it('a slow regular expression is stopped at the deadline and reported as too slow', async () => {
    const worker = endless()
    const result = searchByPattern('^(a+)+$', names, worker, new AbortController().signal)
    await vi.advanceTimersByTimeAsync(searchDeadlineMs)
    expect(await result).toEqual({ problem: 'slow' })
    expect(worker.stopped).toBe(true)
  })

  it('a regular expression has the full time limit even if the worker starts slowly', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const result = searchByPattern('^mid', names, { ...runner(), ready: promise }, new AbortController().signal)
    await vi.advanceTimersByTimeAsync(searchDeadlineMs * 3)
    resolve()
    expect(await result).toEqual({ found: [2] })
  })

  it('a slow regular expression is stopped immediately if the search text changes', async () => {
    const worker = endless()
    const stop = new AbortController()
    const result = searchByPattern('^(a+)+$', names, worker, stop.signal)
    stop.abort()
    expect(await result).toEqual({ found: [] })
    expect(worker.stopped).toBe(true)
  })
})
