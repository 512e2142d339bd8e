import type { GameNotice, NoticeType } from '@capstan/contract/games'

export const noticeFilters = ['all', 'game', 'events', 'challenge'] as const
export type NoticeFilter = (typeof noticeFilters)[number]

const kinds: Readonly<Record<NoticeType, Exclude<NoticeFilter, 'all'>>> = {
  Normal: 'game',
  FirstBlood: 'events',
  SecondBlood: 'events',
  ThirdBlood: 'events',
  NewHint: 'challenge',
  NewChallenge: 'challenge',
}

export function parseNoticeFilter(text: string | null): NoticeFilter {
  return noticeFilters.find((filter) => filter === text) ?? 'all'
}

/**
 * Returns the notices that match a filter, newest first. The server sends announcements first, so this function sorts all
 * notices.
 */
export function filterNotices(notices: readonly GameNotice[], filter: NoticeFilter): GameNotice[] {
  return notices
    .filter((notice) => filter === 'all' || kinds[notice.type] === filter)
    .sort((one, other) => Date.parse(other.time) - Date.parse(one.time) || other.id - one.id)
}

type Day = Readonly<{
  /** Start of the day in the visitor's time zone, in ms. */
  at: number
  notices: readonly GameNotice[]
}>

function midnight(at: number | string): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

export function groupNoticesByDay(notices: readonly GameNotice[]): readonly Day[] {
  return [...Map.groupBy(notices, (notice) => midnight(notice.time))].map(([at, ofDay]) => ({ at, notices: ofDay }))
}

/**
 * Returns the name of a day.
 * @param at time in ms of the midnight at which the day starts
 * @returns undefined for days before yesterday
 */
export function nameOfDay(at: number, now: number): 'today' | 'yesterday' | undefined {
  const today = midnight(now)
  if (at === today) return 'today'
  // A day has 23 to 25 hours, so 12 hours before midnight is always yesterday.
  return at === midnight(today - 12 * 3_600_000) ? 'yesterday' : undefined
}
