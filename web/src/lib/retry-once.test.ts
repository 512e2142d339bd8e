import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { retryOnce } from './retry-once.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a file that did not arrive is asked for once more', async () => {
  let asked = 0
  const loaded = retryOnce(async () => {
    asked += 1
    if (asked === 1) throw new Error('offline')
    return 'file'
  })
  await vi.runAllTimersAsync()
  expect(await loaded).toBe('file')
})

it('a file that did not arrive twice has failed', async () => {
  const loaded = retryOnce(() => Promise.reject(new Error('offline')))
  const failure = expect(loaded).rejects.toThrow('offline')
  await vi.runAllTimersAsync()
  await failure
})
