import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { useCommandStore } from '../../stores/commands.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { GlobalCommandPalette } from './global-palette.tsx'

function from(hours: number) {
  return new Date(Date.now() + hours * 3_600_000).toISOString()
}
const userId = '00000000-0000-4000-8000-000000000001'
function summary(id: number, title: string, start: number, end: number) {
  return {
    ...{ id, title, summary: '', poster: null, limit: 0 },
    ...{ start: from(start), end: from(end) },
  }
}
function detailOf(id: number, title: string, status = 'Accepted') {
  return {
    body: { ...summary(id, title, -1, 1), content: '', hidden: false, practiceMode: false, status, teamName: 'Gulls' },
  }
}
function boardOf(...challenges: readonly (readonly [id: number, title: string])[]) {
  return {
    body: { challenges: { Web: challenges.map(([id, title]) => ({ id, title, category: 'Web', score: 1 })) }, rank: null },
  }
}

beforeEach(() => {
  useCommandStore.setState({ sources: {}, typedAhead: '' })
  simulateServer({
    'GET /api/account/profile': { body: { userId, userName: 'mira', role: 'User' } },
    'GET /api/game/all': {
      body: [summary(3, 'Harbour Trials', -1, 1), summary(4, 'Night Watch', -1, 1), summary(5, 'Old', -9, -8)],
    },
    'GET /api/game/own': { body: [4, 5] },
    'GET /api/game/3': detailOf(3, 'Harbour Trials'),
    'GET /api/game/4': detailOf(4, 'Night Watch'),
    'GET /api/game/3/details': boardOf([31, 'Seal']),
    'GET /api/game/4/details': boardOf([41, 'Winch']),
  })
})

it.each([
  ['/games/3/scoreboard', 'the game that is open', /^Seal/, 'Winch'],
  ['/posts', 'the running game that the user plays', /^Winch/, 'Seal'],
])('the palette at the address %s offers challenges of %s', async (at, _, offered, other) => {
  await renderInApp(<GlobalCommandPalette />, { at, pattern: at })
  expect((await screen.findByRole('option', { name: offered })).textContent).toContain('Web')
  expect(screen.queryByRole('option', { name: new RegExp(other) })).toBeNull()
})

it.each([
  ['/games/6/scoreboard', /^Fog/],
  ['/admin/games/6/info', /^Fog/],
])(
  'the palette at the address %s offers an organizer the challenges of a game that the organizer does not play',
  async (at, name) => {
    simulateServer({
      'GET /api/account/profile': { body: { userId, userName: 'mira', role: 'Admin' } },
      'GET /api/game/all': { body: [summary(6, 'Cup', -1, 1)] },
      'GET /api/game/own': { body: [] },
      'GET /api/game/6': detailOf(6, 'Cup', 'Unsubmitted'),
      'GET /api/game/6/monitor/challenges': { body: [{ id: 61, title: 'Fog', category: 'Web' }] },
    })
    await renderInApp(<GlobalCommandPalette />, { at, pattern: at })
    expect((await screen.findByRole('option', { name })).textContent).toContain('Cup')
  },
)

it('the palette opens the chosen challenge', async () => {
  await renderInApp(<GlobalCommandPalette />, { at: '/posts', pattern: '/posts' })
  await userEvent.click(await screen.findByRole('option', { name: /^Winch/ }))
  expect(await screen.findByText('at another page')).toBeTruthy()
})

it('the palette lists a challenge only once if the board offers a command for the same challenge', async () => {
  const run = () => undefined
  useCommandStore.getState().offer('challenges', [{ id: 'challenge-31', group: 'Challenges', label: 'Seal', run }])
  await renderInApp(<GlobalCommandPalette />, { at: '/games/3/challenges', pattern: '/games/3/challenges' })
  await screen.findByRole('option', { name: /^Night Watch/ })
  expect(screen.getAllByRole('option', { name: /^Seal/ })).toHaveLength(1)
})
