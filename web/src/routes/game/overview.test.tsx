import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { Route } from './overview.tsx'

const user = userEvent.setup()
const hour = 3_600_000
const from = (ms: number) => new Date(Date.now() + ms).toISOString()

const game = {
  id: 3,
  title: 'Harbour Trials',
  summary: 'An evening is enough.',
  content: 'Play **fair**.',
  hidden: false,
  organizations: ['Students', 'Open'],
  organizationCodesRequired: ['Students'],
  inviteCodeRequired: false,
  writeupRequired: false,
  poster: null,
  limit: 4,
  teamCount: 7,
  organization: null,
  teamName: null,
  practiceMode: true,
  status: 'Unsubmitted',
  start: from(-hour),
  end: from(hour),
}
const crew = { id: 12, name: 'Night Watch', bio: null, avatar: null, locked: false, members: [] }
const profile = {
  userId: '00000000-0000-4000-8000-000000000001',
  userName: 'mira',
  email: null,
  bio: null,
  phone: null,
  realName: null,
  stdNumber: null,
  avatar: null,
  role: 'User',
}
const answers = {
  'GET /api/account/profile': { body: profile },
  'GET /api/team': { body: [crew] },
  'GET /api/game/3': { body: game },
}
const joined = { teamName: 'Night Watch', organization: 'Open' }

const open = () => show(<Route />, { at: '/games/3', pattern: '/games/:id', areas: ['games'] })
const nextStep = () => screen.findByRole('region', { name: 'Your next step' })

describe('the game page', () => {
  it.each([
    ['Pending', 'Waiting for the organizers', []],
    ['Rejected', 'Your team was not accepted', ['Withdraw', 'Sign up again']],
    ['Suspended', 'You have been banned', []],
  ])('of a team that is %s says "%s"', async (status, title, buttons) => {
    answering({ ...answers, 'GET /api/game/3': { body: { ...game, ...joined, status } } })
    await open()
    const step = await nextStep()
    expect(within(step).getByRole('heading', { name: title })).toBeTruthy()
    for (const name of buttons) expect(within(step).getByRole('button', { name })).toBeTruthy()
  })

  it('of an accepted team leads to the challenges', async () => {
    answering({ ...answers, 'GET /api/game/3': { body: { ...game, ...joined, status: 'Accepted' } } })
    await open()
    const link = within(await nextStep()).getByRole('link', { name: 'Open challenges' })
    expect(link.getAttribute('href')).toBe('/games/3/challenges')
  })

  it('sends a player without a team to the teams', async () => {
    answering({ ...answers, 'GET /api/team': { body: [] } })
    await open()
    expect((await screen.findByRole('link', { name: 'Manage teams' })).getAttribute('href')).toBe('/teams')
  })

  it('counts down to the start and shows the limits', async () => {
    answering({ ...answers, 'GET /api/game/3': { body: { ...game, start: from(2 * hour), end: from(3 * hour) } } })
    await open()
    expect((await screen.findByRole('timer')).textContent).toMatch(/^0[12]:\d\d:\d\d$/)
    expect(screen.getByText('Up to 4 members')).toBeTruthy()
    expect(screen.getByText('needs an invitation code')).toBeTruthy()
  })

  it('withdraws a pending team after a question', async () => {
    const asked = answering({
      ...answers,
      'GET /api/game/3': { body: { ...game, ...joined, status: 'Pending' } },
      'DELETE /api/game/3': {},
    })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Withdraw' }))
    await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Withdraw' }))
    await expect.poll(() => asked.some((call) => call.method === 'DELETE')).toBe(true)
  })
})

