import { ownOperations } from '@capstan/contract/operations'
import type { ProfileGame, TeamProfile, UserProfilePage } from '@capstan/contract/profiles'
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { refreshCall } from '../lib/server-state.ts'
import { renderInApp } from '../testing/render.tsx'
import { simulateServer } from '../testing/server.ts'
import { Route as PlayerRoute } from './player.tsx'
import { Route as TeamRoute } from './team.tsx'

const user = userEvent.setup()
const mira = '00000000-0000-4000-8000-000000000001'
const jonas = '00000000-0000-4000-8000-000000000002'
const asVisitor = { 'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401 } } }
function as(userId: string, role = 'User') {
  return { 'GET /api/account/profile': { body: { userId, userName: 'me', role } } }
}
function hours(count: number) {
  return new Date(Date.now() + count * 3_600_000).toISOString()
}

function aGame(values: Partial<ProfileGame> = {}): ProfileGame {
  return {
    id: 7,
    title: 'Winter Regatta',
    start: hours(-50),
    end: hours(-40),
    division: null,
    team: { id: 12, name: 'Night Watch', avatar: null },
    standing: {
      rank: 3,
      teams: 120,
      divisionRank: null,
      divisionTeams: null,
      score: 4_310,
      solved: 9,
      lastSolveTime: hours(-41),
    },
    ...values,
  }
}

function aTeam(values: Partial<TeamProfile> = {}): TeamProfile {
  return {
    id: 12,
    name: 'Night Watch',
    bio: 'No sleep',
    avatar: null,
    hasPublicPage: true,
    members: [
      { id: mira, userName: 'mira', avatar: null, captain: true, hasPublicPage: true },
      { id: jonas, userName: 'jonas', avatar: null, captain: false, hasPublicPage: false },
    ],
    games: [aGame()],
    gameCount: 1,
    bestRank: 3,
    categories: [
      { category: 'Crypto', solves: 2, firstBloods: 0 },
      { category: 'Web', solves: 7, firstBloods: 2 },
    ],
    ...values,
  }
}

function aPlayer(values: Partial<UserProfilePage> = {}): UserProfilePage {
  const { id: _id, name: _name, members: _members, ...record } = aTeam()
  return { id: mira, userName: 'mira', teams: [{ id: 12, name: 'Night Watch', avatar: null }], ...record, ...values }
}

function openTeam(at = '/teams/12') {
  return renderInApp(<TeamRoute />, { at, pattern: '/teams/:id', areas: ['profiles'] })
}
function openPlayer() {
  return renderInApp(<PlayerRoute />, { at: `/players/${mira}`, pattern: '/players/:userId', areas: ['profiles'] })
}

describe('the profile page of a team', () => {
  it('the team profile shows identity and results, and links members with visible pages', async () => {
    simulateServer({ ...asVisitor, 'GET /api/profiles/teams/12': { body: aTeam() } })
    await openTeam()
    expect(await screen.findByRole('heading', { level: 1, name: 'Night Watch' })).toBeTruthy()
    expect(screen.getByText('No sleep')).toBeTruthy()
    const figures = [...document.querySelectorAll('dl > div')].map((each) => each.textContent)
    expect(figures).toEqual(['Games1', 'Best final rank3', 'Solves9', 'First bloods2'])
    const row = within(screen.getByRole('table')).getAllByRole('row')[1]!
    expect(within(row).getByRole('link', { name: 'Winter Regatta' }).getAttribute('href')).toBe('/games/7')
    expect(row.textContent).toMatch(/3 of 120.*4,310.*9/)
    const bars = within(screen.getByRole('region', { name: 'Solves by category' })).getAllByRole('listitem')
    expect(bars.map(({ textContent }) => textContent)).toEqual(['Web77 solves22 first bloods', 'Crypto22 solves'])
    const members = within(screen.getByRole('region', { name: 'Members' }))
    expect(members.getByRole('link', { name: 'mira' }).getAttribute('href')).toBe(`/players/${mira}`)
    expect(members.getByText('jonas').closest('a')).toBeNull()
    expect(screen.queryByText('This page is private')).toBeNull()
    expect(screen.queryByRole('link', { name: 'Your teams' })).toBeNull()
  })

  it('the team profile separates running and past games, and shows ranks in divisions', async () => {
    const standing = { ...aGame().standing!, divisionRank: 2, divisionTeams: 30 }
    simulateServer({
      ...asVisitor,
      'GET /api/profiles/teams/12': {
        body: aTeam({
          gameCount: 2,
          games: [
            aGame({ id: 8, title: 'Now', start: hours(-1), end: hours(1), division: 'Students', standing }),
            aGame({ id: 9, title: 'Just over', standing: null }),
          ],
        }),
      },
    })
    await openTeam()
    const [, running, uncounted] = within(await screen.findByRole('table')).getAllByRole('row')
    expect(running!.textContent).toMatch(/Now.*Running.*Students: 2 of 30/)
    expect(uncounted!.textContent).toMatch(/Just over.*Not counted yet/)
  })

  it('the team profile explains that there are no games yet', async () => {
    simulateServer({
      ...asVisitor,
      'GET /api/profiles/teams/12': { body: aTeam({ games: [], gameCount: 0, bestRank: null, categories: [] }) },
    })
    await openTeam()
    expect(await screen.findByRole('heading', { name: 'No games yet' })).toBeTruthy()
    expect(screen.getByText('No solves yet')).toBeTruthy()
    expect(screen.queryByRole('table')).toBeNull()
  })

  it('the team profile tells members that the page is private, and links to the setting', async () => {
    simulateServer({ ...as(jonas), 'GET /api/profiles/teams/12': { body: aTeam({ hasPublicPage: false }) } })
    await openTeam()
    expect(await screen.findByText('This page is private')).toBeTruthy()
    expect((await screen.findByRole('link', { name: 'Change the visibility' })).getAttribute('href')).toBe('/teams')
    // Players may always open their own page, even if it is hidden.
    expect(screen.getByRole('link', { name: 'jonas' }).getAttribute('href')).toBe(`/players/${jonas}`)
  })

  it('the team profile tells an admin that the page is private, and shows no setting', async () => {
    simulateServer({
      ...as('00000000-0000-4000-8000-000000000009', 'Admin'),
      'GET /api/profiles/teams/12': { body: aTeam({ hasPublicPage: false }) },
    })
    await openTeam()
    expect(await screen.findByText('This page is private')).toBeTruthy()
    expect(await screen.findByRole('link', { name: 'jonas' })).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'Change the visibility' })).toBeNull()
  })

  it.each([
    ['a team that is unknown or private', '/teams/12'],
    ['an invalid number', '/teams/crew'],
  ])('the team profile reports that %s has no page, and links to other pages', async (_what, at) => {
    simulateServer({
      ...asVisitor,
      'GET /api/profiles/teams/12': { status: 404, body: { title: 'Team not found', status: 404, code: 'team.unknown' } },
    })
    await openTeam(at)
    expect(await screen.findByRole('heading', { level: 1, name: 'Team not found' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'See the games' }).getAttribute('href')).toBe('/games')
  })

  it('the page of a team disappears if the team hides it while a visitor views it', async () => {
    let isHidden = false
    simulateServer({
      ...asVisitor,
      'GET /api/profiles/teams/12': () =>
        isHidden ? { status: 404, body: { title: 'Team not found', status: 404, code: 'team.unknown' } } : { body: aTeam() },
    })
    await openTeam()
    await screen.findByRole('heading', { level: 1, name: 'Night Watch' })
    isHidden = true
    await act(() =>
      refreshCall(ownOperations.getTeamProfile, { params: { id: 12 }, query: { count: 20, skip: 0 } }).catch(() => undefined),
    )
    expect(await screen.findByRole('heading', { level: 1, name: 'Team not found' })).toBeTruthy()
    expect(screen.queryByText('mira')).toBeNull()
  })

  it('the team profile offers a retry after an error', async () => {
    let isDown = true
    simulateServer({
      ...asVisitor,
      'GET /api/profiles/teams/12': () =>
        isDown ? { status: 500, body: { title: 'Internal error', status: 500, code: 'server.error' } } : { body: aTeam() },
    })
    await openTeam()
    const retry = await screen.findByRole('button', { name: 'Try again' })
    isDown = false
    await user.click(retry)
    expect(await screen.findByRole('heading', { level: 1, name: 'Night Watch' })).toBeTruthy()
  })

  it('the team profile shows twenty games at a time, and the address stores the page number', async () => {
    const asked = simulateServer({
      ...asVisitor,
      'GET /api/profiles/teams/12': ({ address }) => ({
        body: aTeam({
          gameCount: 30,
          games: /skip=20/.test(address)
            ? [aGame({ id: 1, title: 'The first of all' })]
            : Array.from({ length: 20 }, (_, index) => aGame({ id: 100 - index, title: `Game ${index}` })),
        }),
      }),
    })
    const { address } = await openTeam()
    await user.click(await screen.findByRole('button', { name: 'Next page' }))
    expect(await screen.findByRole('link', { name: 'The first of all' })).toBeTruthy()
    expect(address()).toBe('/teams/12?page=2')
    expect(asked.map((call) => call.address)).toContain('/api/profiles/teams/12?count=20&skip=20')
  })
})

