import { describe, expect, test } from 'vitest'
import {
  findReviewOutcome,
  getStatusChangeEffects,
  refuseLeavingGame,
  refusePlayerCall,
  refuseUnassignableStatus,
  refuseUnlessAccepted,
  type StoredStatus,
} from './participation.ts'

const statuses: StoredStatus[] = ['Pending', 'Accepted', 'Rejected', 'Suspended']

const nothing = { entersGame: false, stopsInstances: false }
const entering = { entersGame: true, stopsInstances: false }
const leaving = { entersGame: false, stopsInstances: true }

describe('a change of status', () => {
  test.each<[StoredStatus | undefined, StoredStatus, object]>([
    [undefined, 'Pending', { changesStatus: true, ...nothing }],
    [undefined, 'Accepted', { changesStatus: true, ...entering }],
    ['Pending', 'Accepted', { changesStatus: true, ...entering }],
    ['Pending', 'Rejected', { changesStatus: true, ...nothing }],
    ['Pending', 'Suspended', { changesStatus: true, ...nothing }],
    ['Accepted', 'Pending', { changesStatus: true, ...leaving }],
    ['Accepted', 'Rejected', { changesStatus: true, ...leaving }],
    ['Accepted', 'Suspended', { changesStatus: true, ...leaving }],
    ['Suspended', 'Accepted', { changesStatus: true, ...entering }],
    ['Suspended', 'Pending', { changesStatus: true, ...nothing }],
    ['Suspended', 'Rejected', { changesStatus: true, ...nothing }],
    ['Rejected', 'Accepted', { changesStatus: true, ...entering }],
    ['Rejected', 'Pending', { changesStatus: true, ...nothing }],
    ['Rejected', 'Suspended', { changesStatus: true, ...nothing }],
  ])('the change from %s to %s has exactly the documented effects', (from, to, effects) => {
    expect(getStatusChangeEffects(from, to)).toEqual(effects)
  })

  test.each(statuses)('setting the status %s a second time has no effect', (status) => {
    expect(getStatusChangeEffects(status, status)).toEqual({ changesStatus: false, ...nothing })
  })
})

test.each([
  ['Pending', undefined],
  ['Accepted', undefined],
  ['Rejected', undefined],
  ['Suspended', undefined],
  ['Unsubmitted', 'participation.status'],
  ['accepted', 'participation.status'],
  ['Winner', 'participation.status'],
  ['', 'participation.status'],
])('assigning the status "%s" gives the refusal %s', (status, expected) => {
  expect(refuseUnassignableStatus(status)).toBe(expected)
})

test.each<[StoredStatus | undefined, string | undefined]>([
  [undefined, 'leave.not-joined'],
  ['Pending', undefined],
  ['Rejected', undefined],
  ['Accepted', 'leave.too-late'],
  ['Suspended', 'leave.too-late'],
])('leaving a game with the status %s gives the refusal %s', (status, expected) => {
  expect(refuseLeavingGame(status)).toBe(expected)
})

test.each<[StoredStatus | undefined, string | undefined]>([
  [undefined, 'participation.required'],
  ['Pending', 'participation.not-accepted'],
  ['Rejected', 'participation.not-accepted'],
  ['Suspended', 'participation.suspended'],
  ['Accepted', undefined],
])('a player call with the status %s gives the refusal %s', (status, expected) => {
  expect(refuseUnlessAccepted(status)).toBe(expected)
})

describe('the order of checks for players', () => {
  const game = {
    start: new Date('2026-05-01T00:00:00Z'),
    end: new Date('2026-05-02T00:00:00Z'),
    practiceMode: false,
    writeupDeadline: new Date('2026-05-02T00:00:00Z'),
  }
  const [early, running, late] = ['2026-04-30', '2026-05-01', '2026-05-03'].map((day) => new Date(`${day}T12:00:00Z`))

  test.each<[string, StoredStatus | undefined, Date, string | undefined]>([
    ['"not joined" is checked before "too early"', undefined, early!, 'participation.required'],
    ['"not accepted" is checked before "too early"', 'Pending', early!, 'participation.not-accepted'],
    ['"suspended" is checked before "too late"', 'Suspended', late!, 'participation.suspended'],
    ['an accepted team can be too early', 'Accepted', early!, 'game.not-started'],
    ['an accepted team can be too late', 'Accepted', late!, 'game.ended'],
    ['an accepted team plays while the game runs', 'Accepted', running!, undefined],
  ])('%s', (_, status, now, expected) => {
    expect(refusePlayerCall('submit', status, game, now)).toBe(expected)
  })
})

describe('the outcome of a review', () => {
  const waitsForPlace = true
  test.each([
    ['accepts a team', ['Pending', false], 'Accepted', {}, { status: 'Accepted', isWaiting: false }],
    ['lets an approved team wait', ['Pending', false], 'Accepted', { waitsForPlace }, { status: 'Pending', isWaiting: true }],
    ['lets a rejected team wait', ['Rejected', false], 'Accepted', { waitsForPlace }, { status: 'Pending', isWaiting: true }],
    ['accepts a waiting team beyond the limit', ['Pending', true], 'Accepted', {}, { status: 'Accepted', isWaiting: false }],
    ['changes nothing for a team that waits', ['Pending', true], 'Accepted', { waitsForPlace }, undefined],
    ['readmits a suspended team', ['Suspended', false], 'Accepted', { waitsForPlace }, { status: 'Accepted', isWaiting: false }],
    ['changes nothing for an accepted team', ['Accepted', false], 'Accepted', { waitsForPlace }, undefined],
    ['removes a team from the waiting list', ['Pending', true], 'Pending', {}, { status: 'Pending', isWaiting: false }],
    ['changes nothing for a pending team', ['Pending', false], 'Pending', {}, undefined],
    ['rejects a waiting team', ['Pending', true], 'Rejected', {}, { status: 'Rejected', isWaiting: false, division: null }],
  ] as const)('a review by an organizer %s', (_, [status, isWaiting], to, options, outcome) => {
    expect(findReviewOutcome({ status, isWaiting }, to, { waitsForPlace: false, ...options })).toEqual(outcome)
  })
})
