import type { AdminGame } from '@capstan/contract/games'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './info.tsx'

const user = userEvent.setup()

const game: AdminGame = {
  id: 3,
  title: 'Harbour Trials',
  hidden: false,
  summary: '',
  content: '',
  acceptWithoutReview: false,
  writeupRequired: false,
  inviteCode: null,
  organizations: [],
  teamMemberCountLimit: 0,
  containerCountLimit: 3,
  poster: null,
  publicKey: 'key',
  practiceMode: true,
  start: '2026-11-21T08:00:00.000Z',
  end: '2026-11-22T08:00:00.000Z',
  writeupDeadline: '2026-11-22T08:00:00.000Z',
  writeupNote: '',
  bloodBonus: 52459530,
  bloodPoints: null,
  allowsDebt: false,
  freeze: null,
  revealed: null,
  registrationOpens: null,
  registrationCloses: null,
  teamLimit: null,
  survey: 'Off',
  questions: [],
}

beforeEach(() => sessionStorage.clear())

/** Simulates a server on which the game may change between two reads. */
function serving(stored: { game: AdminGame }) {
  return simulateServer({
    'GET /api/edit/games/3': () => ({ body: stored.game }),
    'PUT /api/edit/games/3': ({ body }) => {
      stored.game = { ...stored.game, title: (body as AdminGame).title }
      return { body: stored.game }
    },
  })
}

function open(field = '') {
  return renderInApp(<Route />, {
    at: `/admin/games/3/info${field}`,
    pattern: '/admin/games/:id/info',
    areas: ['admin-game', 'editing'],
  })
}

async function typeTitle(text: string) {
  const title = await screen.findByRole('textbox', { name: 'Title' })
  await user.clear(title)
  await user.type(title, text)
}

