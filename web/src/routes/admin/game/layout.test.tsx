import type { AdminGame } from '@capstan/contract/games'
import type { ChallengeReadiness } from '@capstan/contract/readiness'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it } from 'vitest'
import { useStartListPreference } from '../../../features/admin-game/start-list-preference.ts'
import { useNarrowWarning } from '../../../stores/narrow-warning.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './layout.tsx'

const user = userEvent.setup()
const dayMs = 86_400_000
function inDays(days: number) {
  return new Date(Date.now() + days * dayMs).toISOString()
}

const game = {
  ...{ id: 3, title: 'Regatta', hidden: true, summary: '', content: '', poster: null, inviteCode: null },
  ...{ acceptWithoutReview: false, writeupRequired: false },
  ...{ start: inDays(1), end: inDays(3), writeupDeadline: inDays(3) },
} as AdminGame
function aReady(id: number, title: string, changed: Partial<ChallengeReadiness> = {}): ChallengeReadiness {
  return {
    ...{ id, title, isEnabled: true, hasFlag: true, hasImage: null, hasRun: null },
    ...changed,
  }
}

beforeEach(() => useStartListPreference.setState({ isOpen: true }))

async function open(changed: Partial<AdminGame>, challenges: readonly ChallengeReadiness[], at = '/admin/games/3/notices') {
  const asked = simulateServer({
    'GET /api/account/profile': { body: { userId: 'a', userName: 'Admin', role: 'Admin' } },
    'GET /api/edit/games/3': { body: { ...game, ...changed } },
    'GET /api/edit/games/3/challenges/readiness': { body: challenges },
  })
  const shown = await renderInApp(<Route />, { at, pattern: '/admin/games/:id/*', areas: ['admin'] })
  await screen.findByRole('navigation', { name: 'Manage game' })
  return { ...shown, asked }
}

function list() {
  return screen.findByRole('region', { name: 'Before it starts' })
}
async function linkTo(name: string | RegExp) {
  const link = within(await list()).getByRole('link', { name })
  return link.getAttribute('href')
}

it('the game header lists the open steps of a new game with links, and does not mark them by color alone', async () => {
  await open({}, [])
  expect(within(await list()).getByText('3 things left to do')).toBeTruthy()
  expect(await linkTo(/^Add a description/)).toBe('/admin/games/3/info#summary')
  expect(await linkTo('Create or import the first challenge.')).toBe('/admin/games/3/challenges')
  expect(await linkTo(/^Publish:/)).toBe('/admin/games/3/info#hidden')
  expect(await linkTo('Any team can sign up; you approve each one.')).toBe('/admin/games/3/info#acceptWithoutReview')
  const marks = within(await list()).getAllByRole('listitem')
  expect(marks.map(({ textContent }) => /, ([a-z ]+)$/.exec(textContent ?? '')?.[1])).toEqual([
    ...['please check', 'to do', 'optional', 'done', 'to do', 'to do'],
  ])
})

it('the game header lists the missing parts of challenges, and links each part to its section', async () => {
  await open({ writeupRequired: true, inviteCode: 'sail' }, [
    aReady(7, 'Logbook'),
    ...['Buoy', 'Fog', 'Knots', 'Tide'].map((title, index) => aReady(10 + index, title, { isEnabled: false, hasFlag: false })),
    aReady(8, 'Seal', { hasImage: true, hasRun: false }),
  ])
  expect(await linkTo('Challenges enabled: 2 of 6. Not yet: Buoy, Fog, Knots +1.')).toBe('/admin/games/3/challenges')
  expect(await linkTo('Add a flag to Buoy, Fog, Knots +1.')).toBe('/admin/games/3/challenges/10?section=flags')
  expect(await linkTo('Start a test instance of Seal.')).toBe('/admin/games/3/challenges/8?section=container')
  expect(await linkTo(/^Set a deadline for writeups/)).toBe('/admin/games/3/info#writeupHours')
  expect(await linkTo('Teams need the invitation code and wait for your review.')).toBeTruthy()
})

it('the list of steps can be folded to one line, and the browser stores this choice', async () => {
  const first = await open({}, [])
  await user.click(within(await list()).getByRole('button', { name: /^Before it starts/ }))
  expect(within(await list()).queryByRole('list')).toBeNull()
  first.unmount()
  await open({}, [])
  expect(within(await list()).queryByRole('list')).toBeNull()
  expect(within(await list()).getByText('3 things left to do')).toBeTruthy()
})

