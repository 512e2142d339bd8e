import { describe, expect, it } from 'vitest'
import { createFakeClock } from './testing/fake-clock.ts'
import { createWorkQueue, type Result } from './work-queue.ts'

/**
 * Creates a queue in which each pass runs until the test ends it. A pass processes one key once. `random` is 1, so
 * delays are the full backoff: 100, 200, 400, … up to 1,000 ms.
 */
function setUp(workers = 2) {
  const clock = createFakeClock(new Date(0))
  const runs: { key: string; end: (result?: Result) => void; fail: (error: unknown) => void }[] = []
  const failures: { key: string; retryInMs: number }[] = []
  const queue = createWorkQueue({
    clock,
    random: () => 1,
    workers,
    backoff: { firstMs: 100, capMs: 1000 },
    process: (key) =>
      new Promise((resolve, reject) => {
        runs.push({ key, end: (result = {}) => resolve(result), fail: reject })
      }),
    onFailure: (key, _error, retryInMs) => failures.push({ key, retryInMs }),
  })
  const keys = () => runs.map(({ key }) => key)
  return { clock, queue, runs, keys, failures }
}

describe('a work queue', () => {
  it('stores a pending key only once', () => {
    const { queue, keys } = setUp(1)
    queue.add('a')
    queue.add('a')
    queue.add('b')
    expect(queue.depth()).toBe(2)
    queue.start()
    expect(keys()).toEqual(['a'])
    expect(queue.depth()).toBe(1)
  })

  it('a key is processed by one worker at a time, and again if it is added during its processing', async () => {
    const { queue, runs, keys, clock } = setUp()
    queue.start()
    queue.add('a')
    queue.add('a')
    queue.add('a')
    expect(keys()).toEqual(['a'])
    runs[0]!.end()
    await clock.advance(0)
    expect(keys()).toEqual(['a', 'a'])
    runs[1]!.end()
    await clock.advance(0)
    expect(keys()).toEqual(['a', 'a'])
  })

  it('processes other keys on free workers while one key is being processed', () => {
    const { queue, keys } = setUp(2)
    queue.start()
    for (const key of ['a', 'b', 'c']) queue.add(key)
    expect(keys()).toEqual(['a', 'b'])
  })

  it('a failed key is retried with a delay that doubles up to a maximum and is reset after a success', async () => {
    const { queue, runs, failures, clock } = setUp()
    queue.start()
    queue.add('a')
    for (const delayMs of [100, 200, 400, 800, 1000, 1000]) {
      runs.at(-1)!.fail(new Error('no'))
      await clock.advance(0)
      expect(failures.at(-1)).toEqual({ key: 'a', retryInMs: delayMs })
      const before = runs.length
      await clock.advance(delayMs - 1)
      expect(runs).toHaveLength(before)
      await clock.advance(1)
      expect(runs).toHaveLength(before + 1)
    }
    runs.at(-1)!.end({ requeueAfterMs: 10 })
    await clock.advance(10)
    runs.at(-1)!.fail(new Error('no'))
    await clock.advance(0)
    expect(failures.at(-1)?.retryInMs).toBe(100)
  })

  it('after a failure, the queue waits for the time in `retryAfterMs`', async () => {
    const { queue, runs, failures, clock } = setUp()
    queue.start()
    queue.add('a')
    runs[0]!.fail(Object.assign(new Error('too many requests'), { retryAfterMs: 5000 }))
    await clock.advance(0)
    expect(failures).toEqual([{ key: 'a', retryInMs: 5000 }])
  })

  it('after a failure, the queue uses `requeueAfterMs` if this delay is shorter than the backoff', async () => {
    const { queue, runs, clock } = setUp()
    queue.start()
    queue.add('a')
    runs[0]!.end({ failure: new Error('no'), requeueAfterMs: 30 })
    await clock.advance(29)
    expect(runs).toHaveLength(1)
    await clock.advance(1)
    expect(runs).toHaveLength(2)
  })

  it('after a failure, the queue processes the key again at once if `add` was called during the processing', async () => {
    const { queue, runs, clock } = setUp()
    queue.start()
    queue.add('a')
    queue.add('a')
    runs[0]!.fail(new Error('no'))
    await clock.advance(0)
    expect(runs).toHaveLength(2)
  })

  it('keys are processed at their deadlines, the earliest first', async () => {
    const { queue, keys, clock } = setUp(4)
    queue.start()
    queue.addAfter('late', 300)
    queue.addAfter('early', 100)
    queue.addAfter('late', 500)
    await clock.advance(99)
    expect(keys()).toEqual([])
    await clock.advance(1)
    expect(keys()).toEqual(['early'])
    await clock.advance(200)
    expect(keys()).toEqual(['early', 'late'])
    await clock.advance(1000)
    expect(keys()).toEqual(['early', 'late'])
  })

  it('only the last deadline that was set for a key has an effect', async () => {
    const { queue, runs, clock } = setUp()
    queue.start()
    queue.add('a')
    runs[0]!.end({ requeueAfterMs: 100 })
    await clock.advance(50)
    queue.add('a')
    runs[1]!.end({ requeueAfterMs: 1000 })
    await clock.advance(999)
    expect(runs).toHaveLength(2)
    await clock.advance(1)
    expect(runs).toHaveLength(3)
  })

  it('`stop` waits for the running calls of `process`, and the queue starts no further calls', async () => {
    const { queue, runs, clock } = setUp(1)
    queue.start()
    queue.add('a')
    queue.add('b')
    let stopped = false
    const stopping = queue.stop().then(() => {
      stopped = true
    })
    await clock.advance(1000)
    expect(stopped).toBe(false)
    runs[0]!.end({ requeueAfterMs: 5 })
    await stopping
    await clock.advance(1000)
    expect(runs).toHaveLength(1)
  })

  it('a queue reports the longest time for which a key has been processed', async () => {
    const { queue, clock } = setUp()
    queue.start()
    queue.add('a')
    await clock.advance(700)
    queue.add('b')
    expect(queue.longestRunMs()).toBe(700)
  })
})
