import { expect, test } from 'vitest'
import type { ListedGame } from '../../games/editing/service.ts'
import { createGameCalendars, type Site, writeGameCalendar } from './calendar.ts'

const site: Site = { title: 'Capstan', origin: 'https://ctf.example.org', language: 'en-US' }

function someGames(count: number): ListedGame[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ id: index + 1, title: `Cup ${index + 1}`, summary: 'Line; one,\nand two', posterHash: null, teamMemberCountLimit: 0 },
    ...{ startsAt: new Date('2030-01-01T10:00:00Z'), endsAt: new Date('2030-01-02T10:00:00Z') },
  }))
}

test('a calendar with many games is written in steps, and other work runs between the steps', async () => {
  let turns = 0
  let isWriting = true
  const countTurns = () => {
    turns += 1
    if (isWriting) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const calendar = await writeGameCalendar(someGames(45), site)
  isWriting = false
  expect(turns).toBeGreaterThanOrEqual(3)
  const lines = calendar.split('\r\n')
  const ids = lines.filter((line) => line.startsWith('UID:'))
  expect(ids).toEqual(Array.from({ length: 45 }, (_, index) => `UID:game-${index + 1}@ctf.example.org`))
  for (const line of ['BEGIN:VCALENDAR', 'METHOD:PUBLISH', 'END:VCALENDAR'])
    expect(lines.filter((other) => other === line)).toHaveLength(1)
  for (const line of ['BEGIN:VEVENT', 'END:VEVENT']) expect(lines.filter((other) => other === line)).toHaveLength(45)
  expect([lines[0], lines.at(-1)]).toEqual(['BEGIN:VCALENDAR', 'END:VCALENDAR'])
})

test('a calendar without games has no event', async () => {
  const lines = (await writeGameCalendar([], site)).split('\r\n')
  expect(lines).not.toContain('BEGIN:VEVENT')
  expect([lines[0], lines.at(-1)]).toEqual(['BEGIN:VCALENDAR', 'END:VCALENDAR'])
})

test('a calendar is written once for each language and address, until a game changes', async () => {
  const read = createGameCalendars()
  const games = someGames(2)
  const first = read(games, site)
  expect(read(someGames(2), { ...site })).toBe(first)
  expect(read(games, { ...site, language: 'de-DE' })).not.toBe(first)
  expect(await read(games, { ...site, origin: 'https://other.example.org' })).toContain('@other.example.org')
  const moved = games.map((game) => ({ ...game, startsAt: new Date('2030-01-01T11:00:00Z') }))
  expect(await read(moved, site)).toContain('DTSTART:20300101T110000Z')
})