describe('joining a game', () => {
  const openDialog = async () => {
    await open()
    await user.click(await screen.findByRole('button', { name: 'Join game' }))
    return within(await screen.findByRole('dialog', { name: 'Join Harbour Trials' }))
  }

  it('says what is missing', async () => {
    const other = { ...crew, id: 13, name: 'Day Watch' }
    const asked = answering({
      ...answers,
      'GET /api/team': { body: [crew, other] },
      'GET /api/game/3': { body: { ...game, inviteCodeRequired: true } },
    })
    const dialog = await openDialog()
    await user.click(dialog.getByRole('button', { name: 'Join game' }))
    expect(dialog.getAllByRole('alert').map((alert) => alert.textContent)).toEqual([
      'Please select the team to participate with',
      'Please select the division',
      'Invitation code cannot be empty',
    ])
    expect(asked.some((call) => call.method === 'POST')).toBe(false)
  })

  it('takes the only team, and asks for a code where the division has one', async () => {
    const asked = answering({ ...answers, 'POST /api/game/3': {} })
    const dialog = await openDialog()
    expect(dialog.getByRole<HTMLSelectElement>('combobox', { name: 'Team' }).value).toBe('12')
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Division' }), 'Students')
    await user.type(dialog.getByRole('textbox', { name: 'Invitation code for Students' }), 'secret')
    await user.click(dialog.getByRole('button', { name: 'Join game' }))
    await expect
      .poll(() => asked.find((call) => call.method === 'POST')?.body)
      .toEqual({ teamId: 12, organization: 'Students', inviteCode: 'secret' })
  })

  it('keeps what was chosen when it is refused', async () => {
    answering({
      ...answers,
      'POST /api/game/3': { status: 400, body: { title: 'The invitation code is wrong', status: 400, code: 'join.code' } },
    })
    const dialog = await openDialog()
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Division' }), 'Open')
    await user.click(dialog.getByRole('button', { name: 'Join game' }))
    expect((await dialog.findByRole('alert')).textContent).toBe('The invitation code is wrong')
    expect(dialog.getByRole<HTMLSelectElement>('combobox', { name: 'Division' }).value).toBe('Open')
  })
})

describe('the writeup', () => {
  const over = { ...game, ...joined, status: 'Accepted', writeupRequired: true, start: from(-3 * hour), end: from(-hour) }
  const board = (deadline: string) => ({
    body: {
      challenges: {},
      challengeCount: 0,
      rank: null,
      teamToken: '12:x',
      writeupRequired: true,
      writeupDeadline: deadline,
    },
  })
  const missing = { body: { submitted: false, name: '#', fileSize: 0, note: 'One page each' } }

  it('is the next step after the end until it is handed in', async () => {
    answering({
      ...answers,
      'GET /api/game/3': { body: over },
      'GET /api/game/3/details': board(from(hour)),
      'GET /api/game/3/writeup': missing,
    })
    await open()
    expect(await screen.findByRole('link', { name: 'Submit writeup' })).toBeTruthy()
    expect(await screen.findByText('Not submitted yet')).toBeTruthy()
  })

  it('refuses what is no PDF before sending it', async () => {
    answering({
      ...answers,
      'GET /api/game/3': { body: over },
      'GET /api/game/3/details': board(from(hour)),
      'GET /api/game/3/writeup': missing,
    })
    await open()
    const anyFile = userEvent.setup({ applyAccept: false })
    await anyFile.upload(await screen.findByLabelText(/Drop a PDF here/), new File(['x'], 'notes.txt', { type: 'text/plain' }))
    expect((await screen.findByRole('alert')).textContent).toBe('Failed to load file. Please check file format and size')
  })

  it('cannot be handed in after the deadline', async () => {
    answering({
      ...answers,
      'GET /api/game/3': { body: over },
      'GET /api/game/3/details': board(from(-1000)),
      'GET /api/game/3/writeup': missing,
    })
    await open()
    expect(await screen.findByText('Submission deadline has passed')).toBeTruthy()
    expect(screen.queryByLabelText(/Drop a PDF here/)).toBeNull()
    expect(screen.queryByRole('link', { name: 'Submit writeup' })).toBeNull()
  })
})
