import { Limits } from '@capstan/contract/limits'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Link } from 'react-router'
import { beforeEach, describe, expect, it } from 'vitest'
import { useToasts } from '../../components/ui/toast.ts'
import { ToastRegion } from '../../components/ui/toast-region.tsx'
import { LogoSection } from '../../features/admin-settings/logo-section.tsx'
import { MailSection } from '../../features/admin-settings/mail-section.tsx'
import { findClickable } from '../../testing/clickable.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer, simulateUploads } from '../../testing/server.ts'
import { Route as Games } from './games.tsx'
import { Route as Instances } from './instances.tsx'
import { Route as Logs } from './logs.tsx'
import { Route as Settings } from './settings.tsx'
import { Route as Teams } from './teams.tsx'
import { Route as Tokens } from './tokens.tsx'
import { Route as Users } from './users.tsx'

const user = userEvent.setup()
beforeEach(() => useToasts.setState({ toasts: [] }))

function pageOf<Item>(data: readonly Item[]) {
  return { data, length: data.length, total: data.length }
}

const account = {
  id: 'b4a0e7a2-0000-4000-8000-000000000001',
  userName: 'mira',
  realName: 'Mira Ito',
  stdNumber: '',
  phone: '',
  bio: '',
  registerTimeUtc: '2026-05-01T12:00:00Z',
  lastVisitedUtc: '2026-05-01T12:00:00Z',
  ip: '10.0.0.7',
  email: 'mira@example.org',
  avatar: null,
  role: 'User',
  emailConfirmed: true,
}
const admin = { userId: 'b4a0e7a2-0000-4000-8000-000000000009', userName: 'Admin', role: 'Admin' }
const usersServer = {
  'GET /api/account/profile': { body: admin },
  'GET /api/admin/users/list': { body: pageOf([account, { ...account, id: admin.userId, userName: 'Admin', role: 'Admin' }]) },
}

