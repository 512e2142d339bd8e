import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../testing/render.tsx'
import { simulateServer } from '../testing/server.ts'
import { Route } from './home.tsx'

function hour(from: number) {
  return new Date(Date.now() + from * 3_600_000).toISOString()
}
function summary(id: number, title: string) {
  return {
    id,
    title,
    summary: '',
    poster: null,
    limit: 0,
    start: hour(-1),
    end: hour(2),
  }
}
function game(id: number, title: string, status: string) {
  return {
    ...summary(id, title),
    status,
    teamName: 'Salty Dogs',
    practiceMode: false,
  }
}
function challenge(id: number, title: string, score: number, solved: number) {
  return {
    id,
    title,
    category: 'Web',
    score,
    solved,
    bloods: [],
    disableBloodBonus: false,
  }
}
const profile = { userId: '1', userName: 'mira', email: null, bio: null, avatar: null, role: 'User' }
const answers = {
  'GET /api/account/profile': { body: profile },
  'GET /api/game/all': { body: [summary(2, 'Open Seas'), summary(3, 'Harbour Trials')] },
  'GET /api/game/own': { body: [3] },
  'GET /api/game/3': { body: game(3, 'Harbour Trials', 'Accepted') },
  'GET /api/game/3/details': {
    body: {
      challenges: { Web: [challenge(7, 'Anchor', 500, 0), challenge(8, 'Chandlery', 300, 4), challenge(9, 'Muster', 100, 9)] },
      challengeCount: 3,
      rank: { id: 1, name: 'Salty Dogs', score: 1240, rank: 4, solvedChallenges: [{ id: 9 }], solvedCount: 1 },
    },
  },
  'GET /api/game/3/instances': {
    body: [
      { challengeId: 8, title: 'Chandlery', state: 'Running', startedBy: 'jonas', startedAt: hour(-1), expectStopAt: hour(1) },
    ],
  },
  'GET /api/posts/latest': { body: [] },
}
function open() {
  return renderInApp(<Route />, { areas: ['home'] })
}

it("the home page shows the player's running game first, with standing, instances, unsolved challenges and a link", async () => {
  simulateServer(answers)
  await open()
  const mine = within(await screen.findByRole('article', { name: 'Harbour Trials' }))
  expect((await mine.findByText('1,240')).previousSibling?.textContent).toBe('Points')
  expect(mine.getByText('Rank').nextSibling?.textContent).toBe('4')
  expect(mine.getByText('Solved').nextSibling?.textContent).toBe('1/3')
  const next = within(mine.getByRole('region', { name: 'Next unsolved Harbour Trials' }))
  expect(next.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['ChandleryWeb300 points', '/games/3/challenges/8'],
    ['AnchorWeb500 points', '/games/3/challenges/7'],
  ])
  expect((await mine.findByRole('list', { name: 'Running instances' })).textContent).toContain('jonas')
  expect(mine.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe('/games/3/challenges')
  await expect
    .poll(() => screen.getAllByRole('heading', { level: 3 }).map((heading) => heading.textContent))
    .toEqual(['Harbour Trials', 'Open Seas'])
})

it("the home page finds the player's game by one call even if there are many games, and shows it first", async () => {
  const others = Array.from({ length: 9 }, (_, index) => summary(10 + index, `Regatta ${index}`))
  const asked = simulateServer({ ...answers, 'GET /api/game/all': { body: [...others, summary(3, 'Harbour Trials')] } })
  await open()
  expect(await screen.findByRole('article', { name: 'Harbour Trials' })).toBeTruthy()
  const [first, ...rest] = screen.getAllByRole('heading', { level: 3 })
  expect([first?.textContent, rest.length]).toEqual(['Harbour Trials', 9])
  expect(asked.filter(({ address }) => /^\/api\/game\/1\d/.test(address))).toEqual([])
})

it.each([
  ['offers to join a game to a player who plays none', {}, ['/games/3']],
  ['does not offer to join while the request of the team is under review', { status: 'Pending' }, []],
  ['does not offer to join after the end of registration', { registrationCloses: Date.now() - 1000 }, []],
])('the home page %s', async (_, change, links) => {
  const asked = simulateServer({
    ...answers,
    'GET /api/game/all': { body: [summary(3, 'Harbour Trials')] },
    'GET /api/game/own': { body: [] },
    'GET /api/game/3': { body: { ...game(3, 'Harbour Trials', 'Unsubmitted'), ...change } },
  })
  await open()
  const card = within(await screen.findByRole('article', { name: 'Harbour Trials' }))
  await expect.poll(() => asked.some(({ address }) => address === '/api/game/3')).toBe(true)
  const found = () => card.queryAllByRole('link', { name: 'Join game' }).map((link) => link.getAttribute('href'))
  await expect.poll(found).toEqual(links)
})

it('the home page does not offer an admin to join a game', async () => {
  const asked = simulateServer({
    ...answers,
    'GET /api/account/profile': { body: { ...profile, role: 'Admin' } },
    'GET /api/game/own': { body: [] },
  })
  await open()
  await screen.findByRole('article', { name: 'Harbour Trials' })
  expect(asked.filter(({ address }) => address === '/api/game/3')).toEqual([])
})

it('the home page offers a visitor links to register and to log in', async () => {
  const asked = simulateServer({
    ...answers,
    'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401 } },
  })
  await open()
  expect((await screen.findByRole('link', { name: 'Create account' })).getAttribute('href')).toBe('/account/register')
  expect(screen.getByRole('link', { name: 'Log in' }).getAttribute('href')).toBe('/account/login')
  expect(await screen.findByRole('heading', { name: 'Harbour Trials' })).toBeTruthy()
  expect(asked.some(({ address }) => address.startsWith('/api/game/3'))).toBe(false)
})
