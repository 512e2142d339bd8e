import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadApplicationFile } from './load-file.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('the load is retried once if a file is missing', async () => {
  let asked = 0
  const loaded = loadApplicationFile(async () => {
    asked += 1
    if (asked === 1) throw new Error('offline')
    return 'file'
  })
  await vi.runAllTimersAsync()
  expect(await loaded).toBe('file')
})

it('loading a file fails after two unsuccessful attempts', async () => {
  const loaded = loadApplicationFile(() => Promise.reject(new Error('offline')))
  const failure = expect(loaded).rejects.toThrow('offline')
  await vi.runAllTimersAsync()
  await failure
})

it('the load fails immediately while the browser is offline', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  let asked = 0
  const loaded = loadApplicationFile(() => {
    asked += 1
    return Promise.reject(new Error('offline'))
  })
  await expect(loaded).rejects.toThrow('offline')
  expect(asked).toBe(1)
})
