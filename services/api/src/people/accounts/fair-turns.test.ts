import { expect, test } from 'vitest'
import { createFairTurns } from './fair-turns.ts'

/** Work that ends when the test says so, and the order in which it began. */
function aWorkshop(options: { running: number; waitingMax?: number; maxWaitMs?: number }) {
  const began: string[] = []
  const endings: (() => void)[] = []
  const inTurn = createFairTurns({ waitingMax: 100, maxWaitMs: 60_000, refuse: () => new Error('full'), ...options })
  const ask = (caller: string) =>
    inTurn(caller, () => {
      began.push(caller)
      return new Promise<void>((resolve) => void endings.push(resolve))
    })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const endOne = async () => {
    endings.shift()?.()
    await settled()
  }
  return { began, ask, endOne, settled, inTurn }
}

test('so many run at a time and no more', async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 2 })
  for (let index = 0; index < 5; index++) void ask('a')
  await settled()
  expect(began).toHaveLength(2)
  await endOne()
  expect(began).toHaveLength(3)
})

test('whoever comes last waits for one piece of each other caller, not for all of them', async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 1 })
  for (let index = 0; index < 50; index++) void ask('flood')
  void ask('other')
  void ask('victim')
  await settled()
  for (let index = 0; index < 3; index++) await endOne()
  expect(began).toEqual(['flood', 'flood', 'other', 'victim'])
})

test('work that fails makes room all the same, and beyond what may wait is refused', async () => {
  const { inTurn, ask } = aWorkshop({ running: 1, waitingMax: 1 })
  const fail = () => Promise.reject(new Error('broken'))
  await expect(inTurn('a', fail)).rejects.toThrow('broken')
  await expect(inTurn('a', fail)).rejects.toThrow('broken')
  void ask('a')
  void ask('a')
  await expect(ask('b')).rejects.toThrow('full')
})

test('where the room is full of one caller, that caller makes place for others', async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 1, waitingMax: 4 })
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

test('a room that many callers fill evenly takes nobody in', async () => {
  const { ask } = aWorkshop({ running: 1, waitingMax: 3 })
  for (const caller of ['busy', 'a', 'b', 'c']) void ask(caller)
  await expect(ask('d')).rejects.toThrow('full')
})

test('who has waited for too long is refused, and does not take a turn later', async () => {
  const { began, ask, endOne, settled } = aWorkshop({ running: 1, maxWaitMs: 1 })
  void ask('first')
  await expect(ask('late')).rejects.toThrow('full')
  await endOne()
  void ask('next')
  await settled()
  expect(began).toEqual(['first', 'next'])
})