describe('the settings of a game', () => {
  it.each([
    ['the code of a rule', { code: 'game.times', title: 'The game must end after it starts' }, 'End'],
    ['a path in the body', { code: 'request.invalid', title: 'Too long', detail: '/inviteCode' }, 'Invitation code'],
    ['a path with another name in the form', { code: 'request.invalid', title: 'Too far', detail: '/bloodBonus' }, 'First'],
  ])(
    'the settings show the error at the field that %s names, focus the field, and clear the error when the edits are discarded',
    async (_by, body, label) => {
      simulateServer({
        'GET /api/edit/games/3': { body: game },
        'PUT /api/edit/games/3': { status: 400, body: { status: 400, ...body } },
      })
      await open()
      await typeTitle('Harbour Trials 2')
      await user.click(screen.getByRole('button', { name: 'Save changes' }))
      await screen.findByText(body.title)
      const field = screen.getByLabelText(new RegExp(`^${label}(?! of)`))
      expect(field.getAttribute('aria-invalid')).toBe('true')
      expect(document.activeElement).toBe(field)
      expect(within(screen.getByRole('region', { name: 'Unsaved changes' })).queryByRole('alert')).toBeNull()
      await user.click(screen.getByRole('button', { name: 'Discard' }))
      expect(screen.queryByText(body.title)).toBeNull()
    },
  )

  it.each([
    ['#summary', 'Summary'],
    ['#start', 'Start'],
    ['#acceptWithoutReview', 'Accept without review'],
    ['#writeupHours', 'Deadline after the end'],
    ['#hidden', 'Hidden'],
  ])('the settings page moves the focus to the field in the URL fragment %s', async (field, label) => {
    serving({ game: { ...game, writeupRequired: true } })
    await open(field)
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(new RegExp(`^${label}`))))
  })

  it('Ctrl+S saves the settings', async () => {
    const asked = serving({ game })
    await open()
    await typeTitle('Harbour Trials 2')
    await user.keyboard('{Control>}s{/Control}')
    await waitFor(() => expect(screen.queryByText('1 unsaved change')).toBeNull())
    expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({ title: 'Harbour Trials 2', summary: '' })
  })

  it('the settings can store bonuses as points instead of shares', async () => {
    const asked = serving({ game })
    await open()
    await user.click(await screen.findByRole('switch', { name: 'Fixed points' }))
    const first = screen.getByRole('spinbutton', { name: /First/ })
    await user.clear(first)
    await user.type(first, '100')
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(asked.some(({ method }) => method === 'PUT')).toBe(true))
    expect(asked.find(({ method }) => method === 'PUT')?.body).toMatchObject({
      bloodBonus: 52459530,
      bloodPoints: { first: 100, second: 3, third: 1 },
    })
  })

  it('the settings do not overwrite a concurrent change until the organizer decides', async () => {
    const stored = { game }
    const asked = serving(stored)
    await open()
    await typeTitle('Mine')
    stored.game = { ...game, title: 'Theirs' }
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByText('Someone else has changed this in the meantime: Title')).toBeTruthy()
    expect(asked.some(({ method }) => method === 'PUT')).toBe(false)
    await user.click(screen.getByRole('button', { name: 'Keep mine' }))
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(stored.game.title).toBe('Mine'))
  })

  it('the settings can show the values of the other user instead of the edits', async () => {
    const stored = { game }
    serving(stored)
    await open()
    await typeTitle('Mine')
    stored.game = { ...game, title: 'Theirs' }
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await user.click(await screen.findByRole('button', { name: 'Use theirs' }))
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Title' }).value).toBe('Theirs')
    expect(screen.queryByText('1 unsaved change')).toBeNull()
  })

  it('the settings retain unsaved input during a reload', async () => {
    serving({ game })
    const first = await open()
    await typeTitle('Half typed')
    first.unmount()
    await open()
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'Title' })).value).toBe('Half typed')
  })

  it('the settings cannot be saved while a field is invalid', async () => {
    serving({ game })
    await open()
    await user.clear(await screen.findByRole('textbox', { name: 'Title' }))
    expect(screen.getByText('Enter a title')).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save changes' }).disabled).toBe(true)
  })

  it('Ctrl+S does not save the settings while a field is invalid, but focuses the field', async () => {
    const asked = serving({ game })
    await open()
    const title = await screen.findByRole('textbox', { name: 'Title' })
    await user.clear(title)
    await user.click(screen.getByRole('textbox', { name: /Summary/ }))
    await user.keyboard('{Control>}s{/Control}')
    expect(document.activeElement).toBe(title)
    expect(asked.some(({ method }) => method === 'PUT')).toBe(false)
  })

  it('the game can be deleted only after its title is typed', async () => {
    serving({ game })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Delete game' }))
    const dialog = await screen.findByRole('alertdialog')
    const confirm = () => [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === 'Delete game')
    expect(confirm()?.disabled).toBe(true)
    await user.type(screen.getByRole('textbox', { name: /to confirm/ }), 'Harbour Trials')
    expect(confirm()?.disabled).toBe(false)
  })

  it('the button "Recount solves" recounts the solves of all challenges', async () => {
    const asked = simulateServer({
      'GET /api/edit/games/3': { body: game },
      'POST /api/edit/games/3/challenges/updateaccepted': {},
    })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Recount solves' }))
    await waitFor(() => expect(asked.some(({ address }) => address.endsWith('/updateaccepted'))).toBe(true))
  })
})

