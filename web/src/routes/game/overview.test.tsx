import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route } from './overview.tsx'

const user = userEvent.setup()
const hour = 3_600_000
function from(ms: number) {
  return new Date(Date.now() + ms).toISOString()
}

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
  'GET /api/game/3/scoreboard': {
    body: { updateTimeUtc: from(0), bloodBonus: 0, timeLines: {}, items: [], challenges: {}, challengeCount: 0 },
  },
}
const joined = { teamName: 'Night Watch', organization: 'Open' }

function open() {
  return renderInApp(<Route />, { at: '/games/3', pattern: '/games/:id', areas: ['games'] })
}
function nextStep() {
  return screen.findByRole('region', { name: 'Your next step' })
}

describe('the game page', () => {
  it.each([
    ['Pending', 'Waiting for the organizers', []],
    ['Rejected', 'Your team was not accepted', ['Withdraw', 'Sign up again']],
    ['Suspended', 'You have been banned', []],
  ])('the game page shows a team with status %s the text "%s"', async (status, title, buttons) => {
    simulateServer({ ...answers, 'GET /api/game/3': { body: { ...game, ...joined, status } } })
    await open()
    const step = await nextStep()
    expect(within(step).getByRole('heading', { name: title })).toBeTruthy()
    for (const name of buttons) expect(within(step).getByRole('button', { name })).toBeTruthy()
  })

  it('the game page links an accepted team to the challenges', async () => {
    simulateServer({ ...answers, 'GET /api/game/3': { body: { ...game, ...joined, status: 'Accepted' } } })
    await open()
    const link = within(await nextStep()).getByRole('link', { name: 'Open challenges' })
    expect(link.getAttribute('href')).toBe('/games/3/challenges')
  })

  it('a player who has no team can enter an invitation code, and then returns to the game', async () => {
    simulateServer({ ...answers, 'GET /api/team': { body: [] } })
    await open()
    expect((await screen.findByRole('link', { name: 'I have a code' })).getAttribute('href')).toBe('/teams?game=3')
  })

  it('the game page counts down to the start, and shows the limits', async () => {
    simulateServer({ ...answers, 'GET /api/game/3': { body: { ...game, start: from(2 * hour), end: from(3 * hour) } } })
    await open()
    expect((await screen.findByRole('timer')).textContent).toMatch(/^0[12]:\d\d:\d\d$/)
    expect(screen.getByText('Up to 4 members')).toBeTruthy()
    expect(screen.getByText('needs an invitation code')).toBeTruthy()
  })

  it('the game page withdraws a pending team only after confirmation', async () => {
    const asked = simulateServer({
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

  it('the dialog shows which input is missing', async () => {
    const other = { ...crew, id: 13, name: 'Day Watch' }
    const asked = simulateServer({
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

  it('the dialog selects the only team, and requires a code if the division has a code', async () => {
    const asked = simulateServer({ ...answers, 'POST /api/game/3': {} })
    const dialog = await openDialog()
    expect(dialog.getByRole<HTMLSelectElement>('combobox', { name: 'Team' }).value).toBe('12')
    await user.selectOptions(dialog.getByRole('combobox', { name: 'Division' }), 'Students')
    await user.type(dialog.getByRole('textbox', { name: 'Invitation code for Students' }), 'secret')
    await user.click(dialog.getByRole('button', { name: 'Join game' }))
    await expect
      .poll(() => asked.find((call) => call.method === 'POST')?.body)
      .toEqual({ teamId: 12, organization: 'Students', inviteCode: 'secret' })
  })

  it('the dialog creates a team and joins with it in one step, and then opens the challenges', async () => {
    const made: (typeof crew)[] = []
    let status = 'Unsubmitted'
    const asked = simulateServer({
      ...answers,
      'GET /api/team': () => ({ body: made }),
      'POST /api/team': () => {
        made.push({ ...crew, name: 'Gulls' })
        return { body: made[0] }
      },
      'POST /api/game/3': () => {
        status = 'Accepted'
        return {}
      },
      'GET /api/game/3': () => ({ body: { ...game, organizations: [], status } }),
    })
    const { address } = await open()
    await user.click(await screen.findByRole('button', { name: 'Create a team and join' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Join Harbour Trials' }))
    await user.click(dialog.getByRole('button', { name: 'Create a team and join' }))
    expect(dialog.getByRole('alert').textContent).toBe('Enter a name for your team')
    await user.type(dialog.getByRole('textbox', { name: 'Team name' }), 'Gulls{Enter}')
    await expect.poll(address).toBe('/games/3/challenges')
    expect(asked.filter(({ method }) => method === 'POST').map(({ address: path, body }) => [path, body])).toEqual([
      ['/api/team', { name: 'Gulls', bio: '' }],
      ['/api/game/3', { teamId: 12, organization: null, inviteCode: null }],
    ])
  })

  it('the dialog retains a new team if the game refuses it, and does not create a second one', async () => {
    const made: (typeof crew)[] = []
    const asked = simulateServer({
      ...answers,
      'GET /api/game/3': { body: { ...game, organizations: [], inviteCodeRequired: true } },
      'GET /api/team': () => ({ body: made }),
      'POST /api/team': () => {
        made.push({ ...crew, name: 'Gulls' })
        return { body: made[0] }
      },
      'POST /api/game/3': { status: 400, body: { title: 'The invitation code is wrong', status: 400, code: 'join.code' } },
    })
    await open()
    await user.click(await screen.findByRole('button', { name: 'Create a team and join' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Join Harbour Trials' }))
    await user.type(dialog.getByRole('textbox', { name: 'Team name' }), 'Gulls')
    await user.type(dialog.getByRole('textbox', { name: /^Invitation code/ }), 'wrong')
    await user.click(dialog.getByRole('button', { name: 'Create a team and join' }))
    expect((await dialog.findByRole('alert')).textContent).toBe('The invitation code is wrong')
    expect(dialog.getByRole<HTMLSelectElement>('combobox', { name: 'Team' }).value).toBe('12')
    await user.click(dialog.getByRole('button', { name: 'Join game' }))
    await expect
      .poll(() => asked.filter(({ method }) => method === 'POST').map((call) => call.address))
      .toEqual(['/api/team', '/api/game/3', '/api/game/3'])
  })

  it('the dialog retains the input after an error', async () => {
    simulateServer({
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

describe('a finished game', () => {
  const time = (hours: number) => from(hours * hour)
  const item = (id: number, name: string, score: number) => ({
    id,
    name,
    bio: null,
    organization: null,
    avatar: null,
    score,
    rank: id,
    organizationRank: null,
    lastSubmissionTime: time(-2),
    solvedChallenges: [{ id: 1, score, type: 'Normal', userName: 'mira', time: time(-2) }],
    solvedCount: 1,
  })
  const blood = { id: 1, name: 'Gulls', avatar: null, submitTimeUtc: null }
  const challenges = Array.from({ length: 12 }, (_, index) => ({
    id: index + 1,
    title: `Task ${index + 1}`,
    category: 'Web',
    score: 100,
    solved: index === 0 ? 3 : 0,
    bloods: index === 0 ? [blood] : [],
  }))
  const scoreboard = {
    updateTimeUtc: time(-1),
    bloodBonus: 0,
    timeLines: {},
    items: [item(1, 'Gulls', 300), item(2, 'Night Watch', 200), item(3, 'Krakens', 100), item(4, 'Late', 0)],
    challenges: { Web: challenges },
    challengeCount: 12,
  }
  const over = { ...game, ...joined, practiceMode: false, status: 'Accepted', start: time(-3), end: time(-1) }

  it("the game page shows the winners, the user's team and the solves of challenges", async () => {
    simulateServer({ ...answers, 'GET /api/game/3': { body: over }, 'GET /api/game/3/scoreboard': { body: scoreboard } })
    await open()
    const podium = await screen.findByRole('list', { name: 'Top three teams' })
    expect(
      within(podium)
        .getAllByRole('listitem')
        .map((place) => place.querySelector('strong')?.textContent),
    ).toEqual(['Gulls', 'Night Watch', 'Krakens'])
    const link = within(await nextStep()).getByRole('link', { name: 'See who won' })
    expect(document.getElementById(link.getAttribute('href')?.slice(1) ?? '')?.contains(podium)).toBe(true)
    expect(screen.getByText('2 of 4')).toBeTruthy()
    expect(screen.getByRole('img', { name: 'Points over time' })).toBeTruthy()
    expect(screen.getByRole('row', { name: /Task 1 Web 100 3 Gulls/ })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show all 12' }))
    expect(screen.getAllByRole('row')).toHaveLength(13)
  })

  it('the game page reports that no team scored', async () => {
    simulateServer({
      ...answers,
      'GET /api/game/3': { body: over },
      'GET /api/game/3/scoreboard': { body: { ...scoreboard, items: [], challenges: {}, challengeCount: 0 } },
    })
    await open()
    expect(await screen.findByText('No team has scored.')).toBeTruthy()
  })
})

describe('the writeup on the game page', () => {
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

  it('the writeup is the next step after the end, until it is submitted', async () => {
    simulateServer({
      ...answers,
      'GET /api/game/3': { body: over },
      'GET /api/game/3/details': board(from(hour)),
      'GET /api/game/3/writeup': missing,
    })
    await open()
    expect(await screen.findByRole('link', { name: 'Submit writeup' })).toBeTruthy()
    expect(await screen.findByText('Not submitted yet')).toBeTruthy()
  })

  it('the upload of a writeup refuses a file that is not a PDF', async () => {
    simulateServer({
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

  it.each([
    [-1000, 'Submission deadline has passed', false],
    [hour, 'Submit writeup', true],
  ] as const)(
    'a team can submit a writeup after the end of the game if the deadline has not passed: %i ms left',
    async (away, text, isDue) => {
      simulateServer({
        ...answers,
        'GET /api/game/3': { body: { ...over, practiceMode: false } },
        'GET /api/game/3/writeup': missing,
        'GET /api/game/3/writeup/deadline': { body: { writeupDeadline: from(away) } },
      })
      await open()
      expect(await screen.findByText(text)).toBeTruthy()
      expect(screen.queryByLabelText(/Drop a PDF here/) !== null).toBe(isDue)
      expect(screen.queryByText('Set by the organizers')).toBeNull()
    },
  )

  it('the writeup cannot be submitted after the deadline', async () => {
    simulateServer({
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
