import type { ParticipationRecord, ParticipationStatus } from '@capstan/contract/games'
import { describe, expect, it } from 'vitest'
import { filterRecords, findRowWithKeyboardCursor, listUndoChanges, listVerdictChanges } from './review.ts'

function aRecord(
  id: number,
  status: ParticipationStatus,
  { name = `Team ${id}`, waitingPlace = null }: { name?: string; waitingPlace?: number | null } = {},
): ParticipationRecord {
  return {
    id,
    status,
    organization: id % 2 === 0 ? 'Open' : 'Students',
    registeredMembers: [],
    waitingPlace,
    team: { id: id + 100, name, bio: null, avatar: null, locked: false, captainId: 'c', members: [] },
  }
}

const records = [aRecord(1, 'Accepted'), aRecord(2, 'Pending'), aRecord(3, 'Rejected'), aRecord(4, 'Suspended')]
const all = new Set([1, 2, 3, 4])

describe('a verdict on many teams', () => {
  it.each([
    ['Accepted', [2, 4]],
    ['Rejected', [2]],
    ['Suspended', [1]],
  ] as const)('a verdict changes only teams whose status allows it: %s', (to, ids) => {
    expect(listVerdictChanges(records, all, to).map(({ id }) => id)).toEqual(ids)
  })

  it('an undone verdict restores the previous status of each team', () => {
    expect(listUndoChanges(listVerdictChanges(records, all, 'Accepted'))).toEqual([
      { id: 2, team: 'Team 2', from: 'Accepted', to: 'Pending', division: 'Open', wasWaiting: false, withinLimit: false },
      { id: 4, team: 'Team 4', from: 'Accepted', to: 'Suspended', division: 'Open', wasWaiting: false, withinLimit: false },
    ])
  })

  it('an organizer can accept a team from the waiting list even if the game is full', () => {
    const waiting = [aRecord(5, 'Pending'), aRecord(6, 'Pending', { waitingPlace: 1 })]
    expect(listVerdictChanges(waiting, new Set([5, 6]), 'Accepted').map(({ id, withinLimit }) => [id, withinLimit])).toEqual([
      [5, true],
      [6, false],
    ])
  })

  it('an undone verdict puts a team back on the waiting list', () => {
    const [undo] = listUndoChanges(listVerdictChanges([aRecord(6, 'Pending', { waitingPlace: 1 })], new Set([6]), 'Rejected'))
    expect(undo).toMatchObject({ to: 'Accepted', withinLimit: true })
  })
})

describe('the review list', () => {
  it('the review list starts with pending teams', () => {
    expect(filterRecords(records, { status: 'all', division: '', search: '' }).map(({ id }) => id)).toEqual([2, 1, 4, 3])
  })

  it('the review list shows teams that await a review before teams on the waiting list', () => {
    const waiting = [
      aRecord(1, 'Pending', { waitingPlace: 2 }),
      aRecord(2, 'Pending', { waitingPlace: 1 }),
      aRecord(3, 'Pending'),
    ]
    expect(filterRecords(waiting, { status: 'all', division: '', search: '' }).map(({ id }) => id)).toEqual([3, 2, 1])
  })

  it('the review list can be filtered by division and by team name', () => {
    expect(filterRecords(records, { status: 'all', division: 'Open', search: '' }).map(({ id }) => id)).toEqual([2, 4])
    expect(filterRecords(records, { status: 'all', division: '', search: 'team 3' }).map(({ id }) => id)).toEqual([3])
  })
})

describe('the row for keyboard actions', () => {
  it('keyboard actions go to the next team if the highlighted team leaves the list', () => {
    expect(findRowWithKeyboardCursor([1, 3, 4], 2, [1, 2, 3, 4])).toBe(3)
    expect(findRowWithKeyboardCursor([1, 2], 4, [1, 2, 4])).toBe(2)
    expect(findRowWithKeyboardCursor([], 2, [2])).toBeUndefined()
    expect(findRowWithKeyboardCursor([1, 2], 2, [1, 2])).toBe(2)
  })
})
