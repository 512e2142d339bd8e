import type { LanguageCode } from '@capstan/contract/languages'
import { serverTexts } from '@capstan/contract/server-texts'
import ical, { ICalCalendarMethod } from 'ical-generator'
import type { ListedGame } from '../../games/editing/service.ts'

export type Site = Readonly<{
  title: string
  /** Origin of all links, without a path. */
  origin: string
  language: LanguageCode
}>

/**
 * Returns the games as a calendar (RFC 5545). The ids of events are stable, so a game with a new time moves in the calendars of
 * subscribers.
 */
export function writeGameCalendar(games: readonly ListedGame[], { title, origin, language }: Site): string {
  const calendar = ical({
    name: `${title}: ${serverTexts[language].feeds.games}`,
    method: ICalCalendarMethod.PUBLISH,
    prodId: { company: 'Capstan', product: 'Games' },
    ttl: 3_600,
  })
  const host = new URL(origin).hostname
  for (const { id, title: summary, summary: description, startsAt, endsAt } of games) {
    calendar.createEvent({
      id: `game-${id}@${host}`,
      // Use the start of the game as the stamp, so that an unchanged calendar has the same bytes.
      stamp: startsAt,
      start: startsAt,
      end: endsAt,
      summary,
      description,
      url: `${origin}/games/${id}`,
    })
  }
  return calendar.toString()
}
