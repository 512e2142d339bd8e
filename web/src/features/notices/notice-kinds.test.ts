import type { GameNotice } from '@capstan/contract/games'
import { describe, expect, it } from 'vitest'
import { filterNotices, groupNoticesByDay, nameOfDay, parseNoticeFilter } from './notice-kinds.ts'

function at(day: number, hour: number) {
  return new Date(2026, 2, day, hour).toISOString()
}
const notices: readonly GameNotice[] = [
  { id: 1, time: at(9, 8), type: 'Normal', values: ['Welcome'] },
  { id: 4, time: at(10, 12), type: 'NewHint', values: ['Seal'] },
  { id: 3, time: at(10, 11), type: 'FirstBlood', values: ['Crew', 'Seal'] },
  { id: 2, time: at(10, 11), type: 'NewChallenge', values: ['Seal'] },
]
function ids(filter: Parameters<typeof filterNotices>[1]) {
  return filterNotices(notices, filter).map(({ id }) => id)
}

describe('the list of notices', () => {
  it("the list sorts notices newest first, regardless of the server's order", () => {
    expect(ids('all')).toEqual([4, 3, 2, 1])
  })

  it('the list can be filtered by announcements, bloods, and news about challenges', () => {
    expect(ids('game')).toEqual([1])
    expect(ids('events')).toEqual([3])
    expect(ids('challenge')).toEqual([4, 2])
  })

  it('the list shows all notices if the address has an unknown filter', () => {
    expect(parseNoticeFilter('events')).toBe('events')
    expect(parseNoticeFilter('blood')).toBe('all')
  })

  it("the list groups notices by days in the visitor's time zone", () => {
    const days = groupNoticesByDay(filterNotices(notices, 'all'))
    expect(days.map((day) => day.notices.length)).toEqual([3, 1])
    const now = new Date(2026, 2, 10, 23).getTime()
    expect(days.map((day) => nameOfDay(day.at, now))).toEqual(['today', 'yesterday'])
    expect(nameOfDay(new Date(2026, 2, 8).getTime(), now)).toBeUndefined()
  })
})
