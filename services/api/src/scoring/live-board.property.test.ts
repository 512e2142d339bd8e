import type { BoardChanges } from '@capstan/contract/board-changes'
import { followBoardChanges, tiesOf } from '@capstan/contract/board-rules'
import { Limits } from '@capstan/contract/limits'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseOf, LiveBoard, stepsSince, type VersionedFacts, type VersionedSolve } from './live-board.ts'
import { buildScoreboard } from './ranking.ts'
import { aChallenge, aParticipation, atTime, someFacts } from './testing/facts.ts'

/** Histories to follow; more with `CAPSTAN_PROPERTY_RUNS`. */
const numRuns = Number(process.env.CAPSTAN_PROPERTY_RUNS ?? 300)
const teams = 9
const challenges = 4

type Facts = VersionedFacts
const minutes = fc.integer({ min: -4, max: 1 })

/** What may happen to a game; times are few, so that ties, late commits and solves after the end are common. */
const happening = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('solves' as const),
      list: fc.array(
        fc.record({
          participationId: fc.integer({ min: 1, max: teams }),
          challengeId: fc.integer({ min: 1, max: challenges }),
          minute: minutes,
          userName: fc.constantFrom(null, 'ann', 'bob "the ü"'),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('status' as const), id: fc.integer({ min: 1, max: teams }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('division' as const),
      id: fc.integer({ min: 1, max: teams }),
      division: fc.constantFrom(null, 'Open', '7'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('challenge' as const),
      id: fc.integer({ min: 1, max: challenges }),
      changes: fc.record({
        title: fc.constantFrom('a', 'B', '9'),
        isEnabled: fc.boolean(),
        originalScore: fc.constantFrom(0, 100, 1000),
        difficulty: fc.constantFrom(0.5, 5),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recount' as const), odd: fc.boolean(), minute: minutes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), minute: minutes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bonus' as const), bloodBonus: fc.constantFrom(0, 52459530) }) },
)
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

const atMinute = (minute: number) => new Date(atTime('12:00').getTime() + minute * 60_000)

const start: Facts = {
  ...someFacts({
    challenges: Array.from({ length: challenges }, (_, index) => aChallenge(index + 1, { category: index % 2 ? 'Pwn' : 'Web' })),
    participations: Array.from({ length: teams }, (_, index) =>
      aParticipation(index + 1, { division: index % 3 === 0 ? 'Open' : null, awarded: index === teams - 1 ? -30 : 0 }),
    ),
  }),
  version: 0,
  solves: [],
}

/** The facts after it: one version later, as in the database. */
const after = (facts: Facts, what: Happening): Facts => {
  const version = facts.version + 1
  const updatedAt = new Date(facts.updatedAt.getTime() + 1_000)
  const next = { ...facts, version, updatedAt }
  switch (what.kind) {
    case 'solves': {
      const solves: VersionedSolve[] = [...facts.solves]
      for (const { participationId, challengeId, minute, userName } of what.list) {
        if (solves.some((one) => one.participationId === participationId && one.challengeId === challengeId)) continue
        const submissionId = Math.max(0, ...solves.map((one) => one.submissionId)) + 1
        solves.push({
          submissionId,
          participationId,
          challengeId,
          userName,
          submittedAt: atMinute(minute),
          boardVersion: version,
        })
      }
      return solves.length === facts.solves.length ? facts : { ...next, solves }
    }
    case 'status': {
      const flip = (status: string) => (status === 'Accepted' ? ('Suspended' as const) : ('Accepted' as const))
      return {
        ...next,
        participations: facts.participations.map((one) => (one.id === what.id ? { ...one, status: flip(one.status) } : one)),
      }
    }
    case 'division':
      return {
        ...next,
        participations: facts.participations.map((one) => (one.id === what.id ? { ...one, division: what.division } : one)),
      }
    case 'challenge':
      return { ...next, challenges: facts.challenges.map((one) => (one.id === what.id ? { ...one, ...what.changes } : one)) }
    case 'recount':
      // Some solves go, the others are written anew.
      return {
        ...next,
        solves: facts.solves
          .filter(({ submissionId }) => (submissionId % 2 === 1) === what.odd)
          .map((solve) => ({ ...solve, submittedAt: atMinute(what.minute), boardVersion: 0 })),
      }
    case 'end':
      return { ...next, game: { ...facts.game, end: atMinute(what.minute) } }
    case 'bonus':
      return { ...next, game: { ...facts.game, bloodBonus: what.bloodBonus } }
  }
}

const whole = (facts: Facts) => JSON.stringify(buildScoreboard(facts))
const content = (json: string) => JSON.stringify({ ...(JSON.parse(json) as Scoreboard), updateTimeUtc: '' })

/** A board as a client knows it. */
interface Known {
  readonly version: number
  readonly counted: number
  readonly json: string
}

/** What such a client is sent; undefined: it has to read the whole board. */
const changesSince = (live: LiveBoard, known: Known): BoardChanges | undefined => {
  const solves = stepsSince(live.steps, live.base, known)?.flatMap((step) => step.solves)
  if (!solves) return undefined
  const values = Object.values(live.board.challenges).flat()
  return {
    version: '',
    whole: false,
    updateTimeUtc: live.board.updateTimeUtc,
    solves,
    challenges: values
      .filter(({ id }) => solves.some(({ challenge }) => challenge === id))
      .map(({ id, score }) => ({ id, score })),
    ties: tiesOf(live.board.items),
  }
}

/** What is told of a challenge beside the board is what stands on it. */
const expectSolvers = (live: LiveBoard, challengeId: number) => {
  const all = live.board.items.flatMap(({ id, name, avatar, solvedChallenges }) =>
    solvedChallenges.flatMap(({ id: solved, type, time }) => (solved === challengeId ? [{ id, name, avatar, type, time }] : [])),
  )
  const { count, latest = [] } = live.solvers.get(challengeId) ?? {}
  expect(count).toBe(all.length)
  expect(all).toEqual(expect.arrayContaining(latest))
  const times = all.map(({ time }) => time).sort((one, other) => other.localeCompare(one))
  expect(latest.map(({ time }) => time)).toEqual(times.slice(0, Limits.latestSolvers))
}

test('a board that takes up solves as they come is the board built from all of them, and so is a client that follows', () => {
  let followed = 0
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40, size: 'max' }), fc.integer({ min: 1, max: 50 }), (list, mostSteps) => {
      let facts = start
      let live = new LiveBoard(facts, mostSteps)
      const seen: Known[] = []
      for (const what of list) {
        const before = facts
        facts = after(facts, what)
        if (facts === before) continue
        const added = facts.solves.filter(({ boardVersion }) => boardVersion > before.version)
        if (what.kind === 'solves') live.advance({ ...facts, solves: added })
        else live = new LiveBoard(facts, mostSteps)
        const expected = whole(facts)
        expect(content(JSON.stringify(live.board))).toBe(content(expected))
        // Whoever starts now comes to the same board, base and steps.
        const fresh = new LiveBoard(facts, mostSteps)
        expect([fresh.base, content(JSON.stringify(fresh.board))]).toEqual([live.base, content(expected)])
        expect(fresh.steps.slice(-3)).toEqual(live.steps.slice(-fresh.steps.length).slice(-3))
        for (const { id } of Object.values(live.board.challenges).flat()) expectSolvers(live, id)
        for (const known of seen) {
          const changes = changesSince(live, known)
          if (!changes) continue
          followed += 1
          const sent = JSON.parse(JSON.stringify(changes)) as BoardChanges
          expect(JSON.stringify(followBoardChanges(JSON.parse(known.json), sent))).toBe(JSON.stringify(live.board))
        }
        seen.push({ version: facts.version, counted: live.counted, json: JSON.stringify(live.board) })
      }
    }),
    { numRuns },
  )
  expect(followed).toBeGreaterThan(numRuns)
})

test('what has been followed before stays as it was', () => {
  const facts: Facts = { ...start, version: 1, solves: [] }
  const live = new LiveBoard(facts, 10)
  const before = live.board
  const solve = {
    submissionId: 1,
    participationId: 1,
    challengeId: 1,
    userName: null,
    submittedAt: atMinute(-4),
    boardVersion: 2,
  }
  live.advance({ version: 2, solves: [solve], updatedAt: facts.updatedAt })
  const kept = before.items.filter((team) => live.board.items.includes(team))
  // One team is first already: no other changes its rank.
  expect(kept).toHaveLength(teams - 1)
  expect(before).toEqual(new LiveBoard(facts, 10).board)
})

test('the base is where other things than solves have last changed the board', () => {
  const made = (...versions: number[]) => versions.map((boardVersion) => ({ boardVersion }))
  expect(baseOf(0, [])).toBe(0)
  expect(baseOf(5, made())).toBe(5)
  expect(baseOf(5, made(5, 4, 4, 0))).toBe(3)
  expect(baseOf(3, made(1, 2, 3))).toBe(0)
})
