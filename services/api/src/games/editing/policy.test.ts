import { expect, test } from 'vitest'
import { gameColumnsOf, refuseInvalidGameTimes } from './policy.ts'

const now = new Date('2026-05-01T12:00:00Z')
const least = { title: ' Finals ', start: '2026-05-02T00:00:00+02:00', end: '2026-05-03T00:00:00+02:00' }

test('absent settings of a game get their defaults', () => {
  expect(gameColumnsOf(least, now)).toEqual({
    title: 'Finals',
    hidden: false,
    summary: '',
    content: '',
    acceptWithoutReview: false,
    writeupRequired: false,
    inviteCode: null,
    teamMemberCountLimit: 0,
    containerCountLimit: 3,
    practiceMode: true,
    startsAt: new Date('2026-05-01T22:00:00Z'),
    endsAt: new Date('2026-05-02T22:00:00Z'),
    writeupDeadline: now,
    writeupNote: '',
    bloodBonus: 52459530,
  })
})

test.each([
  [0, 0],
  [(1000 << 20) + (1000 << 10) + 1000, (1000 << 20) + (1000 << 10) + 1000],
  [(1001 << 20) + 5, 52459530],
  [-1, 52459530],
])('stores the blood bonus %i as %i', (given, stored) => {
  expect(gameColumnsOf({ ...least, bloodBonus: given }, now).bloodBonus).toBe(stored)
})

test.each([
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', undefined],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 'game.times'],
  ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', 'game.times'],
  ['0000-12-31T00:00:00Z', '2026-01-01T00:00:00Z', 'game.times'],
])('for a game from %s to %s, the problem is %s', (start, end, refusal) => {
  expect(refuseInvalidGameTimes({ startsAt: new Date(start), endsAt: new Date(end), writeupDeadline: now })).toBe(refusal)
})