describe('the profile page of a player', () => {
  it('the player profile shows the team in each game, and links the teams', async () => {
    simulateServer({ ...asVisitor, [`GET /api/profiles/users/${mira}`]: { body: aPlayer() } })
    await openPlayer()
    expect(await screen.findByRole('heading', { level: 1, name: 'mira' })).toBeTruthy()
    expect(within(screen.getByRole('table')).getAllByRole('row')[1]!.textContent).toContain('Night Watch')
    const teams = within(screen.getByRole('region', { name: 'Teams' }))
    expect(teams.getByRole('link', { name: 'Night Watch' }).getAttribute('href')).toBe('/teams/12')
  })

  it('a private player page tells its owner that the page is private, and links to the setting', async () => {
    simulateServer({ ...as(mira), [`GET /api/profiles/users/${mira}`]: { body: aPlayer({ hasPublicPage: false, teams: [] }) } })
    await openPlayer()
    expect(await screen.findByText(/Only you and admins can see it/)).toBeTruthy()
    expect((await screen.findByRole('link', { name: 'Change the visibility' })).getAttribute('href')).toBe('/account/profile')
    expect(screen.getByText('No public teams')).toBeTruthy()
  })

  it('other visitors cannot find the private page of a player', async () => {
    simulateServer({
      ...asVisitor,
      [`GET /api/profiles/users/${mira}`]: { status: 404, body: { title: 'User not found', status: 404, code: 'user.unknown' } },
    })
    await openPlayer()
    expect(await screen.findByRole('heading', { level: 1, name: 'Player not found' })).toBeTruthy()
  })
})
