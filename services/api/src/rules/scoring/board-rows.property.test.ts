import type { BoardChanges } from '@capstan/contract/board-changes'
import { applyBoardChanges, listTies } from '@capstan/contract/board-rules'
import { Limits } from '@capstan/contract/limits'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countRandomCases } from '../../testing/full-run.ts'
import {
  areFixedValuesUnchanged,
  buildScoreboard,
  compareSolves,
  type RankedSolve,
  type ScoreboardFacts,
  solversByChallenge,
} from './ranking.ts'
import { aChallenge, aDivision, aParticipation, instantAt, someFacts } from './testing/facts.ts'

/** Number of runs with random boards. */
const numRuns = countRandomCases({ short: 200, full: 500 })
const teams = 9
const challenges = Array.from({ length: 4 }, (_, index) =>
  aChallenge(index + 1, {
    ...{ category: index % 2 ? 'Pwn' : 'Web', decay: 1 + index, hasBloods: index !== 1 },
    curve: index === 2 ? 'rctf' : 'exponential',
  }),
)

/**
 * Only division 1 exists. It has restricted rights, and different rights for the first challenge. Teams of the missing division 7
 * have all rights.
 */
const divisions = [aDivision(1, 'Open', { defaultPermissions: 4096, overrides: new Map([[1, 1024 + 2048]]) })]

const aTeam = fc.record({
  isAccepted: fc.boolean(),
  division: fc.constantFrom(null, 'Open', '7'),
  awards: fc.constantFrom([], [], [{ points: -30, time: instantAt('11:58').getTime() }]),
  boughtHints: fc.constantFrom(
    [],
    [],
    [
      { challengeId: 1, price: 30, time: instantAt('11:57').getTime() },
      { challengeId: 2, price: 5, time: instantAt('11:59').getTime() },
    ],
  ),
  foundFlags: fc.constantFrom(
    [],
    [],
    [
      { challengeId: 1, submissionId: 100, points: 30, foundAt: instantAt('11:58') },
      { challengeId: 3, submissionId: 101, points: 5, foundAt: instantAt('11:59') },
    ],
  ),
  bio: fc.constantFrom(null, 'ü "quoted"'),
  solves: fc.uniqueArray(
    fc.record({
      challengeId: fc.integer({ min: 1, max: challenges.length }),
      minute: fc.integer({ min: -4, max: 1 }),
      userName: fc.constantFrom(null, 'ann', 'bob "the ü"'),
    }),
    { selector: ({ challengeId }) => challengeId, maxLength: challenges.length },
  ),
})
type Team = typeof aTeam extends fc.Arbitrary<infer T> ? T : never

function factsOf(list: readonly Team[], minutesLater: number, isValueFixed = false): ScoreboardFacts {
  return {
    ...someFacts({
      challenges: challenges.map((challenge) => ({ ...challenge, isValueFixed: isValueFixed && challenge.id > 1 })),
      divisions,
      participations: list.map(({ isAccepted, division, awards, boughtHints, foundFlags, bio }, index) => {
        const status = isAccepted ? 'Accepted' : 'Suspended'
        const participation = aParticipation(index + 1, {
          ...{ division, awards, boughtHints, status },
          foundFlags: foundFlags.map((flag) => ({ ...flag, submissionId: flag.submissionId + 10 * index })),
        })
        return { ...participation, team: { ...participation.team, bio } }
      }),
    }),
    solves: list.flatMap(({ solves }, index) =>
      solves.map(
        ({ challengeId, minute, userName }): RankedSolve => ({
          ...{ challengeId, userName, participationId: index + 1, submissionId: (index * 7) % 9 },
          submittedAt: new Date(instantAt('12:00').getTime() + minute * 60_000),
        }),
      ),
    ),
    updatedAt: new Date(instantAt('11:00').getTime() + minutesLater * 60_000),
  }
}

/** Returns the changes between an earlier board and a later board. */
function changesOf(board: Scoreboard, changed: ReadonlySet<number>): BoardChanges {
  const present = new Set(board.items.map(({ id }) => id))
  return {
    ...{ version: '2', whole: false, updateTimeUtc: board.updateTimeUtc },
    teams: board.items.filter(({ id }) => changed.has(id)),
    removed: [...changed].filter((id) => !present.has(id)),
    challenges: Object.values(board.challenges)
      .flat()
      .map(({ id, score, solved, bloods }) => ({ id, score, solved, bloods: bloods.map((blood) => blood.id) })),
    ties: listTies(board.items),
  }
}

const quiet: Team = { isAccepted: true, division: null, awards: [], boughtHints: [], foundFlags: [], bio: null, solves: [] }
const someTeams = fc.array(aTeam, { minLength: teams, maxLength: teams, size: 'max' })

