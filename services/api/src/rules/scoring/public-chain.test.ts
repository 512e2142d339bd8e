import { expect, test } from 'vitest'
import { createSecretNumbers } from '../signing/board-seal.ts'
import { type ChainRecord, chainLineOf, createChainPlan } from './public-chain.ts'
import type { ScoreRecord } from './records.ts'
import { instantAt } from './testing/facts.ts'
import { createChallengeRecord, createParticipationRecord, createRemovalRecord, createSolveRecord } from './testing/records.ts'

const secretNumbers = createSecretNumbers(Buffer.alloc(32, 7))

function flagOf(time: string, id: number, challenge: number): ScoreRecord {
  return {
    ...{ kind: 'flag', key: String(id), time: instantAt(time).getTime() },
    value: { challenge, points: 30 },
  }
}

function numbered(records: readonly ScoreRecord[]): ChainRecord[] {
  return records.map((record, index) => ({ ...record, id: index + 1 }))
}

function planOf(records: readonly ScoreRecord[], rules: { until?: Date; hidden?: readonly string[] } = {}) {
  const { until, hidden = [] } = rules
  const plan = createChainPlan({ until, isListed: (id) => !hidden.includes(id) })
  const { published, dropped } = plan.add(numbered(records))
  return { published: published.map(({ id }) => id), dropped }
}

test('a challenge and its flags are absent before the release of the challenge, and are added after the release', () => {
  const hidden = [createChallengeRecord('09:00', 1, { isShown: false }), flagOf('09:01', 7, 1)]
  expect(planOf(hidden)).toEqual({ published: [], dropped: [1] })
  expect(planOf([...hidden, createChallengeRecord('10:00', 1)])).toEqual({ published: [3, 2], dropped: [1] })
})

test('a challenge that is hidden by its unlock rule is absent until a team has unlocked the challenge', () => {
  const records = [createChallengeRecord('09:00', 1), flagOf('09:01', 7, 1)]
  expect(planOf(records, { hidden: ['1'] })).toEqual({ published: [], dropped: [] })
  expect(planOf(records)).toEqual({ published: [1, 2], dropped: [] })
})

test('a later record replaces a waiting record of the same row', () => {
  const records = [
    flagOf('09:00', 7, 1),
    flagOf('09:01', 7, 1),
    createRemovalRecord('09:02', 'flag', '8'),
    createRemovalRecord('09:03', 'flag', '7'),
  ]
  expect(planOf(records)).toEqual({ published: [], dropped: [1, 3, 2, 4] })
})

test('the public chain of score records shows a team only while its status is Accepted', () => {
  const records = (['Pending', 'Accepted', 'Suspended'] as const).map((status) =>
    createParticipationRecord('09:00', 1, { status }),
  )
  expect(planOf(records)).toEqual({ published: [2, 3], dropped: [1] })
  expect(JSON.parse(chainLineOf(1, records[1]!, secretNumbers)).value).toEqual({ division: null, team: 101 })
  expect(JSON.parse(chainLineOf(2, records[2]!, secretNumbers)).value).toBe(null)
})

test.each([
  ['right before the freeze', '09:59', [1, 2, 3]],
  ['at the freeze', '10:00', [1, 2]],
  ['after the freeze', '10:01', [1, 2]],
])('a solve is public only if it is before the freeze: %s', (_, time, published) => {
  const records = [createParticipationRecord('09:00', 1), createChallengeRecord('09:00', 1), createSolveRecord(time, '1 1', 1)]
  expect(planOf(records, { until: instantAt('10:00') })).toEqual({ published, dropped: [] })
})

test('a solve record is hidden until the reveal if an earlier record of the solve is hidden', () => {
  const records = [
    createParticipationRecord('09:00', 1),
    createChallengeRecord('09:00', 1),
    createRemovalRecord('10:05', 'solve', '1 1'),
  ]
  expect(planOf([...records, createSolveRecord('09:30', '1 1', 1)], { until: instantAt('10:00') }).published).toEqual([1, 2])
})

function orderOf(record: ScoreRecord, secret = secretNumbers): number {
  return JSON.parse(chainLineOf(1, record, secret)).value.order
}

test('solves at the same time are in the order of their submissions', () => {
  const [first, second] = [createSolveRecord('09:30', '1 1', 17), createSolveRecord('09:30', '2 1', 18)]
  expect(orderOf(second) - orderOf(first)).toBe(1)
})

test('lines of the chain do not reveal how many submissions and purchases there are', () => {
  const before = createSolveRecord('09:30', '1 1', 17)
  const after = createSolveRecord('09:31', '2 1', 18)
  expect(chainLineOf(1, before, secretNumbers)).not.toContain('submission')
  expect(Math.abs(orderOf(after) - orderOf(before))).toBeGreaterThan(2 ** 31)
  expect(orderOf(before, createSecretNumbers(Buffer.alloc(32, 8)))).not.toBe(orderOf(before))
  const value = { participation: 1, challenge: 1, price: 10, time: 0 }
  const [one, next] = [1, 2].map((id) =>
    JSON.parse(chainLineOf(1, { kind: 'hint', key: String(id), time: 0, value }, secretNumbers)),
  )
  expect(Math.abs(one.key - next.key)).toBeGreaterThan(2 ** 31)
})
