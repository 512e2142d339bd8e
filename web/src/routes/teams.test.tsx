import { operations } from '@capstan/contract/operations'
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { useToasts } from '../components/ui/toast.ts'
import { refreshCall } from '../lib/server-state.ts'
import { renderInApp } from '../testing/render.tsx'
import { simulateServer } from '../testing/server.ts'
import { Route } from './teams.tsx'

const user = userEvent.setup()
const token = '0123456789abcdef0123456789abcdef'
const mira = '00000000-0000-4000-8000-000000000001'
const jonas = '00000000-0000-4000-8000-000000000002'

function profile(userId: string) {
  return {
    body: {
      userId,
      userName: 'mira',
      email: 'mira@example.org',
      bio: null,
      phone: null,
      realName: null,
      stdNumber: null,
      avatar: null,
      role: 'User',
    },
  }
}

const crew = {
  id: 12,
  name: 'Night Watch',
  bio: 'No sleep',
  avatar: null,
  locked: false,
  members: [
    { id: jonas, userName: 'jonas', bio: null, avatar: null, captain: false },
    { id: mira, userName: 'mira', bio: null, avatar: null, captain: true },
  ],
}

const asCaptain = {
  'GET /api/account/profile': profile(mira),
  'GET /api/team': { body: [crew] },
  'GET /api/team/12/invite': { body: `Night Watch:12:${token}` },
}
const refusal = {
  status: 400,
  body: { title: 'The team is locked while it takes part in a game', status: 400, code: 'team.locked' },
}

function open(at = '/teams') {
  return renderInApp(<Route />, { at, pattern: '/teams', areas: ['teams'] })
}

