import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runPeriodically } from './background.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('runs the work at once and at every interval until it is stopped', async () => {
  let runs = 0
  const work = async () => void runs++
  const end = runPeriodically(1_000, work, { log: { warn: () => {} }, failure: 'No' })
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(2_500)
  expect(runs).toBe(3)
  end()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(runs).toBe(3)
})

test('logs a failure of the work, and runs the work again at the next interval', async () => {
  const cause = new Error('The store is unreachable')
  const lines: [object, string][] = []
  const work = async () => {
    if (lines.length === 0) throw cause
  }
  const end = runPeriodically(1_000, work, { log: { warn: (...line) => void lines.push(line) }, failure: 'Could not tidy up' })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(lines).toEqual([[{ err: cause }, 'Could not tidy up']])
  end()
})

test('skips an interval while the previous run of the work is pending', async () => {
  let runs = 0
  const first = Promise.withResolvers<void>()
  const work = () => {
    runs++
    return first.promise
  }
  const end = runPeriodically(1_000, work, { log: { warn: () => {} }, failure: 'No' })
  await vi.advanceTimersByTimeAsync(5_500)
  expect(runs).toBe(1)
  first.resolve()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(runs).toBe(2)
  end()
})