describe('the divisions of a game', () => {
  const guests = { id: 7, name: 'Guests', inviteCode: null, defaultPermissions: 2147483642, challengeConfigs: [] }

  function servingDivisions() {
    return simulateServer({
      'GET /api/edit/games/3': { body: game },
      'GET /api/edit/games/3/divisions': { body: [guests] },
      'POST /api/edit/games/3/divisions': ({ body }) => ({ body: { id: 8, ...(body as object) } }),
      'PUT /api/edit/games/3/divisions/7': ({ body }) => ({ body: { id: 7, ...(body as object) } }),
      'DELETE /api/edit/games/3/divisions/7': {},
      'GET /api/edit/games/3/challenges': { body: [{ id: 5, title: 'Heap', category: 'Pwn', type: 'StaticAttachment' }] },
    })
  }
  const bodyOf = (calls: ReturnType<typeof servingDivisions>, method: string) =>
    calls.find((call) => call.method === method)?.body

  it('divisions are listed with the rights that they lack', async () => {
    servingDivisions()
    await open()
    const row = (await screen.findByText('Guests')).closest('li')
    // The rights 2147483642 lack bit 1 (join) and bit 4 (review).
    expect(row?.textContent).toBe('GuestsClosedNo review')
  })

  it('a division can be created with a code and without the right to join', async () => {
    const calls = servingDivisions()
    await open()
    await user.click(await screen.findByRole('button', { name: 'Add a division' }))
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Students')
    await user.type(
      screen.getByRole('textbox', { name: /^Invitation code/, description: 'Replaces the code of the game.' }),
      'student1',
    )
    await user.click(screen.getByRole('checkbox', { name: 'Teams may join' }))
    await user.click(screen.getByRole('button', { name: 'Create' }))
    await waitFor(() =>
      expect(bodyOf(calls, 'POST')).toEqual({
        ...{ name: 'Students', inviteCode: 'student1', defaultPermissions: 2147483646, challengeConfigs: [] },
      }),
    )
  })

  it('a division can be edited in a form that refuses the name of another division', async () => {
    const calls = servingDivisions()
    await open()
    await user.click(await screen.findByRole('button', { name: 'Add a division' }))
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Guests')
    await user.click(screen.getByRole('button', { name: 'Create' }))
    expect(await screen.findByText('There is already a division with this name')).toBeTruthy()
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: 'Edit Guests' }))
    await user.click(await screen.findByRole('checkbox', { name: 'Joining needs a review' }))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), ' 2')
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    await waitFor(() => expect(bodyOf(calls, 'PUT')).toMatchObject({ name: 'Guests 2', defaultPermissions: 2147483646 }))
  })

  it('a division is deleted only after confirmation', async () => {
    const calls = servingDivisions()
    await open()
    await user.click(await screen.findByRole('button', { name: 'Edit Guests' }))
    await user.click(await screen.findByRole('button', { name: 'Delete division' }))
    const question = await screen.findByRole('alertdialog')
    expect(question.textContent).toContain('Its teams stay in the game without a division.')
    await user.click(within(question).getByRole('button', { name: 'Delete division' }))
    await waitFor(() => expect(calls.some(({ method }) => method === 'DELETE')).toBe(true))
  })

  it('a division can have different rights for single challenges', async () => {
    const calls = servingDivisions()
    await open()
    await user.click(await screen.findByRole('button', { name: 'Edit Guests' }))
    await user.selectOptions(await screen.findByRole('combobox', { name: 'Add a challenge' }), 'Heap')
    await user.click(screen.getByRole('checkbox', { name: 'Heap: Submit flags' }))
    await user.click(screen.getByRole('button', { name: 'Save changes' }))
    // The division has the rights 2147483642. The right to submit flags is bit 512.
    await waitFor(() =>
      expect(bodyOf(calls, 'PUT')).toMatchObject({ challengeConfigs: [{ challengeId: 5, permissions: 2147483130 }] }),
    )
  })
})

describe('the archive of a game', () => {
  const entry = (id: number, name: string) => ({ id, team: { id, name, members: null }, url: '', uploadTimeUtc: game.end })

  it('the archive of a game contains the chosen writeups', async () => {
    const asked = simulateServer({
      'GET /api/edit/games/3': { body: { ...game, end: '2026-01-01T00:00:00.000Z' } },
      'GET /api/admin/writeups/3': { body: [entry(4, 'Seal'), entry(7, 'Gull')] },
      'GET /api/edit/games/3/archive': { body: {} },
    })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Download archive' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Download archive' }))
    await user.click(await dialog.findByRole('checkbox', { name: 'All writeups' }))
    await user.click(dialog.getByRole('checkbox', { name: 'Seal' }))
    await user.click(dialog.getByRole('button', { name: 'Download archive' }))
    await waitFor(() =>
      expect(asked.map(({ address }) => address)).toContain('/api/edit/games/3/archive?attachments=true&writeups=7'),
    )
  })

  it('the archive of a game cannot be downloaded before the end', async () => {
    simulateServer({ 'GET /api/edit/games/3': { body: { ...game, end: '2126-01-01T00:00:00.000Z' } } })
    await open()
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Download archive' })
    expect(button.disabled).toBe(true)
  })
})
