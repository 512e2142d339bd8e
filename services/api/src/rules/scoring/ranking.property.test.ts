import { curveNames } from '@capstan/contract/score'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRandomCases } from '../../testing/full-run.ts'
import { buildScoreboard, type ScoreboardFacts } from './ranking.ts'
import { aChallenge, aDivision, aParticipation, instantAt } from './testing/facts.ts'
import { buildNaiveScoreboard } from './testing/naive-scoreboard.ts'

/** Number of large random games in a test run. */
const runs = countRandomCases({ short: 100, full: 300 })

type Size = Readonly<{
  challenges: number
  teams: number
  solves: number
}>
const large: Size = { challenges: 6, teams: 16, solves: 60 }
/**
 * Size of small histories. With at most four teams and two challenges, nearly all histories have ties, and most histories have
 * three bloods.
 */
const small: Size = { challenges: 2, teams: 4, solves: 10 }

const end = instantAt('12:00')

function challengesOf({ challenges }: Size) {
  return fc
    .array(
      fc.record({
        title: fc.constantFrom('a', 'B', 'c', 'ä', '10', '9'),
        category: fc.constantFrom('OSINT', 'Misc', 'Web', 'PPC'),
        isEnabled: fc.boolean().map((isOff) => !isOff),
        deadline: fc.constantFrom(null, null, instantAt('10:30'), instantAt('11:00'), instantAt('12:00'), instantAt('13:00')),
        points: fc.constantFrom(0, 10, 50, 100, 500, 1000),
        minimumShare: fc.constantFrom(0, 0.1, 0.25, 1),
        decay: fc.constantFrom(0.5, 1, 5, 30),
        hasBloods: fc.boolean(),
        curve: fc.constantFrom(...curveNames),
        isValueFixed: fc.boolean(),
        flagPoints: fc.constantFrom(0, 0, 360),
      }),
      { maxLength: challenges, size: 'max' },
    )
    .map((list) => list.map((changes, index) => aChallenge(index + 1, changes)))
}

/** Awards before, during and after the solves, some of them at the instant of a solve. */
const awardsOf = fc
  .array(
    fc.record({
      points: fc.constantFrom(50, -120, 1),
      time: fc.integer({ min: -7, max: 2 }).map((minutes) => end.getTime() + minutes * 60_000),
    }),
    { maxLength: 3 },
  )
  .map((list) => list.sort((left, right) => left.time - right.time))

/** Purchases in order of time. Some are free, some are after the end, and some belong to unknown challenges. */
function boughtHintsOf(challenges: number) {
  return fc
    .array(
      fc.record({
        challengeId: fc.integer({ min: 1, max: challenges + 1 }),
        price: fc.constantFrom(0, 10, 50, 300),
        time: fc.integer({ min: -6, max: 1 }).map((minutes) => end.getTime() + minutes * 60_000),
      }),
      { maxLength: 3 },
    )
    .map((list) => list.sort((left, right) => left.time - right.time))
}

function foundFlagsOf(challenges: number) {
  return fc
    .array(
      fc.record({
        challengeId: fc.integer({ min: 1, max: challenges + 1 }),
        points: fc.constantFrom(0, 10, 50, 300),
        foundAt: fc.integer({ min: -6, max: 1 }).map((minutes) => new Date(end.getTime() + minutes * 60_000)),
      }),
      { maxLength: 3 },
    )
    .map((list) => list.map((flag, index) => ({ ...flag, submissionId: 1_000 + ((index * 2) % 3) })))
}

function participationsOf({ challenges, teams }: Size) {
  return fc
    .array(
      fc.record({
        status: fc.oneof(
          { weight: 9, arbitrary: fc.constant('Accepted' as const) },
          fc.constantFrom('Pending', 'Suspended', 'Rejected'),
        ),
        division: fc.constantFrom(null, 'Students', 'Open', '7'),
        awards: awardsOf,
        boughtHints: boughtHintsOf(challenges),
        foundFlags: foundFlagsOf(challenges),
      }),
      { maxLength: teams, size: 'max' },
    )
    .map((list) =>
      list.map(({ foundFlags, ...changes }, index) =>
        aParticipation(index + 1, {
          ...changes,
          foundFlags: foundFlags.map((flag) => ({ ...flag, submissionId: flag.submissionId + 10 * index })),
        }),
      ),
    )
}

/** Random combination of the four rights of a division, as bits. */
const rights = fc.subarray([2, 1024, 2048, 4096]).map((bits) => bits.reduce((sum, bit) => sum + bit, 0))
function divisionsOf({ challenges }: Size) {
  const division = fc.record({
    defaultPermissions: rights,
    overrides: fc
      .uniqueArray(fc.tuple(fc.integer({ min: 1, max: challenges + 1 }), rights), { selector: ([id]) => id, maxLength: 3 })
      .map((list) => new Map(list)),
  })
  return fc.tuple(division, division).map(([students, open]) => [aDivision(1, 'Students', students), aDivision(2, 'Open', open)])
}

/**
 * Solves by few teams within few minutes, some after the end. Ties, repeated solves and solves of unknown teams are therefore
 * common.
 */
function solvesOf({ challenges, teams, solves }: Size) {
  return fc
    .array(
      fc.record({
        participationId: fc.integer({ min: 1, max: teams + 1 }),
        challengeId: fc.integer({ min: 1, max: challenges + 1 }),
        userName: fc.constantFrom(null, 'ann', 'bob'),
        submittedAt: fc.integer({ min: -6, max: 1 }).map((minutes) => new Date(end.getTime() + minutes * 60_000)),
      }),
      { maxLength: solves, size: 'max' },
    )
    .chain((list) =>
      fc.shuffledSubarray(
        list.map((solve, index) => ({ submissionId: index + 1, ...solve })),
        { minLength: list.length },
      ),
    )
}

const bloods = fc.record({
  bloodBonus: fc.constantFrom(0, 52459530, 1001, 1000 * 2 ** 20, 1023 * 2 ** 20),
  bloodPoints: fc.constantFrom(null, { first: 0, second: 0, third: 0 }, { first: 30, second: 7, third: 100 }),
})

function historiesOf(size: Size): fc.Arbitrary<ScoreboardFacts> {
  return fc.record({
    game: bloods.map((rule) => ({ end, ...rule })),
    challenges: challengesOf(size),
    divisions: divisionsOf(size),
    participations: participationsOf(size),
    solves: solvesOf(size),
    updatedAt: fc.constant(instantAt('11:00')),
  })
}

test.each([
  ['large', large, runs],
  ['small', small, runs * 10],
])('the scoreboard of a random %s game equals the result of the slow reference code', (_name, size, numRuns) => {
  fc.assert(
    fc.property(historiesOf(size), (facts) => {
      expect(buildScoreboard(facts)).toEqual(buildNaiveScoreboard(facts))
    }),
    { numRuns },
  )
})

test('builds the same board from the same solves in any order', () => {
  fc.assert(
    fc.property(historiesOf(large), (facts) => {
      expect(buildScoreboard({ ...facts, solves: facts.solves.toReversed() })).toEqual(buildScoreboard(facts))
    }),
    { numRuns: Math.ceil(runs / 3) },
  )
})
