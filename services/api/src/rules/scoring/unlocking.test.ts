import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { normalizeUnlockRule, type UnlockRule } from '@capstan/contract/unlock'
import { describe, expect, test } from 'vitest'
import {
  describeUnlockCondition,
  findChallengeLocks,
  findPrerequisiteCycle,
  type Lock,
  listConcealedChallengeIds,
} from './unlocking.ts'

const challengeId = 9
const team = { id: 5, name: 'Team', bio: null, avatar: null }

function standing(score: number, solved: readonly number[]) {
  return { id: team.id, score, solvedChallenges: solved.map((id) => ({ id })) } as ScoreboardTeam
}

type Case = Readonly<{
  rule: Partial<UnlockRule>
  score?: number
  solved?: readonly number[]
  enabled?: readonly number[]
  unlocked?: readonly number[]
}>

function locksOf({ rule, score = 0, solved = [], enabled = [1, 2, 3, challengeId], unlocked = [] }: Case) {
  const full: UnlockRule = { after: [], count: null, points: null, locked: 'Shown', ...rule }
  const participation = { id: 50, status: 'Accepted' as const, division: null, team }
  return findChallengeLocks(
    {
      ...{ rules: [{ id: challengeId, rule: full }], enabled: new Set(enabled), participations: [participation] },
      isUnlocked: (one) => unlocked.includes(one.challengeId),
    },
    { items: [standing(score, solved)] },
  )
}

const unlock = { participationId: 50, challengeId }
const all = { after: [1, 2, 3] }
const two = { after: [1, 2, 3], count: 2 }

describe('a challenge', () => {
  test.each<[string, boolean, Case]>([
    ['none of the prerequisites, all of which are required', false, { rule: all }],
    ['all prerequisites but one', false, { rule: all, solved: [1, 2] }],
    ['all prerequisites', true, { rule: all, solved: [1, 2, 3] }],
    ['one of two required prerequisites', false, { rule: two, solved: [3] }],
    ['exactly two required prerequisites', true, { rule: two, solved: [1, 3] }],
    ['other challenges only', false, { rule: two, solved: [7, 8] }],
    ['one point less than required', false, { rule: { points: 100 }, score: 99 }],
    ['exactly the required points', true, { rule: { points: 100 }, score: 100 }],
    ['the required points but no prerequisite', true, { rule: { ...all, points: 100 }, score: 100 }],
    ['all prerequisites but no points', true, { rule: { ...all, points: 100 }, solved: [1, 2, 3] }],
    ['all enabled prerequisites', true, { rule: all, solved: [1, 2], enabled: [1, 2, challengeId] }],
    ['one of the two that remain enabled', false, { rule: two, solved: [1], enabled: [1, 2, challengeId] }],
    ['the only one that remains enabled', true, { rule: two, solved: [1], enabled: [1, challengeId] }],
    ['the required points, with all prerequisites disabled', true, { rule: { ...all, points: 100 }, score: 100, enabled: [] }],
    ['too few points, with all prerequisites disabled', false, { rule: { ...all, points: 100 }, score: 99, enabled: [] }],
    ['the challenge itself, which an organizer granted', true, { rule: all, solved: [challengeId] }],
  ])('whether a challenge is open for a team with %s: %s', (_, isOpen, given) => {
    const { locks, unlocks } = locksOf(given)
    expect(locks[0]?.open.has(team.id)).toBe(isOpen)
    expect(locks[0]?.isFree).toBe(false)
    expect(unlocks).toEqual(isOpen ? [unlock] : [])
  })

  test('a challenge remains open for a team with a stored unlock, even if the team loses solves and points', () => {
    const { locks, unlocks } = locksOf({ rule: { ...all, points: 100 }, unlocked: [challengeId] })
    expect(locks[0]?.open).toEqual(new Set([team.id]))
    expect(unlocks).toEqual([])
  })

  test('a challenge is open for all teams, without a stored unlock, if all its prerequisites are disabled', () => {
    const { locks, unlocks } = locksOf({ rule: all, enabled: [challengeId] })
    expect(locks[0]).toMatchObject({ isFree: true, needed: 0 })
    expect(unlocks).toEqual([])
  })

  test('the board omits a locked, hidden challenge until the first team unlocks the challenge', () => {
    const concealed = (given: Omit<Case, 'rule'>, rule: Partial<UnlockRule> = { locked: 'Hidden' }) => [
      ...listConcealedChallengeIds(locksOf({ ...given, rule: { ...all, ...rule } }).locks),
    ]
    expect(concealed({ solved: [1] })).toEqual([challengeId])
    expect(concealed({ solved: [1, 2, 3] })).toEqual([])
    expect(concealed({ unlocked: [challengeId] })).toEqual([])
    expect(concealed({ enabled: [] })).toEqual([])
    expect(concealed({}, {})).toEqual([])
  })
})

test.each<[Partial<Lock>, readonly string[], string]>([
  [{}, ['Rope', 'Knot'], 'The challenge opens when the team solves all 2 prerequisites: "Rope", "Knot".'],
  [{ needed: 1 }, ['Rope'], 'The challenge opens when the team solves 1 of 2 prerequisites: "Rope".'],
  [{ points: 50 }, [], 'The challenge opens when the team solves all 2 prerequisites, or when the team has 50 points.'],
  [{ after: [], needed: 0, points: 50 }, [], 'The challenge opens when the team has 50 points.'],
])('describes the lock %j with the titles %j', (parts, titles, text) => {
  const lock = { challengeId, isHidden: false, after: [1, 2], needed: 2, points: null, isFree: false, open: new Set<number>() }
  expect(describeUnlockCondition({ ...lock, ...parts }, titles)).toBe(text)
})

describe('a cycle of prerequisites', () => {
  const cycleOf = (edges: Readonly<Record<number, readonly number[]>>) =>
    findPrerequisiteCycle(Object.entries(edges).map(([id, after]) => ({ id: Number(id), title: `T${id}`, after })))?.map(
      ({ id }) => id,
    )
  test.each([
    [{ 1: [1] }, [1, 1]],
    [{ 1: [2], 2: [1] }, [1, 2, 1]],
    [{ 1: [2], 2: [3], 3: [4], 4: [2] }, [2, 3, 4, 2]],
    [{ 1: [2, 3], 2: [4], 3: [4], 4: [] }, undefined],
    [{ 1: [99] }, undefined],
    [{}, undefined],
  ])('for the prerequisites %j, findPrerequisiteCycle returns the ids %j', (edges, cycle) => {
    expect(cycleOf(edges)).toEqual(cycle)
  })
})

test.each<[UnlockRule | null, UnlockRule | null]>([
  [null, null],
  [{ after: [], count: 2, points: null, locked: 'Hidden' }, null],
  [
    { after: [3, 1, 3], count: 2, points: null, locked: 'Shown' },
    { after: [1, 3], count: null, points: null, locked: 'Shown' },
  ],
  [
    { after: [3, 1, 2], count: 2, points: 5, locked: 'Hidden' },
    { after: [1, 2, 3], count: 2, points: 5, locked: 'Hidden' },
  ],
  [
    { after: [], count: 1, points: 5, locked: 'Shown' },
    { after: [], count: null, points: 5, locked: 'Shown' },
  ],
])('normalizes the rule %j to %j', (given, plain) => {
  expect(normalizeUnlockRule(given)).toEqual(plain)
})
