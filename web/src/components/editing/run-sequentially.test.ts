import { expect, it } from 'vitest'
import { ApiError } from '../../lib/http.ts'
import { runSequentially } from './run-sequentially.ts'

function refused(httpStatus: number, retryAfterSeconds?: number) {
  return new ApiError({ title: 'no', status: httpStatus, httpStatus, retryAfterSeconds })
}

it('after an item fails, the remaining items are processed', async () => {
  const outcome = await runSequentially([1, 2, 3], async (item) => {
    if (item === 2) throw refused(404)
  })
  expect(outcome.done).toEqual([1, 3])
  expect(outcome.failed.map(({ item }) => item)).toEqual([2])
})

it('a refused item is retried after the wait that the server requires', async () => {
  const waits: number[] = []
  let tries = 0
  const outcome = await runSequentially(
    ['a'],
    async () => {
      tries += 1
      if (tries === 1) throw refused(429, 7)
    },
    { wait: async (ms) => void waits.push(ms) },
  )
  expect({ ...outcome, tries, waits }).toEqual({ done: ['a'], failed: [], tries: 2, waits: [7000] })
})
