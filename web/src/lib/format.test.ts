import { expect, it } from 'vitest'
import { formatDayRange, formatExactDuration } from './format.ts'

it.each([
  ['2026-11-21T09:00', '2026-11-21T21:00', 'Nov 21, 2026'],
  ['2026-11-21T09:00', '2026-11-23T21:00', 'Nov 21 – 23, 2026'],
  ['2026-12-31T20:00', '2027-01-01T04:00', 'Dec 31, 2026 – Jan 1, 2027'],
])('the days from %s to %s are formatted without repeating common parts', (from, until, text) => {
  // Intl inserts thin spaces around the dash, so normalize all spaces.
  expect(formatDayRange(Date.parse(from), Date.parse(until)).replaceAll(/\s/g, ' ')).toBe(text)
})

it.each([
  [0, '0 sec'],
  [2_400, '2 sec'],
  [60_000, '1 min'],
  [185_000, '3 min 5 sec'],
  [3_599_999, '59 min 59 sec'],
  [7_200_000, '2 hours'],
])('%d ms are %s as an exact duration', (ms, text) => {
  expect(formatExactDuration(ms)).toBe(text)
})
