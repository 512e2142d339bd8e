import type { GameNotice, NoticeType } from '@capstan/contract/games'

/** Labels of the notice filter. */
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

/** The filter of an address; anything unknown shows all. */
export const readNoticeFilter = (text: string | null): NoticeFilter => noticeFilters.find((filter) => filter === text) ?? 'all'

/** Notices of a filter, newest first (the server puts those of the organizers first). */
export const shownNotices = (notices: readonly GameNotice[], filter: NoticeFilter): GameNotice[] =>
  notices
    .filter((notice) => filter === 'all' || kinds[notice.type] === filter)
    .sort((one, other) => Date.parse(other.time) - Date.parse(one.time) || other.id - one.id)

interface Day {
  /** Midnight in the visitor's zone, milliseconds. */
  readonly at: number
  readonly notices: readonly GameNotice[]
}

const midnight = (at: number | string): number => new Date(at).setHours(0, 0, 0, 0)

/** Splits sorted notices by the visitor's days. */
export const byDay = (notices: readonly GameNotice[]): readonly Day[] =>
  [...Map.groupBy(notices, (notice) => midnight(notice.time))].map(([at, ofDay]) => ({ at, notices: ofDay }))

/** Which of the named days a midnight is. */
export function dayName(at: number, now: number): 'today' | 'yesterday' | undefined {
  const today = midnight(now)
  if (at === today) return 'today'
  // A day has 23 to 25 hours.
  return at === midnight(today - 12 * 3_600_000) ? 'yesterday' : undefined
}