describe('the teams page', () => {
  it('the teams page asks a visitor to log in first', async () => {
    simulateServer({ 'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401 } } })
    await open('/teams#join=x')
    const link = await screen.findByRole('link', { name: 'Log in' })
    expect(link.getAttribute('href')).toBe('/account/login?from=%2Fteams%23join%3Dx')
    expect(screen.getByRole('heading', { name: 'Games are played in teams' })).toBeTruthy()
  })

  it('if a visitor has an invitation, the teams page shows the name of the inviting team', async () => {
    simulateServer({ 'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401 } } })
    await open(`/teams#join=Night+Watch:12:${token}`)
    expect(await screen.findByRole('heading', { name: 'Join Night Watch' })).toBeTruthy()
  })

  it('a new player can create a first team', async () => {
    const asked = simulateServer({
      'GET /api/account/profile': profile(mira),
      'GET /api/team': { body: [] },
      'POST /api/team': { body: crew },
    })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Create a team' }))
    const dialog = await screen.findByRole('dialog', { name: 'Create a team' })
    await user.click(within(dialog).getByRole('button', { name: 'Create team' }))
    expect((await within(dialog).findByRole('alert')).textContent).toBe("Content can't be empty")
    await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), ' Night Watch ')
    await user.click(within(dialog).getByRole('button', { name: 'Create team' }))
    await expect.poll(() => asked.find((call) => call.method === 'POST')?.body).toEqual({ name: 'Night Watch', bio: '' })
  })

  it.each([
    ['the game they came from', '/teams?game=7', 'Continue to Winter Regatta', '/games/7'],
    ['the running game', '/teams', 'Continue to Harbour Trials', '/games/3'],
  ])('the teams page links to %s after a new player creates a team', async (_what, at, label, href) => {
    const hour = (from: number) => new Date(Date.now() + from * 3_600_000).toISOString()
    const teams: (typeof crew)[] = []
    simulateServer({
      'GET /api/account/profile': profile(mira),
      'GET /api/team': () => ({ body: teams }),
      'POST /api/team': () => {
        teams.push(crew)
        return { body: crew }
      },
      'GET /api/game/all': {
        body: [
          { id: 5, title: 'Autumn Cup', start: hour(-9), end: hour(-8) },
          { id: 7, title: 'Winter Regatta', start: hour(8), end: hour(9) },
          { id: 3, title: 'Harbour Trials', start: hour(-1), end: hour(1) },
        ],
      },
      'GET /api/game/7': { body: { id: 7, title: 'Winter Regatta', start: hour(8), end: hour(9) } },
    })
    await open(at)
    await user.click(await screen.findByRole('button', { name: 'Create a team' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Create a team' }))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'Night Watch{Enter}')
    expect((await screen.findByRole('link', { name: label })).getAttribute('href')).toBe(href)
  })

  it('the teams page does not let a captain create a second team, and explains why', async () => {
    simulateServer(asCaptain)
    await open()
    expect(await screen.findByText(/Each player may create only one team/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Create a team' })).toBeNull()
  })

  it('the captain sees that an identity provider decides who joins, instead of an invitation code', async () => {
    const asked = simulateServer({ ...asCaptain, 'GET /api/team': { body: [{ ...crew, ofProvider: true }] } })
    await open()
    expect(await screen.findByText(/An identity provider decides who joins this team/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Copy code' })).toBeNull()
    expect(asked.some(({ address }) => address.endsWith('/invite'))).toBe(false)
  })

  it('a captain can hide the public page, and the page links members who have a page', async () => {
    const pages = { hasPublicPage: true, teams: [{ id: 12, hasPublicPage: true, members: [mira] }] }
    const asked = simulateServer({
      ...asCaptain,
      'GET /api/profiles/own': { body: pages },
      'PUT /api/profiles/teams/12': { body: undefined },
    })
    await open()
    const control = await screen.findByRole<HTMLInputElement>('switch', { name: 'Show the team’s public page' })
    expect(screen.getByRole('link', { name: 'mira' }).getAttribute('href')).toBe(`/players/${mira}`)
    expect(screen.queryByRole('link', { name: 'jonas' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Public page' }).getAttribute('href')).toBe('/teams/12')
    await user.click(control)
    await expect.poll(() => control.checked).toBe(false)
    expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({ hasPublicPage: false })
  })

  it('only the captain sees the switch for the public page', async () => {
    simulateServer({
      ...asCaptain,
      'GET /api/account/profile': profile(jonas),
      'GET /api/profiles/own': {
        body: { hasPublicPage: true, teams: [{ id: 12, hasPublicPage: true, members: [mira, jonas] }] },
      },
    })
    await open()
    expect(await screen.findByRole('link', { name: 'jonas' })).toBeTruthy()
    expect(screen.queryByRole('switch')).toBeNull()
  })

  it('the teams page shows the members with their roles, captain first', async () => {
    simulateServer(asCaptain)
    await open()
    const card = await screen.findByRole('region', { name: 'Night Watch' })
    const [first, second] = within(card).getAllByRole('listitem')
    expect(first?.textContent).toMatch(/mira.*Captain/)
    expect(second?.textContent).toMatch(/jonas$/)
  })

  it('a member can leave the team, and sees no actions of a captain', async () => {
    simulateServer({ ...asCaptain, 'GET /api/account/profile': profile(jonas) })
    await open()
    expect(await screen.findByRole('button', { name: 'Leave team' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Edit' })).toBeNull()
    expect(screen.queryByText(/Anyone with this code/)).toBeNull()
  })

  it('the teams page notifies a member that the team was deleted', async () => {
    let teams = [crew, { ...crew, id: 13, name: 'Day Watch' }]
    simulateServer({ ...asCaptain, 'GET /api/account/profile': profile(jonas), 'GET /api/team': () => ({ body: teams }) })
    useToasts.setState({ toasts: [] })
    await open()
    await screen.findByRole('heading', { name: 'Day Watch' })
    teams = [crew]
    await act(() => refreshCall(operations.listOwnTeams))
    expect(screen.queryByRole('heading', { name: 'Day Watch' })).toBeNull()
    expect(useToasts.getState().toasts.map(({ title }) => title)).toEqual(['You are no longer on Day Watch'])
  })

  it('the form reports that nothing has changed if the captain saves the stored values again', async () => {
    simulateServer(asCaptain)
    await open()
    await user.click(await screen.findByRole('button', { name: 'Edit' }))
    await user.click(await screen.findByRole('button', { name: 'Save changes' }))
    expect((await screen.findByRole('alert')).textContent).toBe('There seems to be no change')
  })

  it('the teams page renews the invitation code only after confirmation', async () => {
    const fresh = `Night Watch:12:${'f'.repeat(32)}`
    simulateServer({ ...asCaptain, 'PUT /api/team/12/invite': { body: fresh } })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Renew' }))
    await user.click(await screen.findByRole('button', { name: 'Renew code' }))
    const code = (_: string, element: Element | null) => element?.tagName === 'CODE' && element.textContent === fresh
    expect(await screen.findByText(code)).toBeTruthy()
  })

  it('a captain can transfer the role to another member', async () => {
    const asked = simulateServer({ ...asCaptain, 'PUT /api/team/12/transfer': { body: crew } })
    await open()
    await user.click(await screen.findByRole('button', { name: 'More actions for jonas' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Make captain' }))
    await user.click(await screen.findByRole('button', { name: 'Hand over the team' }))
    await expect.poll(() => asked.find((call) => call.method === 'PUT')?.body).toEqual({ newCaptainId: jonas })
  })

  it('the teams page explains that the members of a locked team cannot change', async () => {
    simulateServer({
      ...asCaptain,
      'GET /api/team': { body: [{ ...crew, locked: true }] },
      [`POST /api/team/12/kick/${jonas}`]: refusal,
    })
    await open()
    expect(await screen.findByText(/Until its game ends, nobody can leave or be removed/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'More actions for jonas' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Remove from team' }))
    await user.click(await screen.findByRole('button', { name: 'Remove jonas' }))
    expect((await screen.findByRole('alert')).textContent).toBe(refusal.body.title)
  })

  it('the teams page disbands a team only after its name is typed', async () => {
    let teams = [crew]
    simulateServer({
      ...asCaptain,
      'GET /api/team': () => ({ body: teams }),
      'DELETE /api/team/12': () => {
        teams = []
        return {}
      },
    })
    useToasts.setState({ toasts: [] })
    await open()
    await user.click(await screen.findByRole('button', { name: 'More actions for Night Watch' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Disband team' }))
    const confirm = await screen.findByRole<HTMLButtonElement>('button', { name: 'Disband team' })
    expect(confirm.disabled).toBe(true)
    await user.type(screen.getByRole('textbox'), 'Night Watch')
    await user.click(confirm)
    await screen.findByRole('heading', { name: 'You are not on a team yet' })
    await expect.poll(() => useToasts.getState().toasts.map(({ title }) => title)).toEqual(['Night Watch is disbanded'])
  })
})

describe('joining a team', () => {
  const newcomer = { 'GET /api/account/profile': profile(mira), 'GET /api/team': { body: [] } }

  it.each([
    ['', 'Invitation code cannot be empty'],
    ['Night Watch', 'Incorrect team invitation code'],
  ])('the dialog refuses the code "%s" with the text "%s", and sends no request', async (code, text) => {
    const asked = simulateServer(newcomer)
    await open()
    await user.click(await screen.findByRole('button', { name: 'Join with a code' }))
    if (code) await user.type(await screen.findByRole('textbox'), code)
    await user.click(await screen.findByRole('button', { name: 'Join team' }))
    expect((await screen.findByRole('alert')).textContent).toBe(text)
    expect(asked.some((call) => call.method === 'POST')).toBe(false)
  })

  it('the dialog contains the code of an opened link, and shows the team', async () => {
    const code = `Night Watch:12:${token}`
    const asked = simulateServer({ ...newcomer, 'GET /api/team/12': { body: crew }, 'POST /api/team/accept': {} })
    await open(`/teams#${new URLSearchParams({ join: code })}`)
    expect(await screen.findByText(/2 members/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Join Night Watch' }))
    await expect.poll(() => asked.find((call) => call.method === 'POST')?.body).toBe(code)
  })
})
