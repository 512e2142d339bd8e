import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compile, type PatternRunner, searchAtOnce, searchByPattern, searchDeadlineMs } from './name-search.ts'

const names = ['Rusty Anchors', 'null and void', 'Midnight Tide', 'C++ Crew']

/** Works like the worker, but in this thread. */
function runner(): PatternRunner & { stopped: boolean } {
  return {
    ready: Promise.resolve(),
    stopped: false,
    run: async (pattern, list) => list.flatMap((name, index) => (compile(pattern).test(name) ? [index] : [])),
    stop() {
      this.stopped = true
    },
  }
}

describe('searching names', () => {
  it('finds everything without a search text', () => {
    expect(searchAtOnce('  ', names)).toBeUndefined()
  })

  it('ignores case in plain text', () => {
    expect(searchAtOnce('ti', names)).toEqual({ found: [2] })
    expect(searchAtOnce('AN', names)).toEqual({ found: [0, 1] })
  })

  it('reports an invalid expression', () => {
    expect(searchAtOnce('([', names)).toEqual({ problem: 'invalid' })
    expect(searchAtOnce('C++', names)).toEqual({ problem: 'invalid' })
  })

  it('accepts an expression and ignores case', async () => {
    expect(searchAtOnce('^(rusty|mid)', names)).toBe('pattern')
    const worker = runner()
    expect(await searchByPattern('^(rusty|mid)', names, worker, new AbortController().signal)).toEqual({ found: [0, 2] })
    expect(worker.stopped).toBe(true)
  })
})

describe('an endless expression', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const endless = () => ({ ...runner(), run: () => new Promise<readonly number[]>(() => undefined) })

  it('is stopped at the deadline and reported as too slow', async () => {
    const worker = endless()
    const result = searchByPattern('^(a+)+$', names, worker, new AbortController().signal)
    await vi.advanceTimersByTimeAsync(searchDeadlineMs)
    expect(await result).toEqual({ problem: 'slow' })
    expect(worker.stopped).toBe(true)
  })

  it('gets its time once the worker is ready', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const result = searchByPattern('^mid', names, { ...runner(), ready: promise }, new AbortController().signal)
    await vi.advanceTimersByTimeAsync(searchDeadlineMs * 3)
    resolve()
    expect(await result).toEqual({ found: [2] })
  })

  it('is stopped at once when the text changes', async () => {
    const worker = endless()
    const stop = new AbortController()
    const result = searchByPattern('^(a+)+$', names, worker, stop.signal)
    stop.abort()
    expect(await result).toEqual({ found: [] })
    expect(worker.stopped).toBe(true)
  })
})