test('applying the changed rows turns the earlier board into the current one', () => {
  fc.assert(
    fc.property(someTeams, someTeams, fc.array(fc.boolean(), { minLength: teams, maxLength: teams }), (before, after, mask) => {
      const later = before.map((team, index) => (mask[index] ? after[index]! : team))
      const [earlier, facts] = [factsOf(before, 0), factsOf(later, 1)]
      const known = buildScoreboard(earlier)
      const json = JSON.stringify(known)
      const board = buildScoreboard(facts)
      const changed = new Set(facts.participations.filter((_, index) => mask[index]).map(({ team }) => team.id))
      const changes = JSON.parse(JSON.stringify(changesOf(board, changed))) as BoardChanges
      const followed = applyBoardChanges(known, changes)
      expect(JSON.stringify(followed)).toBe(JSON.stringify(board))
      // Applying the changes again has no effect, and the earlier board is not modified.
      expect(JSON.stringify(applyBoardChanges(followed, changes))).toBe(JSON.stringify(board))
      expect(JSON.stringify(known)).toBe(json)
    }),
    { numRuns },
  )
})

test('if earlier solves retain their points, a client can update the board from the rows of new solvers', () => {
  const early = someTeams.map((list) =>
    list.map((team) => ({ ...team, solves: team.solves.filter(({ minute }) => minute < -1) })),
  )
  fc.assert(
    fc.property(early, fc.array(fc.boolean(), { minLength: teams, maxLength: teams }), (before, mask) => {
      const later = before.map((team, index) => {
        const challengeId = [1, 2, 3, 4].find((id) => team.solves.every((solve) => solve.challengeId !== id))
        if (!mask[index] || challengeId === undefined) return team
        return { ...team, solves: [...team.solves, { challengeId, minute: -1, userName: null }] }
      })
      const [earlier, facts] = [factsOf(before, 0, true), factsOf(later, 1, true)]
      const [inOrder, laterInOrder] = [earlier, facts].map((each) => ({ ...each, solves: each.solves.toSorted(compareSolves) }))
      const solvers = new Map(
        later.flatMap((team, index) => (team === before[index] || !team.isAccepted ? [] : [[101 + index, 1] as const])),
      )
      expect(areFixedValuesUnchanged(inOrder!, laterInOrder!, solvers)).toBe(true)
      const changed = new Set(facts.participations.filter((_, index) => mask[index]).map(({ team }) => team.id))
      const board = buildScoreboard(facts)
      expect(applyBoardChanges(buildScoreboard(earlier), changesOf(board, changed))).toEqual(board)
    }),
    { numRuns },
  )
})

const solver: Team = { ...quiet, solves: [{ challengeId: 2, minute: -2, userName: null }] }
test.each<[string, Team[]]>([
  ['an earlier solve', [solver, { ...quiet, solves: [{ challengeId: 2, minute: -3, userName: null }] }]],
  ['another division of a solver', [{ ...solver, division: 'Open' }, quiet]],
  ['a suspended solver', [{ ...solver, isAccepted: false }, quiet]],
])('areFixedValuesUnchanged returns false after %s', (_, later) => {
  const inOrder = (list: readonly Team[], isValueFixed: boolean) => {
    const facts = factsOf(list, 0, isValueFixed)
    return { ...facts, solves: facts.solves.toSorted(compareSolves) }
  }
  expect(areFixedValuesUnchanged(inOrder([solver, quiet], true), inOrder(later, true), new Map())).toBe(false)
  expect(areFixedValuesUnchanged(inOrder([solver, quiet], false), inOrder(later, false), new Map())).toBe(true)
})

test('areFixedValuesUnchanged returns false if a team was suspended and accepted again', () => {
  const facts = factsOf([solver, quiet], 0, true)
  expect(areFixedValuesUnchanged(facts, facts, new Map())).toBe(true)
  // The solver was suspended and accepted again.
  expect(areFixedValuesUnchanged(facts, facts, new Map([[101, 2]]))).toBe(false)
})

test('applying changed rows reuses the objects of unchanged rows', () => {
  const known = buildScoreboard(
    factsOf(
      Array.from({ length: 3 }, () => ({ ...quiet })),
      0,
    ),
  )
  const board = buildScoreboard(factsOf([quiet, { ...quiet, bio: 'ü "quoted"' }, quiet], 1))
  const { items } = applyBoardChanges(known, changesOf(board, new Set([board.items[1]!.id])))
  expect(items.map((team, index) => team === known.items[index])).toEqual([true, false, true])
})

test('solversByChallenge returns the solvers on the board, latest first', () => {
  fc.assert(
    fc.property(someTeams, (list) => {
      const board = buildScoreboard(factsOf(list, 0))
      const found = solversByChallenge(board)
      for (const { id, solved } of Object.values(board.challenges).flat()) {
        const all = board.items.flatMap(({ id: teamId, name, avatar, organization, solvedChallenges }) =>
          solvedChallenges.flatMap((one) =>
            // Solves by the division Open do not count for the value of the first challenge.
            one.id === id && !(organization === 'Open' && id === 1)
              ? [{ id: teamId, name, avatar, type: one.type, time: one.time }]
              : [],
          ),
        )
        const { count, latest = [] } = found.get(id) ?? {}
        expect(count).toBe(solved)
        expect(all).toEqual(expect.arrayContaining(latest))
        const times = all.map(({ time }) => time).sort((one, other) => other.localeCompare(one))
        expect(latest.map(({ time }) => time)).toEqual(times.slice(0, Limits.latestSolvers))
      }
    }),
    { numRuns: 100 },
  )
})
