import { describe, expect, test } from 'vitest'
import { createFairQueue, queueCallerOf, type TaskOptions } from './fair-queue.ts'

/** Creates a queue, and tasks that run until the test ends them. Records the order in which the tasks start. */
function aWorkshop(options: { running: number; maxWaiting?: number; maxWaitMs?: number }) {
  const began: string[] = []
  const endings: (() => void)[] = []
  const inTurn = createFairQueue({ maxWaiting: 100, maxWaitMs: 60_000, refuse: () => new Error('full'), ...options })
  const ask = (key: string, network = key, task: TaskOptions = {}) => {
    const work = () => {
      began.push(key)
      return new Promise<void>((resolve) => void endings.push(resolve))
    }
    const result = inTurn({ network, key }, work, task)
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
  await expect(inTurn({ network: 'a', key: 'a' }, fail)).rejects.toThrow('broken')
  await expect(inTurn({ network: 'a', key: 'a' }, fail)).rejects.toThrow('broken')
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

test('a patient task is refused neither in a full queue, nor for room, nor after a long wait', async () => {
  const { began, ask, endOne } = aWorkshop({ running: 1, maxWaiting: 1, maxWaitMs: 1 })
  void ask('first')
  const late = ask('late')
  void ask('patient', 'patient', { isPatient: true })
  void ask('patient', 'patient', { isPatient: true })
  await expect(late).rejects.toThrow('full')
  await expect(ask('other')).rejects.toThrow('full')
  for (let index = 0; index < 2; index++) await endOne()
  expect(began).toEqual(['first', 'patient', 'patient'])
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

describe('callers in the same network', () => {
  test('networks take turns, so many callers of one network delay another network by one task', async () => {
    const { began, ask, endOne, settled } = aWorkshop({ running: 1 })
    for (let caller = 0; caller < 20; caller++) void ask(`flood ${caller}`, 'flood')
    void ask('victim')
    await settled()
    for (let index = 0; index < 3; index++) await endOne()
    expect(began).toEqual(['flood 0', 'flood 1', 'victim', 'flood 2'])
  })

  test('the callers of one network take turns', async () => {
    const { began, ask, endOne, settled } = aWorkshop({ running: 1 })
    for (const key of ['a', 'a', 'a', 'b', 'b']) void ask(key, 'campus')
    await settled()
    for (let index = 0; index < 4; index++) await endOne()
    expect(began).toEqual(['a', 'a', 'b', 'a', 'b'])
  })

  test('if many callers of one network fill the queue, another network can still queue tasks up to an equal share', async () => {
    const { began, ask, endOne, settled } = aWorkshop({ running: 1, maxWaiting: 6 })
    for (let caller = 0; caller < 7; caller++) void ask(`flood ${caller}`, 'flood')
    for (let task = 0; task < 3; task++) void ask('victim')
    await expect(ask('victim')).rejects.toThrow('full')
    await settled()
    for (let index = 0; index < 6; index++) await endOne()
    expect(began.filter((key) => key === 'victim')).toHaveLength(3)
  })

  test('if one caller fills the queue, it refuses a task of this caller to make room for another caller of the same network', async () => {
    const { began, ask, endOne, settled } = aWorkshop({ running: 1, maxWaiting: 4 })
    for (let task = 0; task < 5; task++) void ask('flood', 'campus')
    void ask('victim', 'campus')
    await settled()
    for (let index = 0; index < 4; index++) await endOne()
    expect(began).toEqual(['flood', 'flood', 'victim', 'flood', 'flood'])
  })
})

test.each([
  ['2001:db8:7:1::1', undefined, '2001:db8:7::/48', '2001:db8:7:1::/64'],
  ['2001:db8:7:1::1', 'ada', '2001:db8:7::/48', 'ada'],
  ['192.0.2.1', undefined, '192.0.2.1', '192.0.2.1'],
])('the caller at %s with the user %s has the network %s and the key %s', (address, userId, network, key) => {
  expect(queueCallerOf(address, userId)).toEqual({ network, key })
})
