import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

/** Creates a queue, and tasks that run until the test ends them. Records the order in which the tasks start. */
function aWorkshop(options: { running: number; maxWaiting?: number; maxWaitMs?: number }) {
  const began: string[] = []
  const endings: (() => void)[] = []
  const inTurn = createFairQueue({ maxWaiting: 100, maxWaitMs: 60_000, refuse: () => new Error('full'), ...options })
  const ask = (caller: string) => {
    const result = inTurn(caller, () => {
      began.push(caller)
      return new Promise<void>((resolve) => void endings.push(resolve))
    })
    // Tasks that still wait after the test are refused later.
    result.catch(() => {})
    return result
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const endOne = async () => {
    endings.shift()?.()
    await settled()
  }
  return { began, ask, endOne, settled, inTurn }
}

test('runs at most the given number of tasks at a time', async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 2 })
  for (let index = 0; index < 5; index++) void ask('a')
  await settled()
  expect(began).toHaveLength(2)
  await endOne()
  expect(began).toHaveLength(3)
})

test("a new caller's first task waits for at most one queued task of every other caller", async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 1 })
  for (let index = 0; index < 50; index++) void ask('flood')
  void ask('other')
  void ask('victim')
  await settled()
  for (let index = 0; index < 3; index++) await endOne()
  expect(began).toEqual(['flood', 'flood', 'other', 'victim'])
})

test('a failed task does not block the queue, and a full queue refuses a task', async () => {
  const { inTurn, ask } = aWorkshop({ running: 1, maxWaiting: 1 })
  const fail = () => Promise.reject(new Error('broken'))
  await expect(inTurn('a', fail)).rejects.toThrow('broken')
  await expect(inTurn('a', fail)).rejects.toThrow('broken')
  void ask('a')
  void ask('a')
  await expect(ask('b')).rejects.toThrow('full')
})

test('refuses a task of the caller with the most waiting tasks if another caller needs room', async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 1, maxWaiting: 4 })
  const flood = Array.from({ length: 5 }, () => ask('flood'))
  const last = flood.at(-1)!
  const refusal = expect(last).rejects.toThrow('full')
  await expect(ask('flood')).rejects.toThrow('full')
  void ask('victim')
  await refusal
  await settled()
  for (let index = 0; index < 4; index++) await endOne()
  expect(began).toEqual(['flood', 'flood', 'victim', 'flood', 'flood'])
})

test('refuses a new caller if all callers in a full queue have equally many tasks', async () => {
  const { ask } = aWorkshop({ running: 1, maxWaiting: 3 })
  for (const caller of ['busy', 'a', 'b', 'c']) void ask(caller)
  await expect(ask('d')).rejects.toThrow('full')
})

test('refuses a task that waits too long and does not run it later', async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 1, maxWaitMs: 1 })
  void ask('first')
  await expect(ask('late')).rejects.toThrow('full')
  await endOne()
  void ask('next')
  await settled()
  expect(began).toEqual(['first', 'next'])
})
