import { matchPath } from 'react-router'
import { expect, it } from 'vitest'
import { listStartPages, regexSourceOfRoute } from '../../../plugins/start-pages.ts'

const addresses = [
  ...['/', '/about', '/Games', '/games/', '/games/7', '/games/7/', '/games/7/challenges', '/games/7/Challenges/12'],
  ...['/games/7/scoreboard', '/games/7/SCOREBOARD/', '/games/7/notice', '/teams', '/teams/3', '/players/0e9d-11'],
  ...['/posts', '/posts/1a2b3c4d', '/account/login', '/account/profile', '/games/7/monitor', '/admin', '/elsewhere'],
]

it('the table and the router find the same page for each address', () => {
  for (const { pattern } of listStartPages())
    for (const address of addresses)
      expect([pattern, address, new RegExp(regexSourceOfRoute(pattern), 'i').test(address)]).toEqual([
        pattern,
        address,
        matchPath(pattern, address) !== null,
      ])
})

it('no page matches an address with an impossible game id', () => {
  expect(new RegExp(regexSourceOfRoute('/games/:id')).test('/games/seven')).toBe(false)
})

it('the table contains the address and texts of each page for visitors and players', () => {
  const pages = listStartPages()
  expect(pages.length).toBeGreaterThan(15)
  expect(pages.find(({ page }) => page === '/routes/game/scoreboard.tsx')).toEqual({
    page: '/routes/game/scoreboard.tsx',
    pattern: '/games/:id/Scoreboard',
    areas: ['scoreboard'],
  })
})
