import { expect, test } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

/** Queues tasks that run until the test ends them. */
function startWorks(row: ReturnType<typeof createSerialQueue>, count: number) {
  const begun: number[] = []
  const works = Array.from({ length: count }, (_, index) => {
    const end = Promise.withResolvers<number>()
    const done = row.run(() => {
      begun.push(index)
      return end.promise
    })
    return { done, end: () => end.resolve(index), fail: () => end.reject(new Error('Failed')) }
  })
  return { begun, works }
}

test('runs tasks one at a time in order, even after a failure', async () => {
  const { begun, works } = startWorks(createSerialQueue({ waiting: 2, maxWaitMs: 60_000 }), 3)
  expect(begun).toEqual([0])
  works[0]!.fail()
  await expect(works[0]!.done).rejects.toThrow('Failed')
  await expect.poll(() => begun).toEqual([0, 1])
  works[1]!.end()
  expect(await works[1]!.done).toBe(1)
  works[2]!.end()
  expect(await works[2]!.done).toBe(2)
  expect(begun).toEqual([0, 1, 2])
})

test('a task is refused if the maximum number of tasks is already waiting', async () => {
  const { works } = startWorks(createSerialQueue({ waiting: 2, maxWaitMs: 60_000 }), 4)
  await expect(works[3]!.done).rejects.toMatchObject({ code: 'request.rate-limited', details: { retryAfterSeconds: 60 } })
  for (const { end } of works) end()
  expect(await Promise.all(works.slice(0, 3).map(({ done }) => done))).toEqual([0, 1, 2])
})

test('a task that waits too long is refused, and no longer takes a place in the queue', async () => {
  const row = createSerialQueue({ waiting: 1, maxWaitMs: 20 })
  const { begun, works } = startWorks(row, 2)
  await expect(works[1]!.done).rejects.toMatchObject({ code: 'request.rate-limited' })
  const next = row.run(async () => 'next')
  works[0]!.end()
  expect([await works[0]!.done, await next, begun]).toEqual([0, 'next', [0]])
})
