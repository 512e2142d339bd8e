import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { TeamProviderLink } from './team-provider.tsx'

const team = { id: 4, name: 'Reds', bio: null, avatar: null, locked: false, members: [] }
const link = { providerId: 'p1', name: 'Campus', key: '1770' }
const address = '/api/admin/teams/4/provider'
const claims = { userName: '', realName: '', stdNumber: '', adminClaim: '', adminValue: '', team: 'team', division: '' }
const campus = { id: 'p1', kind: 'OpenId', name: 'Campus', claims }
const signIn = { body: { origin: null, passwords: true, secondFactor: 'Optional', providers: [campus] } }

function showPage() {
  return renderInApp(<TeamProviderLink team={team} />, { at: '/admin/teams', pattern: '/admin/teams', areas: ['admin-teams'] })
}

it('the section for the provider links the team to a team of an identity provider, and shows the link', async () => {
  const received = simulateServer({
    'GET /api/admin/signin': signIn,
    [`GET ${address}`]: { body: { link: null } },
    [`PUT ${address}`]: { body: { link } },
  })
  const user = userEvent.setup()
  await showPage()
  await user.click(await screen.findByRole('button', { name: 'Link team' }))
  expect(await screen.findByText('Enter an ID or a name')).toBeTruthy()
  await user.type(screen.getByRole('textbox', { name: 'Team at the provider' }), ' 1770 ')
  await user.click(screen.getByRole('button', { name: 'Link team' }))
  expect(await screen.findByText(/Users of the team 1770 at Campus join/)).toBeTruthy()
  expect(received.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([{ providerId: 'p1', key: '1770' }])
})

it('the section for the provider shows the error of the server at the field for the key', async () => {
  simulateServer({
    'GET /api/admin/signin': signIn,
    [`GET ${address}`]: { body: { link: null } },
    [`PUT ${address}`]: { status: 400, body: { title: 'Taken', status: 400, code: 'sign-in.team-taken', detail: '/key' } },
  })
  const user = userEvent.setup()
  await showPage()
  const key = await screen.findByRole('textbox', { name: 'Team at the provider' })
  await user.type(key, '1770{Enter}')
  await waitFor(() => expect(key.getAttribute('aria-invalid')).toBe('true'))
})

it('the section for the provider unlinks the team only after confirmation', async () => {
  simulateServer({
    'GET /api/admin/signin': signIn,
    [`GET ${address}`]: { body: { link } },
    [`DELETE ${address}`]: { body: { link: null } },
  })
  const user = userEvent.setup()
  await showPage()
  await user.click(await screen.findByRole('button', { name: 'Unlink' }))
  const question = await screen.findByRole('alertdialog')
  await user.click(within(question).getByRole('button', { name: 'Unlink' }))
  expect(await screen.findByRole('button', { name: 'Link team' })).toBeTruthy()
})

it('the section is absent if no provider sends team names', async () => {
  const received = simulateServer({
    'GET /api/admin/signin': { body: { ...signIn.body, providers: [{ ...campus, claims: { ...claims, team: '' } }] } },
    [`GET ${address}`]: { body: { link: null } },
  })
  await showPage()
  await waitFor(() => expect(screen.queryByText('Identity provider')).toBeNull())
  expect(received.length).toBeGreaterThan(0)
})

it('the section for the identity provider has a button to try again if the call fails', async () => {
  let answers = 0
  simulateServer({
    'GET /api/admin/signin': signIn,
    [`GET ${address}`]: () => (answers++ === 0 ? { status: 403, body: { title: 'Refused', status: 403 } } : { body: { link } }),
  })
  const user = userEvent.setup()
  await showPage()
  await user.click(await screen.findByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(/Users of the team 1770/)).toBeTruthy()
})
