import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { TeamMembers } from './team-members.tsx'

function member(id: string, userName: string, captain = false) {
  return { id, userName, captain, bio: '', avatar: null }
}
const ada = member('a', 'ada', true)
const bob = member('b', 'bob')
const cyd = member('c', 'cyd')
function teamOf(...members: (typeof ada)[]) {
  return { id: 4, name: 'Reds', bio: null, avatar: null, locked: false, members }
}

function Page() {
  const [team, setTeam] = useState(teamOf(ada, bob))
  return <TeamMembers team={team} onChange={(next) => setTeam(next as typeof team)} />
}

function showPage() {
  return renderInApp(<Page />, { at: '/admin/teams', pattern: '/admin/teams', areas: ['admin-teams'] })
}
function names() {
  return screen.getAllByRole('listitem').map((item) => item.querySelector('bdi')?.textContent)
}

it('the admin adds a user from the search results', async () => {
  const received = simulateServer({
    'POST /api/admin/users/search': { body: { data: [bob, cyd].map((user) => ({ ...user, email: `${user.userName}@b` })) } },
    'PUT /api/admin/teams/4/members/c': { body: teamOf(ada, bob, cyd) },
  })
  const user = userEvent.setup()
  await showPage()
  await user.type(screen.getByRole('searchbox', { name: 'Add a member' }), 'cy')
  // The search omits users who are members already.
  await user.click(await screen.findByRole('button', { name: 'cyd cyd@b' }))
  await waitFor(() => expect(names()).toEqual(['ada', 'bob', 'cyd']))
  expect(received.filter(({ method }) => method === 'PUT')).toHaveLength(1)
})

it('the admin removes a member only after confirmation', async () => {
  simulateServer({ 'DELETE /api/admin/teams/4/members/b': { body: teamOf(ada) } })
  const user = userEvent.setup()
  await showPage()
  await user.click(screen.getByRole('button', { name: 'Actions for bob' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Remove from the team' }))
  const question = await screen.findByRole('alertdialog')
  await user.click(within(question).getByRole('button', { name: 'Remove from the team' }))
  await waitFor(() => expect(names()).toEqual(['ada']))
})

it('the admin moves a member to another team', async () => {
  const received = simulateServer({
    'POST /api/admin/teams/search': { body: { data: [teamOf(ada), { ...teamOf(cyd), id: 9, name: 'Blues' }] } },
    'PUT /api/admin/teams/9/members/b': { body: teamOf(cyd, bob) },
  })
  const user = userEvent.setup()
  await showPage()
  await user.click(screen.getByRole('button', { name: 'Actions for bob' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Move to another team' }))
  await user.type(await screen.findByRole('searchbox', { name: 'Move bob to' }), 'bl')
  await user.click(await screen.findByRole('button', { name: 'Blues #9' }))
  await waitFor(() => expect(names()).toEqual(['ada']))
  expect(received.find(({ method }) => method === 'PUT')?.address).toContain('from=4')
})
