import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LanguageCode } from '@capstan/contract/languages'
import { serverTexts } from '@capstan/contract/server-texts'
import ical, { ICalCalendarMethod } from 'ical-generator'
import { LRUCache } from 'lru-cache'
import type { ListedGame } from '../../games/editing/service.ts'

export type Site = Readonly<{
  title: string
  /** Origin of all links, without a path. */
  origin: string
  language: LanguageCode
}>

/** Number of games that are written in one step. Other requests are processed between the steps. */
const gamesPerTurn = 20
/** Maximum number of calendars in the cache. There is one calendar for each language and each address of the platform. */
const maxCalendars = 32

function writeCalendar(games: readonly ListedGame[], { title, origin, language }: Site): string {
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

/**
 * Returns the games as a calendar (RFC 5545). The ids of events are stable, so a game with a new time moves in the calendars of
 * subscribers.
 */
export async function writeGameCalendar(games: readonly ListedGame[], site: Site): Promise<string> {
  const end = 'END:VCALENDAR'
  const start = writeCalendar([], site).slice(0, -end.length)
  let events = ''
  for (let skip = 0; skip < games.length; skip += gamesPerTurn) {
    events += writeCalendar(games.slice(skip, skip + gamesPerTurn), site).slice(start.length, -end.length)
    await nextTurn()
  }
  return start + events + end
}

/** Returns a function like `writeGameCalendar` that caches each calendar until one of the games in the calendar changes. */
export function createGameCalendars(): typeof writeGameCalendar {
  const calendars = new LRUCache<string, Promise<string>>({ max: maxCalendars })
  return (games, site) => {
    const shown = games.map(({ id, title, summary, startsAt, endsAt }) => [id, title, summary, startsAt, endsAt])
    const key = createHash('sha256')
      .update(JSON.stringify([site, shown]))
      .digest('base64')
    const known = calendars.get(key)
    if (known) return known
    const calendar = writeGameCalendar(games, site)
    calendars.set(key, calendar)
    calendar.catch(() => calendars.delete(key))
    return calendar
  }
}
