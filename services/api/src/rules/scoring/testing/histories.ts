import { curveNames } from '@capstan/contract/score'
import fc from 'fast-check'
import type { ScoreRecord } from '../records.ts'
import { instantAt } from './facts.ts'
import { createChallengeRecord, createGameRecord, createParticipationRecord, createSolveRecord } from './records.ts'

const firstMinute = instantAt('10:00').getTime()
/** Length of a history in minutes. */
export const minutes = 30
export function instantOf(minute: number) {
  return firstMinute + minute * 60_000
}

const id = fc.integer({ min: 1, max: 3 })
const pair = fc.tuple(id, id).map(([left, right]) => `${left} ${right}`)
const minute = fc.integer({ min: 0, max: minutes })
const rights = fc.subarray([2, 1024, 2048, 4096]).map((bits) => bits.reduce((sum, bit) => sum + bit, 0))
const time = minute.map(instantOf)

/** Generates changes for score records. Ids with the value 0 are placeholders, which `recordsOf` replaces. */
const changes = fc.oneof(
  fc.record({
    kind: fc.constant('game' as const),
    key: fc.constant(''),
    value: fc.record({
      start: fc.constant(firstMinute),
      end: fc.constantFrom(instantOf(15), instantOf(25)),
      bloodBonus: fc.constantFrom(0, 52459530),
      bloodPoints: fc.constantFrom(null, { first: 30, second: 7, third: 100 }),
    }),
  }),
  fc.record({
    kind: fc.constant('challenge' as const),
    key: id.map(String),
    value: fc.option(
      fc.record({
        title: fc.constantFrom('a', 'b'),
        category: fc.constantFrom('Web' as const, 'Misc' as const),
        isShown: fc.boolean(),
        deadline: fc.option(time),
        originalScore: fc.constantFrom(100, 1000),
        minScoreRate: fc.constantFrom(0, 0.25),
        difficulty: fc.constantFrom(1, 5),
        hasBloods: fc.boolean(),
        curve: fc.constantFrom(...curveNames),
        isValueFixed: fc.boolean(),
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('flag' as const),
    key: id.map(String),
    value: fc.option(fc.record({ challenge: id, points: fc.constantFrom(0, 30) })),
  }),
  fc.record({
    kind: fc.constant('found' as const),
    key: pair,
    value: fc.option(fc.record({ challenge: id, submission: fc.constant(0), time })),
  }),
  fc.record({
    kind: fc.constant('division' as const),
    key: fc.constantFrom('1', '2'),
    value: fc.option(fc.record({ name: fc.constantFrom('Students', 'Open'), permissions: fc.option(rights) })),
  }),
  fc.record({ kind: fc.constant('right' as const), key: pair, value: fc.option(fc.record({ permissions: rights })) }),
  fc.record({
    kind: fc.constant('participation' as const),
    key: id.map(String),
    value: fc.option(
      fc.record({
        team: fc.constant(0),
        status: fc.constantFrom('Accepted' as const, 'Accepted' as const, 'Suspended' as const),
        division: fc.constantFrom(null, 'Students', 'Open'),
      }),
    ),
  }),
  fc.record({
    kind: fc.constant('solve' as const),
    key: pair,
    value: fc.option(fc.record({ submission: fc.constant(0), time })),
  }),
  fc.record({
    kind: fc.constant('award' as const),
    key: id.map(String),
    value: fc.option(fc.record({ participation: id, points: fc.constantFrom(50, -120), time })),
  }),
  fc.record({
    kind: fc.constant('hint' as const),
    key: id.map(String),
    value: fc.option(fc.record({ participation: id, challenge: id, price: fc.constantFrom(0, 30), time })),
  }),
)

type Change = ReturnType<typeof changes.generate>['value']

/**
 * Returns records in order of time. The ids of teams and challenges follow from the keys of the records. Submissions are
 * numbered, so that their ids are unique. Each division has a different name.
 */
function recordsOf(list: readonly (readonly [Change, number])[]): ScoreRecord[] {
  return list
    .toSorted(([, left], [, right]) => left - right)
    .map(([{ kind, key, value }, at], index) => {
      const common = { kind, key, time: instantOf(at) }
      if (!value) return { ...common, value } as ScoreRecord
      if (kind === 'participation') return { ...common, value: { ...value, team: 100 + Number(key) } } as ScoreRecord
      if (kind === 'flag') return { ...common, value: { ...value, challenge: Number(key) } } as ScoreRecord
      if (kind === 'found')
        return { ...common, value: { ...value, challenge: Number(key.split(' ')[1]), submission: index + 1 } } as ScoreRecord
      if (kind === 'solve') return { ...common, value: { ...value, submission: index + 1 } } as ScoreRecord
      if (kind === 'division') return { ...common, value: { ...value, name: key === '1' ? 'Students' : 'Open' } } as ScoreRecord
      return { ...common, value } as ScoreRecord
    })
}

export const histories = fc.array(fc.tuple(changes, minute), { maxLength: 60, size: 'max' }).map(recordsOf)

/** Short histories, in which the game already has challenges, teams and solves. */
export const shortHistories = fc
  .array(fc.tuple(changes, minute), { maxLength: 8, size: 'max' })
  .map((list) => [
    ...[
      createGameRecord('10:00', { end: instantOf(25) }),
      createChallengeRecord('10:00', 1),
      createChallengeRecord('10:00', 2, { curve: 'linear' }),
    ],
    ...[createParticipationRecord('10:00', 1), createParticipationRecord('10:00', 2, { division: 'Open' })],
    ...[createSolveRecord('10:00', '1 1', 1001), createSolveRecord('10:00', '2 1', 1002)],
    ...recordsOf(list),
  ])

/** Returns histories from a fixed seed, so that every run gets the same histories. */
export function sampleHistories(count: number): ScoreRecord[][] {
  return fc.sample(histories, { seed: 64, numRuns: count })
}
