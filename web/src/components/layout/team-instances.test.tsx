import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Route as Home } from '../../routes/home.tsx'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { GameLayout } from './game-layout.tsx'

const minute = 60_000
function from(ms: number) {
  return new Date(Date.now() + ms).toISOString()
}

const game = {
  ...{ id: 3, title: 'Harbour Trials', summary: '', content: '', hidden: false, organizations: [], poster: null, limit: 4 },
  ...{ teamCount: 7, organization: null, teamName: 'Night Watch', practiceMode: true, status: 'Accepted' },
  ...{ start: from(-60 * minute), end: from(60 * minute) },
}
const profile = { userId: '00000000-0000-4000-8000-000000000001', userName: 'mira', role: 'User' }
const instance = {
  ...{ challengeId: 8, title: 'Chandlery', category: 'Web', state: 'Running', startedBy: 'noor' },
  ...{ startedAt: from(-minute), expectStopAt: from(45 * minute + 500) },
}
const answers = {
  'GET /api/account/profile': { body: profile },
  'GET /api/game/all': { body: [game] },
  'GET /api/game/own': { body: [3] },
  'GET /api/game/3': { body: game },
  'GET /api/posts/latest': { body: [] },
}

it("the status strip shows a teammate's instance while the game loads", async () => {
  simulateServer({
    ...answers,
    'GET /api/game/3/instances': {
      body: [
        instance,
        { ...instance, challengeId: 9, title: 'Winch', state: 'Starting' },
        { ...instance, expectStopAt: from(-minute) },
      ],
    },
  })
  await renderInApp(<GameLayout />, { at: '/games/3', pattern: '/games/:id' })
  const strip = await screen.findByRole('region', { name: 'Game status' })
  const link = await within(strip).findByRole('link', { name: /Chandlery.*4[45]:\d\d/ })
  expect(link.getAttribute('href')).toBe('/games/3/challenges/8')
  expect(link.getAttribute('title')).toBe('Started by noor')
  expect(within(strip).getByRole('link', { name: /Winch.*starting/ })).toBeTruthy()
  expect(within(strip).getAllByRole('link')).toHaveLength(2)
})

it('the page requests no instances for a game in which the user has no team', async () => {
  const calls = simulateServer({ ...answers, 'GET /api/game/3': { body: { ...game, status: 'Pending' } } })
  await renderInApp(<GameLayout />, { at: '/games/3', pattern: '/games/:id' })
  await screen.findByRole('region', { name: 'Game status' })
  expect(calls.filter(({ address }) => address.endsWith('/instances'))).toEqual([])
})

it('the home page shows the instances of a team below the game', async () => {
  simulateServer({ ...answers, 'GET /api/game/3/instances': { body: [instance] } })
  await renderInApp(<Home />, { areas: ['home'] })
  const list = await screen.findByRole('list', { name: 'Running instances' })
  expect(within(list).getByRole('link', { name: /Chandlery.*Started by noor.*4[45]:\d\d/ })).toBeTruthy()
})