it('the game header reports that a game is ready even if optional steps are left', async () => {
  const ready = { hidden: false, summary: 'A day on the water.', poster: '/assets/poster' }
  const first = await open(ready, [aReady(7, 'Logbook')])
  expect((await list()).textContent).toBe('Ready to start')
  first.unmount()
  await open(ready, [aReady(7, 'Logbook'), aReady(8, 'Seal', { isEnabled: false })])
  expect(within(await list()).getByText('Ready to start')).toBeTruthy()
  expect(await linkTo('Challenges enabled: 1 of 2. Not yet: Seal.')).toBe('/admin/games/3/challenges/8')
  expect(within(await list()).getAllByRole('listitem')).toHaveLength(1)
})

it.each([
  ['while the game is running', { start: inDays(-1) }, '/admin/games/3/notices'],
  ['beside a challenge, which has its own list', {}, '/admin/games/3/challenges/7'],
])('neither shows nor requests the open steps %s', async (_what, changed, at) => {
  const { asked } = await open(changed, [], at)
  expect(screen.queryByRole('region', { name: 'Before it starts' })).toBeNull()
  await waitFor(() => expect(asked.some(({ address }) => address === '/api/edit/games/3')).toBe(true))
  expect(asked.some(({ address }) => address.endsWith('/readiness'))).toBe(false)
})

it('only one section shows the warning for narrow screens', async () => {
  useNarrowWarning.setState({ isDismissed: false })
  const { innerWidth } = window
  window.innerWidth = 390
  const first = await open({}, [])
  expect(screen.getByText(/easier to use at desktop width/)).toBeTruthy()
  first.unmount()
  await open({}, [])
  expect(screen.queryByText(/easier to use at desktop width/)).toBeNull()
  window.innerWidth = innerWidth
})

it('the warning for narrow screens stays hidden after it is dismissed', async () => {
  useNarrowWarning.setState({ isDismissed: false })
  const first = await open({}, [])
  await user.click(screen.getByRole('button', { name: 'Continue anyway' }))
  first.unmount()
  await open({}, [])
  expect(screen.queryByText(/easier to use at desktop width/)).toBeNull()
})

function putting(stored: AdminGame, challenges: readonly ChallengeReadiness[]) {
  let current = stored
  return simulateServer({
    'GET /api/account/profile': { body: { userId: 'a', userName: 'Admin', role: 'Admin' } },
    'GET /api/edit/games/3': () => ({ body: current }),
    'PUT /api/edit/games/3': ({ body }) => {
      current = { ...current, hidden: (body as AdminGame).hidden }
      return { body: current }
    },
    'GET /api/edit/games/3/challenges/readiness': { body: challenges },
  })
}
function showTabs() {
  return renderInApp(<Route />, { at: '/admin/games/3/notices', pattern: '/admin/games/:id/*', areas: ['admin'] })
}

it('the game header lists open steps with links before publishing, and asks before unpublishing', async () => {
  const asked = putting({ ...game, summary: 'A day on the water.' }, [aReady(7, 'Logbook', { hasFlag: false, isEnabled: false })])
  await showTabs()
  expect(await screen.findByText('Draft')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Public page' }).getAttribute('href')).toBe('/games/3')
  await user.click(screen.getByRole('button', { name: 'Publish' }))
  const question = await screen.findByRole('alertdialog', { name: 'Publish “Regatta”?' })
  await within(question).findByRole('link', { name: 'Add a flag to Logbook.' })
  expect(within(question).queryByRole('link', { name: /^Publish/ })).toBeNull()
  expect(asked.some(({ method }) => method === 'PUT')).toBe(false)
  await user.click(within(question).getByRole('button', { name: 'Publish' }))
  expect(await screen.findByText('Published')).toBeTruthy()
  expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({ title: 'Regatta', hidden: false })
  await user.click(screen.getByRole('button', { name: 'Unpublish' }))
  const back = await screen.findByRole('alertdialog', { name: 'Unpublish “Regatta”?' })
  await user.click(within(back).getByRole('button', { name: 'Unpublish' }))
  expect(await screen.findByText('Draft')).toBeTruthy()
})

it.each([
  ['Starts', { start: inDays(1) }],
  ['Running, ends', { start: inDays(-1) }],
  ['Ended', { start: inDays(-3), end: inDays(-1) }],
])('shows in the header that a game is %s', async (state, changed) => {
  await open({ hidden: false, ...changed }, [])
  expect(screen.getByText(state)).toBeTruthy()
})