describe('the users page of admins', () => {
  it('the users page resets a password after confirmation, and shows the new password once', async () => {
    const asked = simulateServer({
      ...usersServer,
      [`DELETE /api/admin/users/${account.id}/password`]: { body: 'aB3$aB3$aB3$aB3$' },
    })
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'More actions for mira' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Reset password' }))
    expect(asked.some(({ method }) => method === 'DELETE')).toBe(false)
    await user.click(screen.getByRole('button', { name: 'Reset password' }))
    expect((await screen.findByRole('status', { name: 'New password' })).textContent).toBe('aB3$aB3$aB3$aB3$')
    await user.click(screen.getByRole('button', { name: 'I have copied it' }))
    await waitFor(() => expect(screen.queryByText('aB3$aB3$aB3$aB3$')).toBeNull())
  })

  it('the users page saves only changed fields, and leaves the account active if its email address changes', async () => {
    const asked = simulateServer({
      ...usersServer,
      'POST /api/admin/users/search': { body: pageOf([account]) },
      [`PUT /api/admin/users/${account.id}`]: {},
    })
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'Edit mira' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.clear(dialog.getByLabelText('Email'))
    await user.type(dialog.getByLabelText('Email'), 'mira@example.com')
    await user.selectOptions(dialog.getByLabelText('Role'), 'Monitor')
    await user.click(dialog.getByRole('button', { name: 'Save user' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({
      email: 'mira@example.com',
      emailConfirmed: true,
      role: 'Monitor',
    })
  })

  it("the users page does not overwrite another admin's change of the same field", async () => {
    const asked = simulateServer({
      ...usersServer,
      'POST /api/admin/users/search': { body: pageOf([{ ...account, realName: 'Mira Sato', phone: '+49 1' }]) },
      [`PUT /api/admin/users/${account.id}`]: {},
    })
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'Edit mira' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByLabelText(/Real name/), '-Abel')
    await user.click(dialog.getByRole('button', { name: 'Save user' }))
    expect(await dialog.findByText('Someone else has changed this in the meantime: Real name')).toBeTruthy()
    expect(asked.some(({ method }) => method === 'PUT')).toBe(false)
    await user.click(dialog.getByRole('button', { name: 'Keep mine' }))
    await user.click(dialog.getByRole('button', { name: 'Save user' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({ realName: 'Mira Ito-Abel' })
  })

  it("the users page shows the server's error beside its field", async () => {
    simulateServer({
      ...usersServer,
      'POST /api/admin/users/search': { body: pageOf([account]) },
      [`PUT /api/admin/users/${account.id}`]: {
        status: 400,
        body: { title: 'This username is already in use', status: 400, code: 'username.taken' },
      },
    })
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'Edit mira' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByLabelText('Username'), '2')
    await user.click(dialog.getByRole('button', { name: 'Save user' }))
    await dialog.findByText('This username is already in use')
    expect(dialog.getByLabelText('Username').getAttribute('aria-invalid')).toBe('true')
  })

  it('the users page does not let an admin ban or delete their own account', async () => {
    simulateServer(usersServer)
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'More actions for Admin' }))
    expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(['Reset password'])
  })

  it('the users page adds users from a pasted list, and shows the line of the list that the server refused', async () => {
    const asked = simulateServer({
      ...usersServer,
      'POST /api/admin/users': {
        status: 400,
        body: { title: 'This email domain is not allowed', status: 400, detail: '/1/email' },
      },
    })
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'Add users' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByLabelText('List of users'))
    await user.paste('userName,password,email\nada,Secret1,ada@example.org\nbo,secret,bob@example.org')
    expect(dialog.getByText(/Username: 3 to 15 characters/)).toBeTruthy()
    const add = () => dialog.getByRole<HTMLButtonElement>('button', { name: 'Add 2 users' })
    expect(add().disabled).toBe(true)
    await user.clear(dialog.getByLabelText('List of users'))
    await user.paste('userName,password,email\nada,Secret1,ada@example.org\nbob,Secret1,bob@example.org')
    await user.click(add())
    expect((await dialog.findByRole('alert')).textContent).toBe('Line 3: This email domain is not allowed')
    expect(asked.find(({ method }) => method === 'POST')?.body).toEqual([
      { userName: 'ada', password: 'Secret1', email: 'ada@example.org' },
      { userName: 'bob', password: 'Secret1', email: 'bob@example.org' },
    ])
  })

  it('the search runs on the server, and the address stores the search text', async () => {
    const asked = simulateServer({
      ...usersServer,
      'GET /api/admin/users/list': ({ address }) => ({ body: pageOf(address.includes('hint=nobody') ? [] : [account]) }),
    })
    const page = await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.type(await screen.findByRole('searchbox', { name: 'Search users' }), 'nobody')
    expect(await screen.findByText('No users found')).toBeTruthy()
    expect(asked.at(-1)?.address).toMatch(/^\/api\/admin\/users\/list\?hint=nobody&/)
    await waitFor(() => expect(page.address()).toBe('/?q=nobody'))
  })

  it('the users page lists the newest users first, can sort users, and can filter users by role, state and game', async () => {
    const asked = simulateServer({
      ...usersServer,
      'GET /api/edit/games': { body: { data: [{ id: 5, title: 'Harbour Trials' }], length: 1, total: 1 } },
    })
    const page = await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    const last = () => asked.findLast(({ address }) => address.startsWith('/api/admin/users/list'))?.address
    expect(await screen.findByRole('columnheader', { name: 'Registered' })).toHaveProperty('ariaSort', 'descending')
    expect(last()).toBe('/api/admin/users/list?sort=registered&descending=true&count=50&skip=0')
    await user.click(screen.getByRole('button', { name: 'Email' }))
    await waitFor(() => expect(last()).toContain('sort=email&descending=false'))
    await user.click(screen.getByRole('button', { name: 'Email' }))
    await waitFor(() => expect(last()).toContain('sort=email&descending=true'))
    await user.selectOptions(screen.getByRole('combobox', { name: 'Role' }), 'Monitor')
    await user.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'Not active')
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Game' }), 'Harbour Trials')
    await waitFor(() => expect(last()).toContain('role=Monitor&active=false&game=5&sort=email&descending=true'))
    expect(page.address()).toBe('/?sort=email&order=descending&role=Monitor&active=false&game=5')
  })

  it("the users page bans many users after confirmation, shows each result, and skips the admin's own account", async () => {
    const other = { ...account, id: '2c5d1c52-0000-4000-8000-000000000002', userName: 'noor' }
    const refusal = { status: 400, body: { title: 'Something is in the way', status: 400, code: 'request.invalid' } }
    const asked = simulateServer({
      ...usersServer,
      'GET /api/admin/users/list': { body: pageOf([account, other, { ...account, id: admin.userId, userName: 'Admin' }]) },
      [`PUT /api/admin/users/${account.id}`]: {},
      [`PUT /api/admin/users/${other.id}`]: refusal,
    })
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('checkbox', { name: 'Select all on this page' }))
    await user.click(within(screen.getByRole('region', { name: '2 selected' })).getByRole('button', { name: 'Actions' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Ban' }))
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Ban 2 users' }))
    const changes = () => asked.filter(({ method }) => method === 'PUT')
    expect(changes()).toEqual([])
    await user.click(dialog.getByRole('button', { name: 'Ban 2 users' }))
    await dialog.findByText('Something is in the way')
    expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'miraDone',
      'noorSomething is in the way',
    ])
    expect(changes().map(({ body }) => body)).toEqual([{ role: 'Banned' }, { role: 'Banned' }])
    expect(screen.getByRole('button', { name: 'Ban 1 user' })).toBeTruthy()
  })

  it('the users page offers to copy the email address of a user', async () => {
    simulateServer(usersServer)
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    expect(await screen.findByRole('button', { name: 'Copy the email address of mira' })).toBeTruthy()
  })

  it('the users page shows all users again after a click on a link that contains no search text', async () => {
    simulateServer(usersServer)
    const page = await renderInApp(
      <>
        <Link to="/">All</Link>
        <Users />
      </>,
      { at: '/?q=mira', areas: ['admin-users', 'editing'] },
    )
    const box = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Search users' })
    expect(box.value).toBe('mira')
    await user.click(screen.getByRole('link', { name: 'All' }))
    await waitFor(() => expect(box.value).toBe(''))
    expect(page.address()).toBe('/')
  })

  it('the users page shows why the undo of a ban failed', async () => {
    simulateServer({
      ...usersServer,
      [`PUT /api/admin/users/${account.id}`]: ({ body }) =>
        (body as { role: string }).role === 'Banned' ? {} : { status: 400, body: { title: 'Not now', status: 400 } },
    })
    await renderInApp(
      <>
        <Users />
        <ToastRegion />
      </>,
      { areas: ['admin-users', 'editing'] },
    )
    await user.click(await screen.findByRole('button', { name: 'More actions for mira' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Ban' }))
    await user.click(screen.getByRole('button', { name: 'Ban mira' }))
    await user.click(await findClickable('Undo'))
    expect(await screen.findByText('Not now')).toBeTruthy()
  })

  it('the dialog retains a pasted list if Escape is pressed', async () => {
    simulateServer(usersServer)
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'Add users' }))
    await user.click(await screen.findByLabelText('List of users'))
    await user.paste('ada,Secret1,ada@example.org')
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: 'Stay' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(screen.getByLabelText<HTMLTextAreaElement>('List of users').value).toBe('ada,Secret1,ada@example.org')
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: 'Leave' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('the dialog shows an error for a file in an unknown encoding until the admin pastes a readable list', async () => {
    simulateServer(usersServer)
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'Add users' }))
    const list = await screen.findByLabelText<HTMLTextAreaElement>('List of users')
    const latin = new File([Uint8Array.from(Buffer.from('jürgen,Secret1,j@example.org', 'latin1'))], 'users.csv')
    const input = document.querySelector<HTMLInputElement>('input[accept*=".csv"]')
    await user.upload(input ?? expect.fail('no place for a file'), latin)
    expect(await screen.findByText(/^This is not a UTF-8 text file/)).toBeTruthy()
    expect(list.value).toBe('')
    await user.click(list)
    await user.paste('ada,Secret1,ada@example.org')
    expect(screen.queryByText(/^This is not a UTF-8 text file/)).toBeNull()
  })

  it('the users page shows the error if the users cannot be read, and its button retries', async () => {
    let isDown = true
    simulateServer({
      ...usersServer,
      'GET /api/admin/users/list': () =>
        isDown ? { status: 500, body: { title: 'Unknown error', status: 500 } } : { body: pageOf([account]) },
    })
    await renderInApp(<Users />, { areas: ['admin-users', 'editing'] })
    await screen.findByText('Could not load this')
    isDown = false
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('rowheader', { name: /mira/ })).toBeTruthy()
  })
})

describe('the teams page of admins', () => {
  const team = { id: 7, name: 'Reds', bio: null, avatar: null, locked: false, members: [] }

  it('the teams page deletes teams only after the name is typed', async () => {
    const asked = simulateServer({ 'GET /api/admin/teams/list': { body: pageOf([team]) }, 'DELETE /api/admin/teams/7': {} })
    await renderInApp(<Teams />, { areas: ['admin-teams', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'More actions for Reds' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Delete team' }))
    const confirm = screen.getByRole<HTMLButtonElement>('button', { name: 'Delete Reds' })
    expect(confirm.disabled).toBe(true)
    await user.type(screen.getByRole('textbox', { name: 'Type “Reds” to confirm' }), 'Reds')
    await user.click(confirm)
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(asked.some(({ method }) => method === 'DELETE')).toBe(true)
  })

  it('the teams page locks teams immediately', async () => {
    const asked = simulateServer({ 'GET /api/admin/teams/list': { body: pageOf([team]) }, 'PUT /api/admin/teams/7': {} })
    await renderInApp(<Teams />, { areas: ['admin-teams', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'More actions for Reds' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Lock' }))
    await waitFor(() => expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({ locked: true }))
  })

  it('the teams page shows why the undo of a lock failed', async () => {
    simulateServer({
      'GET /api/admin/teams/list': { body: pageOf([team]) },
      'PUT /api/admin/teams/7': ({ body }) =>
        (body as { locked: boolean }).locked ? {} : { status: 400, body: { title: 'Not now', status: 400 } },
    })
    await renderInApp(
      <>
        <Teams />
        <ToastRegion />
      </>,
      { areas: ['admin-teams', 'editing'] },
    )
    await user.click(await screen.findByRole('button', { name: 'More actions for Reds' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Lock' }))
    await user.click(await findClickable('Undo'))
    expect(await screen.findByText('Not now')).toBeTruthy()
  })
})

describe('the system log page', () => {
  const line = {
    time: '2026-05-01T12:00:00.000Z',
    name: 'mira',
    level: 'Warning',
    ip: '10.0.0.7',
    msg: 'Wrong',
    status: 'Denied',
  }

  it('the server can sort the system log, which is not live while it is sorted', async () => {
    const asked = simulateServer({ 'GET /api/admin/logs/list': { body: [line] } })
    await renderInApp(<Logs />, { areas: ['admin-logs', 'live-list', 'editing'] })
    expect(await screen.findByRole('button', { name: 'Pause' })).toBeTruthy()
    expect(screen.getByRole('columnheader', { name: 'Time' }).getAttribute('aria-sort')).toBe('descending')
    await user.click(screen.getByRole('button', { name: 'User' }))
    await screen.findByText('Sorted within the newest 10,000 entries')
    expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
    await waitFor(() => expect(asked.at(-1)?.address).toMatch(/sort=user&descending=false/))
    await user.click(screen.getByRole('button', { name: /newest/i }))
    expect(await screen.findByRole('button', { name: 'Pause' })).toBeTruthy()
  })

  it('the list on a phone shows no label for the result of an entry, because most entries have no visible result', async () => {
    simulateServer({ 'GET /api/admin/logs/list': { body: [line] } })
    await renderInApp(<Logs />, { areas: ['admin-logs', 'live-list', 'editing'] })
    const row = (await screen.findByText('Wrong')).closest('tr')
    expect([...(row?.cells ?? [])].flatMap(({ dataset: { label } }) => label ?? [])).toEqual(['User', 'Address'])
  })
})

describe('the instances page', () => {
  const instance = (letter: string) => ({
    team: { id: 1, name: `Team ${letter}`, avatar: null },
    challenge: { id: 2, title: `Task ${letter}`, category: 'Web' },
    image: 'demo:1',
    containerGuid: `b4a0e7a2-0000-4000-8000-00000000000${letter}`,
    containerId: `pod-${letter}`,
    startedAt: '2026-05-01T12:00:00Z',
    expectStopAt: '2126-05-01T12:00:00Z',
    ip: '10.0.0.1',
    port: 30000,
  })

  it('the instances page destroys several instances, and lists the instances that could not be destroyed', async () => {
    simulateServer({
      'GET /api/config': { body: { title: 'CS', renewalWindow: 10 } },
      'GET /api/admin/instances': { body: pageOf([instance('a'), instance('b'), instance('c')]) },
      'DELETE /api/admin/instances/b4a0e7a2-0000-4000-8000-00000000000a': {},
      'DELETE /api/admin/instances/b4a0e7a2-0000-4000-8000-00000000000b': {
        status: 400,
        body: { title: 'The runtime did not answer', status: 400 },
      },
    })
    await renderInApp(<Instances />, { areas: ['admin-instances', 'editing'] })
    await user.click(await screen.findByRole('checkbox', { name: 'Select all on this page' }))
    await user.click(screen.getByRole('checkbox', { name: 'Select Task c of Team c' }))
    await user.click(screen.getByRole('button', { name: 'Destroy 2 instances' }))
    await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Destroy 2 instances' }))
    expect((await screen.findByText('The runtime did not answer')).closest('li')?.textContent).toBe(
      'Task b of Team bThe runtime did not answer',
    )
    expect(screen.getByRole('button', { name: 'Destroy 1 instance' })).toBeTruthy()
  })

  it('the instances page shows usage and limits, and can sort by highest usage', async () => {
    const usage = (letter: string, cpuMillicores: number, mebibytes: number) => ({
      id: instance(letter).containerGuid,
      ...{ cpuMillicores, cpuLimitMillicores: 500, memoryBytes: mebibytes * 1_048_576, memoryLimitBytes: 134_217_728 },
    })
    simulateServer({
      'GET /api/admin/instances': { body: pageOf([instance('a'), instance('b'), instance('c')]) },
      'GET /api/admin/instances/usage': { body: [usage('a', 40, 127), usage('c', 495, 3)] },
    })
    await renderInApp(<Instances />, { areas: ['admin-instances', 'editing'] })
    await screen.findByRole('columnheader', { name: 'CPU (cores)' })
    const rows = () =>
      screen
        .getAllByRole('row')
        .slice(1)
        .map(({ children }) => [1, 4, 5].map((at) => children[at]?.textContent))
    expect(rows()).toEqual([
      ['Task aImage: demo:1', '0.04 / 0.5', '127 / 128 MB'],
      ['Task bImage: demo:1', '–', '–'],
      ['Task cImage: demo:1', '0.50 / 0.5', '3 / 128 MB'],
    ])
    const head = () => screen.getByRole('button', { name: 'CPU (cores)' })
    await user.click(head())
    expect(rows().map(([title]) => title?.slice(0, 6))).toEqual(['Task a', 'Task c', 'Task b'])
    await user.click(head())
    expect(rows().map(([title]) => title?.slice(0, 6))).toEqual(['Task c', 'Task a', 'Task b'])
    expect(screen.getByRole('columnheader', { name: 'CPU (cores)' }).getAttribute('aria-sort')).toBe('descending')
  })

  it('the instances page omits the usage columns if no instance is measured', async () => {
    simulateServer({
      'GET /api/admin/instances': { body: pageOf([instance('a')]) },
      'GET /api/admin/instances/usage': { body: [] },
    })
    await renderInApp(<Instances />, { areas: ['admin-instances', 'editing'] })
    await screen.findByRole('columnheader', { name: 'Running for' })
    expect(screen.queryByRole('columnheader', { name: 'Memory' })).toBeNull()
    expect(screen.queryByRole('option', { name: 'CPU (cores)' })).toBeNull()
  })

  it('the instances page explains why the list of instances is empty', async () => {
    simulateServer({ 'GET /api/admin/instances': { body: pageOf([]) } })
    await renderInApp(<Instances />, { areas: ['admin-instances', 'editing'] })
    expect(await screen.findByText('No instance is running')).toBeTruthy()
  })
})

describe('the API tokens page', () => {
  const id = 'b4a0e7a2-0000-4000-8000-0000000000aa'
  const token = {
    ...{ id, name: 'nightly', creatorId: admin.userId, creator: 'Admin' },
    ...{ createdAt: Date.parse('2026-05-01T12:00:00Z'), expiresAt: null, lastUsedAt: null, isRevoked: false },
    ...{ scope: 'WriteChallenges', gameId: 7, gameTitle: 'Harbour CTF' },
  }

  it('the tokens page shows the creator, scope, state and last use of each token', async () => {
    const revoked = { ...token, id: `${id.slice(0, -1)}b`, name: 'old', isRevoked: true, gameId: null, gameTitle: null }
    const over = { ...token, id: `${id.slice(0, -1)}c`, name: 'over', expiresAt: Date.parse('2026-05-02T12:00:00Z') }
    simulateServer({ 'GET /api/tokens': { body: [token, revoked, over] } })
    await renderInApp(<Tokens />, { areas: ['admin-tokens', 'editing'] })
    await screen.findByText('nightly')
    const rows = screen
      .getAllByRole('row')
      .slice(1)
      .map(({ children }) => [0, 1, 2, 5].map((at) => children[at]?.textContent))
    expect(rows).toEqual([
      ['nightlyby Admin', 'Write challengesHarbour CTF', 'Valid', 'Not yet'],
      ['oldby Admin', 'Write challengesAll games', 'Revoked', 'Not yet'],
      ['overby Admin', 'Write challengesHarbour CTF', 'Expired', 'Not yet'],
    ])
  })

  it('the tokens page creates a token with name, scope, game and expiry, and shows it once', async () => {
    const asked = simulateServer({
      'GET /api/tokens': { body: [] },
      'GET /api/edit/games': { body: pageOf([{ id: 7, title: 'Harbour CTF' }]) },
      'POST /api/tokens': { body: { token: 'payload.signature', info: token } },
    })
    await renderInApp(<Tokens />, { areas: ['admin-tokens', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    const dialog = within(screen.getByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Create token' }))
    expect(dialog.getByText('Enter a name')).toBeTruthy()
    await user.type(dialog.getByLabelText('Name'), ' nightly ')
    await user.selectOptions(dialog.getByLabelText('Permissions'), 'Write challenges')
    await dialog.findByRole('option', { name: 'Harbour CTF' })
    await user.selectOptions(dialog.getByLabelText('Game'), 'Harbour CTF')
    await user.selectOptions(dialog.getByLabelText('Ends after'), '30 days')
    await user.click(dialog.getByRole('button', { name: 'Create token' }))
    expect((await screen.findByRole('status', { name: 'API token' })).textContent).toBe('payload.signature')
    expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
      ...{ name: 'nightly', scope: 'WriteChallenges', gameId: 7, expiresIn: 30 },
    })
    await user.click(screen.getByRole('button', { name: 'I have copied it' }))
    await waitFor(() => expect(screen.queryByText('payload.signature')).toBeNull())
  })

  it('the tokens page allows write access to the platform only for tokens of all games', async () => {
    const asked = simulateServer({
      'GET /api/tokens': { body: [] },
      'GET /api/edit/games': { body: pageOf([{ id: 7, title: 'Harbour CTF' }]) },
      'POST /api/tokens': { status: 400, body: { title: 'There are too many API tokens', status: 400 } },
    })
    await renderInApp(<Tokens />, { areas: ['admin-tokens', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'New token' }))
    const dialog = within(screen.getByRole('dialog'))
    await dialog.findByRole('option', { name: 'Harbour CTF' })
    await user.selectOptions(dialog.getByLabelText('Game'), 'Harbour CTF')
    await user.selectOptions(dialog.getByLabelText('Permissions'), 'Full access')
    expect((dialog.getByLabelText('Game') as HTMLSelectElement).disabled).toBe(true)
    await user.type(dialog.getByLabelText('Name'), 'all')
    await user.click(dialog.getByRole('button', { name: 'Create token' }))
    expect(await dialog.findByText('There are too many API tokens')).toBeTruthy()
    expect(asked.find(({ method }) => method === 'POST')?.body).toMatchObject({ scope: 'WritePlatform', gameId: null })
  })

  it('the tokens page revokes and restores a token immediately, but removes it only after confirmation', async () => {
    const tokens = { 'GET /api/tokens': { body: [token] }, [`DELETE /api/tokens/${id}`]: {} }
    const asked = simulateServer(tokens)
    await renderInApp(<Tokens />, { areas: ['admin-tokens', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'Revoke nightly' }))
    await waitFor(() => expect(useToasts.getState().toasts.map(({ title }) => title)).toEqual(['nightly was revoked']))
    await user.click(screen.getByRole('button', { name: 'Remove nightly' }))
    const removals = () => asked.filter(({ method, address }) => method === 'DELETE' && address.endsWith('?delete=true'))
    expect(removals()).toEqual([])
    await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Remove token' }))
    await waitFor(() => expect(removals()).toHaveLength(1))
  })

  it('the tokens page explains the purpose of tokens if there are none', async () => {
    simulateServer({ 'GET /api/tokens': { body: [] } })
    await renderInApp(<Tokens />, { areas: ['admin-tokens', 'editing'] })
    expect(await screen.findByText('No API tokens yet')).toBeTruthy()
  })

  it('the tokens page offers a retry after the tokens could not be read', async () => {
    let isAway = true
    simulateServer({
      'GET /api/tokens': () => (isAway ? { status: 400, body: { title: 'Not now', status: 400 } } : { body: [token] }),
    })
    await renderInApp(<Tokens />, { areas: ['admin-tokens', 'editing'] })
    expect(await screen.findByText('Not now')).toBeTruthy()
    isAway = false
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('nightly')).toBeTruthy()
  })
})

describe('the settings page', () => {
  const stored = {
    globalConfig: { title: 'Harbour', slogan: '', description: null, footerInfo: null, customTheme: null },
    accountPolicy: { allowRegister: true, activeOnRegister: true, useCaptcha: false, emailConfirmationRequired: false },
    containerPolicy: { defaultLifetime: 60, extensionDuration: 30, renewalWindow: 5 },
  }

  it('the settings page refuses minutes that are out of range, and saves the changed section', async () => {
    const asked = simulateServer({ 'GET /api/admin/config': { body: stored }, 'PUT /api/admin/config': {} })
    await renderInApp(<Settings />, { areas: ['admin-settings', 'editing'] })
    const lifetime = await screen.findByLabelText('Lifetime')
    await user.clear(lifetime)
    await user.type(lifetime, '7201')
    expect(screen.getByText('A whole number from 1 to 7,200')).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save changes' }).disabled).toBe(true)
    await user.clear(lifetime)
    await user.type(lifetime, '90')
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(asked.some(({ method }) => method === 'PUT')).toBe(true))
    expect(asked.find(({ method }) => method === 'PUT')?.body).toEqual({
      containerPolicy: {
        defaultLifetime: 90,
        extensionDuration: 30,
        renewalWindow: 5,
        autoDestroyOnLimitReached: false,
      },
    })
  })
})

describe('a server error about a field', () => {
  const refusing = (detail: string) => ({
    status: 400,
    body: { title: 'Shorter, please', status: 400, code: 'request.invalid', detail },
  })

  it('a server error about a setting is shown at the setting', async () => {
    const stored = { globalConfig: { title: 'Harbour', slogan: '' }, accountPolicy: {}, containerPolicy: {} }
    simulateServer({ 'GET /api/admin/config': { body: stored }, 'PUT /api/admin/config': refusing('/globalConfig/slogan') })
    await renderInApp(<Settings />, { areas: ['admin-settings', 'editing'] })
    await user.type(await screen.findByLabelText(/^Slogan/), 'x')
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByRole('textbox', { name: /^Slogan/, description: /Shorter, please/ })).toBe(document.activeElement)
  })

  it('a server error about the name of a new token is shown at the name field', async () => {
    simulateServer({
      'GET /api/tokens': { body: [] },
      'GET /api/edit/games': { body: pageOf([]) },
      'POST /api/tokens': refusing('/name'),
    })
    await renderInApp(<Tokens />, { areas: ['admin-tokens', 'editing'] })
    await user.click((await screen.findAllByRole('button', { name: 'New token' }))[0]!)
    await user.type(screen.getByLabelText('Name'), 'nightly')
    await user.click(screen.getByRole('button', { name: 'Create token' }))
    expect(await screen.findByRole('textbox', { name: 'Name', description: /Shorter, please/ })).toBeTruthy()
  })
})

describe('the source address in the settings', () => {
  it('the field for the source address retains entered text while the admin visits another page', async () => {
    simulateServer({
      'GET /api/admin/config': { body: { globalConfig: { title: 'Harbour' }, accountPolicy: {}, containerPolicy: {} } },
      'GET /api/admin/config/project': { body: { repositoryUrl: null } },
    })
    const open = async () => {
      const { unmount } = await renderInApp(<Settings />, { areas: ['admin-settings', 'editing'] })
      const address = await screen.findByRole<HTMLInputElement>('textbox', { name: /^Repository address/ })
      await waitFor(() => expect(address.disabled).toBe(false))
      return { address, unmount }
    }
    const { address, unmount } = await open()
    await user.type(address, 'https://git.example.org/fork')
    unmount()
    expect((await open()).address.value).toBe('https://git.example.org/fork')
    sessionStorage.clear()
  })

  it('the source address is validated, saved separately, and reset if it is saved empty', async () => {
    const asked = simulateServer({
      'GET /api/admin/config': { body: { globalConfig: { title: 'Harbour' }, accountPolicy: {}, containerPolicy: {} } },
      'GET /api/admin/config/project': { body: { repositoryUrl: null } },
      'PUT /api/admin/config/project': ({ body }) => ({ body: body as object }),
    })
    await renderInApp(<Settings />, { areas: ['admin-settings', 'editing'] })
    const address = await screen.findByRole<HTMLInputElement>('textbox', { name: /^Repository address/ })
    await waitFor(() => expect(address.disabled).toBe(false))
    const save = () => user.click(screen.getByRole('button', { name: 'Save address' }))
    await user.type(address, 'git.example.org/fork')
    await save()
    expect(screen.getByText('Enter an address that begins with https:// or http://')).toBeTruthy()
    await user.clear(address)
    await user.type(address, 'https://git.example.org/fork')
    await save()
    await waitFor(() => expect(asked.at(-1)?.body).toEqual({ repositoryUrl: 'https://git.example.org/fork' }))
    await user.clear(address)
    await save()
    await waitFor(() => expect(asked.at(-1)?.body).toEqual({ repositoryUrl: null }))
  })
})

describe('the logo in the settings', () => {
  it('the logo must not exceed the maximum size that the server accepts', async () => {
    simulateServer({})
    const uploads = simulateUploads({ body: {} })
    await renderInApp(<LogoSection />, { areas: ['admin-settings'] })
    const choose = (bytes: number) =>
      user.upload(screen.getByLabelText(/Drop/), new File([new Uint8Array(bytes)], `${bytes}.png`, { type: 'image/png' }))
    await choose(Limits.maxImageBytes + 1)
    expect((await screen.findByRole('alert')).textContent).toContain('3 MB')
    await choose(Limits.maxImageBytes)
    await waitFor(() => expect(uploads).toEqual([[`${Limits.maxImageBytes}.png`]]))
  })
})

describe('sending a test mail', () => {
  const open = () => renderInApp(<MailSection />, { areas: ['admin-settings'] })
  const server = {
    'GET /api/account/profile': { body: { ...admin, email: 'admin@example.org' } },
    'GET /api/admin/config/mail': { body: { waiting: 1200 } },
  }

  it('the page shows the number of waiting emails and a button that sends a test email', async () => {
    simulateServer(server)
    await open()
    expect(await screen.findByText('Emails waiting to be sent: 1,200')).toBeTruthy()
  })

  it('the number of waiting emails and the form are in one block, because the layout has one place for both', async () => {
    simulateServer(server)
    await open()
    const number = await screen.findByText('Emails waiting to be sent: 1,200')
    const form = screen.getByLabelText('Send a test email to').closest('form')
    expect(form?.parentElement).toBe(number.parentElement)
    expect(number.parentElement?.tagName).toBe('DIV')
  })

  it("the test mail goes to the admin's own address by default, and the page shows that the server accepted it", async () => {
    const asked = simulateServer({ ...server, 'POST /api/admin/config/mail': {} })
    await open()
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('Send a test email to').value).toBe('admin@example.org'))
    await user.click(screen.getByRole('button', { name: 'Send test email' }))
    expect(await screen.findByText(/accepted the email to admin@example\.org/)).toBeTruthy()
    expect(asked.at(-1)?.body).toEqual({ recipient: 'admin@example.org' })
  })

  it('the page shows the error of the mail server if the test mail fails', async () => {
    const body = {
      title: 'The mail server did not accept the email',
      status: 400,
      code: 'email.refused',
      detail: '550 no mailbox',
    }
    simulateServer({ ...server, 'POST /api/admin/config/mail': { status: 400, body } })
    await open()
    await user.type(screen.getByLabelText('Send a test email to'), 'x@example.org')
    await user.click(screen.getByRole('button', { name: 'Send test email' }))
    expect((await screen.findByRole('alert')).textContent).toContain('550 no mailbox')
  })
})

describe('the games page of admins', () => {
  it('the games page creates a game with a title and times, and then opens the game', async () => {
    const created = { id: 12, title: 'Winter Qualifier', start: '2026-05-01T09:00:00Z', end: '2026-05-03T09:00:00Z' }
    const asked = simulateServer({ 'GET /api/admin/games/list': { body: pageOf([]) }, 'POST /api/edit/games': { body: created } })
    await renderInApp(<Games />, { areas: ['admin-games', 'editing'] })
    await user.click(await screen.findByRole('button', { name: 'New game' }))
    await user.click(screen.getByRole('button', { name: 'Create game' }))
    expect(screen.getByText('Enter a title')).toBeTruthy()
    await user.type(screen.getByLabelText('Title'), 'Winter Qualifier')
    await user.click(screen.getByRole('button', { name: 'Create game' }))
    await screen.findByText('at another page')
    expect(asked.find(({ method }) => method === 'POST')?.body).toMatchObject({ title: 'Winter Qualifier', hidden: true })
  })
})
