import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { describe, expect, it } from 'vitest'
import { useToasts } from '../../../components/ui/toast.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route as CheatInfo } from './cheat-info.tsx'
import { Route as Events } from './events.tsx'
import { Route as Desk } from './start.tsx'
import { Route as Submissions } from './submissions.tsx'
import { Route as Traffic } from './traffic.tsx'

const user = userEvent.setup()
const game = { id: 1, title: 'Harbour Trials', start: '2026-01-01T00:00:00Z', end: '2126-01-01T00:00:00Z' }
const monitorServer = {
  'GET /api/game/1': { body: game },
  'GET /api/account/profile': { body: { userId: 'x', userName: 'eye', role: 'Monitor' } },
}
function open(content: ReactNode, query = '') {
  return renderInApp(content, {
    at: `/games/1/here${query}`,
    pattern: '/games/:id/here',
    areas: ['monitor', 'live-list', 'challenge-health', 'scoreboard'],
  })
}

function submission(user: string, status: string, second: number) {
  return {
    ...{ id: second, userId: 'u', teamId: second + 20, challengeId: 3 },
    answer: `flag{${user}}`,
    status,
    time: `2026-05-01T12:00:0${second}Z`,
    user,
    team: `Team of ${user}`,
    challenge: 'Winch Lock',
  }
}

const choices = {
  'GET /api/game/1/monitor/teams': { body: [{ id: 21, name: 'Team of mira', status: 'Suspended' }] },
  'GET /api/game/1/monitor/challenges': {
    body: [
      {
        ...{ id: 3, title: 'Winch Lock', category: 'Pwn', type: 'StaticAttachment', isEnabled: true },
        ...{ score: 100, solved: 0, instances: null },
      },
    ],
  },
}
function found(...data: readonly ReturnType<typeof submission>[]) {
  return { body: { data, total: data.length } }
}
const lists = 'GET /api/game/1/monitor/submissions'

describe('the submissions page', () => {
  it('the server searches and filters the submissions, and the address stores the filters', async () => {
    const asked = simulateServer({
      ...{ ...monitorServer, ...choices },
      [lists]: found(submission('noor', 'WrongAnswer', 2), submission('mira', 'WrongAnswer', 1)),
    })
    const page = await open(<Submissions />)
    const last = () => asked.findLast(({ address }) => address.includes('/submissions'))?.address
    await user.click(await screen.findByRole('radio', { name: 'Wrong' }))
    await screen.findByRole('option', { name: 'Team of mira' })
    await user.selectOptions(screen.getByRole('combobox', { name: 'Team' }), 'Team of mira')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Challenge' }), 'Winch Lock')
    await user.type(screen.getByRole('searchbox'), 'a%b c')
    await waitFor(() =>
      expect(last()).toBe('/api/game/1/monitor/submissions?hint=a%25b+c&team=21&challenge=3&count=100&skip=0&type=WrongAnswer'),
    )
    await waitFor(() => expect(page.address()).toBe('/games/1/here?status=WrongAnswer&team=21&challenge=3&q=a%25b+c'))
    expect(screen.getByText('2 results')).toBeTruthy()
  })

  it('the submissions page filters by the team, challenge and time in the address, and can clear all filters', async () => {
    const asked = simulateServer({ ...monitorServer, ...choices, [lists]: { body: { data: [], total: 0 } } })
    const page = await open(<Submissions />, '?team=5&challenge=x&from=2026-05-01T10:00:00.000Z&status=Accepted')
    expect(await screen.findByRole('heading', { name: 'No results' })).toBeTruthy()
    expect(asked.find(({ address }) => address.includes('/submissions'))?.address).toBe(
      '/api/game/1/monitor/submissions?team=5&from=2026-05-01T10%3A00%3A00.000Z&count=100&skip=0&type=Accepted',
    )
    await user.click(screen.getByRole('button', { name: 'Clear filters' }))
    await waitFor(() => expect(page.address()).toBe('/games/1/here'))
    expect(await screen.findByRole('heading', { name: 'No submissions yet' })).toBeTruthy()
  })

  it('the names of teams and users are links to admin pages only if the viewer is an admin', async () => {
    simulateServer({ ...monitorServer, ...choices, [lists]: found(submission('mira', 'Accepted', 1)) })
    const first = await open(<Submissions />)
    const linksOf = async () =>
      within((await screen.findByRole('rowheader', { name: 'Team of mira' })).closest('tr') as HTMLElement)
        .getAllByRole('link')
        .map((link) => link.getAttribute('href'))
    expect(await linksOf()).toEqual([
      '/games/1/monitor/submissions?team=21',
      '/games/1/monitor/submissions?q=mira',
      '/games/1/challenges/3',
    ])
    first.unmount()
    const admin = { 'GET /api/account/profile': { body: { userId: 'x', userName: 'root', role: 'Admin' } } }
    simulateServer({ ...monitorServer, ...choices, ...admin, [lists]: found(submission('mira', 'Accepted', 1)) })
    await open(<Submissions />)
    await waitFor(async () =>
      expect(await linksOf()).toEqual(['/admin/games/1/review?team=21', '/admin/users?q=mira', '/admin/games/1/challenges/3']),
    )
  })

  it('an admin can revoke a solve with a reason, and undo the revocation', async () => {
    const admin = { 'GET /api/account/profile': { body: { userId: 'x', userName: 'root', role: 'Admin' } } }
    const asked = simulateServer({
      ...{ ...monitorServer, ...choices, ...admin },
      [lists]: found(submission('mira', 'Accepted', 1), submission('noor', 'WrongAnswer', 2)),
      'POST /api/edit/games/1/corrections': { body: { id: 9 } },
      'DELETE /api/edit/games/1/corrections/9': { body: { id: 9 } },
    })
    await open(<Submissions />)
    await user.click(await screen.findByRole('button', { name: 'Take back the solve of Winch Lock by Team of mira' }))
    expect(screen.queryByRole('button', { name: /by Team of noor/ })).toBeNull()
    const dialog = within(screen.getByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Take a solve back' }))
    expect(asked.some(({ method }) => method === 'POST')).toBe(false)
    await user.type(dialog.getByLabelText('Reason'), 'Shared flag')
    await user.click(dialog.getByRole('button', { name: 'Take a solve back' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
      ...{ teamId: 21, challengeId: 3, kind: 'TakenBack', reason: 'Shared flag' },
    })
    useToasts.getState().toasts.at(-1)?.action?.run()
    await waitFor(() => expect(asked.some(({ method }) => method === 'DELETE')).toBe(true))
  })

  it('a user with the role Monitor cannot take back a solve', async () => {
    simulateServer({ ...monitorServer, ...choices, [lists]: found(submission('mira', 'Accepted', 1)) })
    await open(<Submissions />)
    await screen.findByRole('rowheader', { name: 'Team of mira' })
    expect(screen.queryByRole('button', { name: /^Take back the solve/ })).toBeNull()
  })

  it('the submissions page shows dates if the game lasts more than a day', async () => {
    simulateServer({ ...monitorServer, ...choices, [lists]: found(submission('mira', 'Accepted', 1)) })
    await open(<Submissions />)
    const row = (await screen.findByRole('rowheader', { name: 'Team of mira' })).closest('tr')
    expect(row?.querySelector('time')?.textContent).toMatch(/^May 1, \d\d:00:01$/)
  })

  it('the user can pause the list, and can save the submissions as XLSX and CSV files', async () => {
    simulateServer({ ...monitorServer, ...choices, [lists]: found(submission('mira', 'Accepted', 1)) })
    await open(<Submissions />)
    await screen.findByRole('rowheader', { name: 'Team of mira' })
    await user.click(screen.getByRole('button', { name: 'Pause' }))
    expect(screen.getByText('Paused')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Resume' }))
    await user.click(screen.getByRole('button', { name: 'Download spreadsheet' }))
    const menu = await screen.findByRole('menu')
    expect(
      within(menu)
        .getAllByRole('menuitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['XLSX', 'CSV'])
  })

  it('the submissions page shows which data could not be read', async () => {
    const down = { status: 500, body: { title: 'Unknown error', status: 500 } }
    simulateServer({ ...monitorServer, [lists]: down })
    await open(<Submissions />)
    expect(await screen.findByRole('heading', { name: 'Failed to fetch submissions' })).toBeTruthy()
  })

  it('the submissions page sends no requests before the game starts', async () => {
    const asked = simulateServer({ 'GET /api/game/1': { body: { ...game, start: '2125-01-01T00:00:00Z' } } })
    await open(<Submissions />)
    expect(await screen.findByText('Monitoring starts when the game does')).toBeTruthy()
    expect(asked.some(({ address }) => address.includes('/submissions'))).toBe(false)
  })
})

describe('the dashboard of a game', () => {
  const desk = {
    time: '2026-05-01T12:00:00Z',
    minutes: Array.from({ length: 60 }, (_, minute) => ({ submissions: minute === 58 ? 10 : 0, accepted: 0, starts: 0 })),
    instances: { running: 7, starting: 1, failing: 0, tests: 0 },
    failures: [
      {
        ...{ challengeId: 3, challenge: 'Winch Lock', image: 'winch:1', count: 2, lastAt: '2026-05-01T11:59:00Z' },
        reason: 'The image could not be downloaded.',
      },
    ],
    review: { waiting: 3, since: '2026-05-01T11:00:00Z' },
    cheats: { lastHour: 0, total: 0 },
    bloods: [{ time: '2026-05-01T11:58:00Z', type: 'FirstBlood', team: 'Reds', challenge: 'Heap' }],
    challenges: [
      { ...{ id: 3, title: 'Winch Lock', category: 'Web', score: 400 }, ...{ solved: 4, right: 1, wrong: 2, teams: 3 } },
      { ...{ id: 4, title: 'Fog', category: 'Pwn', score: 500 }, ...{ solved: 0, right: 0, wrong: 30, teams: 6 } },
    ],
    movers: [{ teamId: 7, team: 'Greens', rank: 4, score: 900, gained: 400, solves: 1 }],
    stuck: [{ teamId: 8, team: 'Blues & Co', wrong: 21, challenge: 'Fog', lastSolveAt: null }],
    suspicions: [{ time: '2026-05-01T11:59:30Z', team: 'Thieves', owner: 'Reds', challenge: 'Heap' }],
    summary: {
      ...{ teams: 12, scored: 5, solves: 160 },
      leaders: [{ teamId: 9, team: 'Champions', rank: 1, score: 2_000, solved: 9 }],
    },
    connections: { gateways: 1, players: 40, monitors: 2, proxied: 5 },
    hasCertificates: true,
  }

  it('the dashboard shows failures first, and then the activity of the last hour', async () => {
    simulateServer({ ...monitorServer, 'GET /api/game/1/desk': { body: desk } })
    await open(<Desk />)
    const concerns = within(await screen.findByRole('region', { name: 'Needs attention' })).getAllByRole('listitem')
    expect(concerns[0]?.textContent).toContain('Winch Lock failed to start 2 times in the last hour')
    expect(concerns[1]?.textContent).toContain('No team has solved Fog')
    expect(concerns[2]?.textContent).toContain('3 teams are waiting for review')
    const submissions = within(screen.getByRole('region', { name: 'Submissions' }))
    expect(submissions.getByRole('img', { name: /10 in the last hour, at most 10 in one minute/ })).toBeTruthy()
    expect(submissions.getByText('2')).toBeTruthy()
    const feed = within(screen.getByRole('region', { name: 'First bloods and alerts' })).getAllByRole('listitem')
    expect(feed.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('ThievesFlag of Reds for Heap'),
      expect.stringContaining('RedsHeap'),
    ])
    expect(within(screen.getByRole('region', { name: 'Top movers' })).getByText('+400')).toBeTruthy()
    const stuck = within(screen.getByRole('region', { name: 'Stuck teams' }))
    expect(stuck.getByRole('link', { name: 'Blues & Co' }).getAttribute('href')).toBe('/games/1/monitor/submissions?team=8')
    expect(screen.queryByText(/gateway|proxied/i)).toBeNull()
  })

  it('the dashboard shows the live board during a freeze, also for past minutes, and can show the frozen board', async () => {
    const boardOf = (score: number) => ({
      updateTimeUtc: '2026-05-01T12:00:00Z',
      items: [{ ...{ id: 9, name: 'Champions', rank: 1, score }, solvedChallenges: [] }],
      ...{ challenges: {}, timeLines: { all: [] }, bloodBonus: 0, challengeCount: 0 },
    })
    const asked = simulateServer({
      ...monitorServer,
      'GET /api/game/1': { body: { ...game, freeze: Date.parse('2026-04-01T00:00:00Z') } },
      'GET /api/game/1/desk': { body: desk },
      'GET /api/game/1/scoreboard': ({ address }) => ({ body: boardOf(address.includes('view=live') ? 700 : 500) }),
      'GET /api/game/1/scoreboard/past': { body: boardOf(300) },
    })
    await open(<Desk />)
    const standings = within(await screen.findByRole('region', { name: 'Standings' }))
    await standings.findByText('700')
    await user.click(standings.getByRole('radio', { name: 'Frozen' }))
    await standings.findByText('500')
    await user.click(standings.getByRole('radio', { name: 'Live' }))
    fireEvent.change(standings.getByRole('slider', { name: 'Time of the board' }), {
      target: { value: String(Date.parse(game.start)) },
    })
    await standings.findByText('300')
    expect(asked.some(({ address }) => /past\?view=live&at=\d+$/.test(address))).toBe(true)
  })

  it('the dashboard shows a summary after the game has ended', async () => {
    const over = { ...game, end: '2026-02-01T00:00:00Z' }
    simulateServer({
      ...monitorServer,
      'GET /api/game/1': { body: over },
      'GET /api/game/1/desk': { body: { ...desk, failures: [] } },
    })
    await open(<Desk />)
    const figures = within(await screen.findByRole('region', { name: 'The game in figures' }))
    expect(figures.getByText('160')).toBeTruthy()
    expect(within(screen.getByRole('region', { name: 'Top three' })).getByText('Champions')).toBeTruthy()
    expect(within(screen.getByRole('region', { name: 'Never solved' })).getByText('Fog')).toBeTruthy()
    expect(screen.queryByRole('region', { name: 'Stuck teams' })).toBeNull()
  })

  it('the dashboard of a game without events shows "All clear" and explains each empty list', async () => {
    const quiet = {
      ...desk,
      minutes: desk.minutes.map(() => ({ submissions: 0, accepted: 0, starts: 0 })),
      instances: { running: 0, starting: 0, failing: 0, tests: 0 },
      review: { waiting: 0, since: null },
      ...{ failures: [], bloods: [], challenges: [], movers: [], stuck: [], suspicions: [] },
    }
    simulateServer({ ...monitorServer, 'GET /api/game/1/desk': { body: quiet } })
    await open(<Desk />)
    expect((await screen.findByText('All clear')).getAttribute('role')).toBe('status')
    const textOf = (name: string) => screen.getByRole('region', { name }).textContent
    expect(textOf('Submissions')).toContain('0 in the last hour')
    expect(textOf('Solves by challenge')).toContain('No challenge is enabled yet.')
    expect(textOf('Top movers')).toContain('No team has scored in the last hour.')
    expect(textOf('Stuck teams')).toContain('No team is stuck right now.')
    expect(textOf('First bloods and alerts')).toContain('No challenge has been solved yet.')
    expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull()
  })

  it('the dashboard announces the start of monitoring if the game has not started', async () => {
    const early = { ...game, start: '2125-01-01T00:00:00Z' }
    const quiet = {
      ...desk,
      minutes: desk.minutes.map(() => ({ submissions: 0, accepted: 0, starts: 0 })),
      instances: { running: 0, starting: 0, failing: 0, tests: 1 },
      ...{ failures: [], bloods: [], movers: [], stuck: [], suspicions: [] },
      challenges: desk.challenges.map((challenge) => ({ ...challenge, solved: 0, right: 0, wrong: 0 })),
    }
    simulateServer({ ...monitorServer, 'GET /api/game/1': { body: early }, 'GET /api/game/1/desk': { body: quiet } })
    await open(<Desk />)
    expect(await screen.findByRole('heading', { name: 'Monitoring starts when the game does' })).toBeTruthy()
    expect(screen.getByText(/^Jan 1, 2125/)).toBeTruthy()
    expect(screen.getByText(/activity, solves, stuck teams, and alerts/)).toBeTruthy()
    // Data that was read before remains visible.
    const textOf = (name: string) => screen.getByRole('region', { name }).textContent
    expect(textOf('Needs attention')).toContain('3 teams are waiting for review')
    expect(textOf('Taking part')).toBe('Taking partteams accepted12challenges enabled2')
    expect(textOf('Instances')).toContain('test instances1')
    expect(screen.queryByText(/All clear/)).toBeNull()
    for (const name of ['Submissions', 'Solves by challenge', 'Stuck teams', 'First bloods and alerts'])
      expect(screen.queryByRole('region', { name })).toBeNull()
  })

  it('the dashboard of a past game shows an empty summary if no team took part', async () => {
    const over = { ...game, end: '2026-02-01T00:00:00Z' }
    const summary = { teams: 0, scored: 0, solves: 0, leaders: [] }
    const quiet = { ...desk, failures: [], challenges: [], review: { waiting: 0, since: null }, summary }
    simulateServer({ ...monitorServer, 'GET /api/game/1': { body: over }, 'GET /api/game/1/desk': { body: quiet } })
    await open(<Desk />)
    expect((await screen.findByRole('region', { name: 'Top three' })).textContent).toContain('No team solved a challenge.')
    expect(screen.getByRole('region', { name: 'Never solved' }).textContent).toContain('No challenge is enabled yet.')
    expect(screen.queryByText(/All clear/)).toBeNull()
  })

  it('the dashboard shows an error and a button to try again if the data cannot be read', async () => {
    const failing = { ...monitorServer, 'GET /api/game/1/desk': { status: 500, body: { title: 'Out of order', status: 500 } } }
    simulateServer(failing)
    await open(<Desk />)
    expect((await screen.findByRole('alert')).textContent).toContain('Out of order')
    simulateServer({ ...monitorServer, 'GET /api/game/1/desk': { body: desk } })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText(/failed to start/)).toBeTruthy()
  })

  it('the dashboard fills the screen until Escape is pressed', async () => {
    simulateServer({ ...monitorServer, 'GET /api/game/1/desk': { body: desk } })
    await open(<Desk />)
    await user.click(await screen.findByRole('button', { name: 'Big-screen mode' }))
    const wall = within(screen.getByRole('dialog', { name: 'Dashboard' }))
    expect(wall.getByRole('heading', { name: 'Harbour Trials' })).toBeTruthy()
    expect(wall.getByText(/failed to start/)).toBeTruthy()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Big-screen mode' }))
  })

  it('the link of a failure leads to an admin page only if the viewer is an admin', async () => {
    simulateServer({ ...monitorServer, 'GET /api/game/1/desk': { body: desk } })
    const first = await open(<Desk />)
    await screen.findByText(/failed to start/)
    expect(screen.getAllByRole('link', { name: 'Open challenge' }).map((link) => link.getAttribute('href'))).toEqual([
      '/games/1/challenges/3',
      '/games/1/challenges/4',
    ])
    expect(screen.queryByRole('link', { name: 'Review teams' })).toBeNull()
    first.unmount()
    simulateServer({
      ...monitorServer,
      'GET /api/account/profile': { body: { userId: 'x', userName: 'root', role: 'Admin' } },
      'GET /api/game/1/desk': { body: desk },
    })
    await open(<Desk />)
    expect((await screen.findAllByRole('link', { name: 'Open challenge' })).map((link) => link.getAttribute('href'))).toEqual([
      '/admin/games/1/challenges/3?section=container',
      '/admin/games/1/challenges/4?section=flags',
    ])
    expect(screen.getByRole('link', { name: 'Review teams' })).toBeTruthy()
  })
})

describe('the events page', () => {
  const event = (id: number, type: string, values: string[]) => ({
    ...{ id, type, values, time: `2026-05-01T12:00:0${id}Z` },
    ...{ user: 'mira', userId: 'u', team: 'Reds', teamId: 1, challengeId: 3 },
  })

  it('the server filters the events, and the page describes each event', async () => {
    const asked = simulateServer({
      ...{ ...monitorServer, ...choices },
      'GET /api/game/1/monitor/events': {
        body: {
          data: [
            event(3, 'CheatDetected', ['Winch Lock', 'Reds', 'Blues']),
            event(2, 'FlagSubmit', ['WrongAnswer', 'flag{x}', 'Winch Lock', '3']),
            event(1, 'ContainerStart', ['3', 'Winch Lock']),
          ],
          total: 3,
        },
      },
    })
    await open(<Events />)
    const last = () => asked.findLast(({ address }) => address.includes('/events'))?.address
    expect(await screen.findByText('submitted a flag of Blues for')).toBeTruthy()
    expect(screen.getByText('flag{x}')).toBeTruthy()
    await user.click(screen.getByRole('switch', { name: 'Hide instances' }))
    await waitFor(() => expect(last()).toBe('/api/game/1/monitor/events?count=100&skip=0&hideContainer=true'))
    await user.click(screen.getByRole('radio', { name: 'Instances' }))
    await waitFor(() => expect(last()).toBe('/api/game/1/monitor/events?count=100&skip=0&kind=instances'))
  })
})

describe('the cheat page', () => {
  const ref = (id: number, name: string) => ({
    ...{ id: id * 10, team: { id, name, avatar: null }, status: 'Accepted', organization: null },
  })
  const pair = {
    ...{ owner: ref(1, 'Reds'), submitter: ref(2, 'Blues'), isMutual: false, count: 1 },
    records: [{ ownerTeamId: 1, submission: { ...submission('noor', 'CheatDetected', 1), teamId: 2, team: 'Blues' } }],
  }
  const server = { ...monitorServer, ...choices, 'GET /api/game/1/monitor/cheats': { body: { data: [pair], total: 1 } } }
  const asAdmin = { 'GET /api/account/profile': { body: { userId: 'x', userName: 'root', role: 'Admin' } } }

  it('a user with the role Monitor can view the cheat page, but cannot suspend a team', async () => {
    simulateServer(server)
    await open(<CheatInfo />)
    const region = within(await screen.findByRole('region', { name: 'Reds and Blues' }))
    const headings = region.getAllByRole('columnheader').map(({ textContent }) => textContent)
    expect(headings).toEqual(['Time', 'Source team', 'Submitting team', 'Submitting user', 'Challenge', 'Flag'])
    expect(region.getByRole('rowheader', { name: 'noor' })).toBeTruthy()
    expect(region.getAllByRole('link', { name: 'Reds' })[0]?.getAttribute('href')).toBe('/games/1/monitor/submissions?team=1')
    expect(region.queryByRole('button', { name: /^Suspend/ })).toBeNull()
  })

  it('an admin can suspend a team and undo the suspension', async () => {
    const asked = simulateServer({
      ...{ ...server, ...asAdmin },
      'PUT /api/admin/participation/20/Suspended': {},
      'PUT /api/admin/participation/20/Accepted': {},
    })
    await open(<CheatInfo />)
    const region = within(await screen.findByRole('region', { name: 'Reds and Blues' }))
    expect(region.getAllByRole('link', { name: 'Blues' })[0]?.getAttribute('href')).toBe('/admin/games/1/review?team=2')
    await user.click(await region.findByRole('button', { name: 'Suspend Blues' }))
    const changes = () => asked.filter(({ method }) => method === 'PUT').map(({ address }) => address)
    await waitFor(() => expect(changes()).toEqual(['/api/admin/participation/20/Suspended']))
    await waitFor(() => expect(useToasts.getState().toasts.at(-1)?.title).toBe('Blues is suspended'))
    useToasts.getState().toasts.at(-1)?.action?.run()
    await waitFor(() => expect(changes().at(-1)).toBe('/api/admin/participation/20/Accepted'))
  })

  it('the cheat page compares the times at which two teams solved the same challenges', async () => {
    simulateServer({
      ...server,
      [lists]: ({ address }) =>
        found({
          ...submission('mira', 'Accepted', 1),
          time: address.includes('team=1') ? '2026-05-01T12:00:00Z' : '2026-05-01T12:05:02Z',
        }),
    })
    await open(<CheatInfo />)
    await user.click(await screen.findByRole('button', { name: 'Compare' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Compare Reds and Blues' }))
    expect((await dialog.findByRole('rowheader', { name: 'Winch Lock' })).closest('tr')?.textContent).toContain('5 min 2 sec')
  })
})

describe('the traffic page', () => {
  const server = {
    ...monitorServer,
    'GET /api/game/games/1/captures': {
      body: [{ id: 3, title: 'Winch Lock', category: 'Pwn', type: 'DynamicContainer', isEnabled: true, count: 1 }],
    },
    'GET /api/game/captures/3': {
      body: [{ id: 10, teamId: 1, name: 'Reds', organization: null, avatar: null, count: 1 }],
    },
    'GET /api/game/captures/3/10/counted': {
      body: [{ fileName: 'a1.pcap', size: 1500, updateTime: '2026-05-01T12:00:00Z', packets: 12_345, container: null }],
    },
  }

  it('the traffic page finds recordings by challenge and team, and can download and delete them', async () => {
    const asked = simulateServer({ ...server, 'DELETE /api/game/captures/3/10/a1.pcap': {} })
    const page = await open(<Traffic />)
    await user.click(await screen.findByRole('button', { name: /Winch Lock/ }))
    await user.click(await screen.findByRole('button', { name: /Reds/ }))
    expect(page.address()).toBe('/games/1/here?challenge=3&team=10')
    const file = await screen.findByRole('link', { name: 'Download a1.pcap' })
    expect(file.getAttribute('href')).toBe('/api/game/captures/3/10/a1.pcap')
    expect(screen.getByRole('link', { name: 'Download all' }).getAttribute('href')).toBe('/api/game/captures/3/10/all')
    await user.click(screen.getByRole('button', { name: 'Delete a1.pcap' }))
    await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete file' }))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
    expect(asked.some(({ method }) => method === 'DELETE')).toBe(true)
  })

  it('the traffic page shows the packets per file and in total, newest file first, and marks uncounted files', async () => {
    const file = (fileName: string, minute: number, packets: number | null) => ({
      ...{ fileName, size: 1500, packets, container: null },
      updateTime: `2026-05-01T12:0${minute}:00Z`,
    })
    const counted = [file('a1.pcap', 1, 12_345), file('a2.pcap', 3, 678), file('a0.pcap', 0, null)]
    simulateServer({ ...server, 'GET /api/game/captures/3/10/counted': { body: counted } })
    await open(<Traffic />, '?challenge=3&team=10')
    const table = within(await screen.findByRole('table'))
    const [head, ...rows] = table.getAllByRole('row').map(({ children }) => [...children].map(({ textContent }) => textContent))
    expect(head?.slice(0, 3)).toEqual(['File', 'Size', 'Packets'])
    expect(rows.map(([name, , packets]) => [name, packets])).toEqual([
      ['a2.pcap', '678'],
      ['a1.pcap', '12,345'],
      ['a0.pcap', '–'],
    ])
    expect(screen.getByText(/3 files · .* in total · 13,023 packets/)).toBeTruthy()
  })

  it('the traffic page groups files by container, and can download one container or all containers as one file', async () => {
    const file = (fileName: string, container: string, minute: number) => ({
      ...{ fileName, size: 1500, packets: 1, container },
      updateTime: `2026-05-01T12:0${minute}:00Z`,
    })
    const counted = [file('a-page.pcap', 'page', 1), file('a-db.pcap', 'db', 0), file('b-page.pcap', 'page', 2)]
    simulateServer({ ...server, 'GET /api/game/captures/3/10/counted': { body: counted } })
    await open(<Traffic />, '?challenge=3&team=10')
    const [, ...rows] = within(await screen.findByRole('table')).getAllByRole('row')
    expect(rows.map(({ children }) => [children[0]?.textContent, children[1]?.textContent])).toEqual([
      ['a-db.pcap', 'db'],
      ['b-page.pcap', 'page'],
      ['a-page.pcap', 'page'],
    ])
    const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href')
    const merged = '/api/game/captures/3/10/merged'
    expect([hrefOf('All in one file'), hrefOf('Download all files of page as one file')]).toEqual([
      merged,
      `${merged}?container=page`,
    ])
    expect(within(screen.getByRole('list', { name: 'Recorded in' })).getAllByRole('listitem')).toHaveLength(2)
  })

  it('the traffic page lists the proxy connections, which the server filters', async () => {
    const connection = {
      ...{ id: 'c1', instanceId: 'i1', challengeId: 3, challengeTitle: 'Winch Lock', participationId: 10, teamName: 'Reds' },
      ...{ userName: null, clientAddress: '203.0.113.7', bytesSent: 1500, bytesReceived: 20 },
      ...{ openedAt: '2026-05-01T12:00:00Z', closedAt: '2026-05-01T12:01:05Z' },
    }
    const byName = { ...connection, id: 'c2', teamName: 'Blues', way: 'tls' }
    const asked = simulateServer({ ...server, 'GET /api/game/games/1/connections': { body: [connection, byName] } })
    await open(<Traffic />, '?challenge=3&team=10&view=connections')
    const row = (await screen.findByRole('rowheader', { name: 'Reds' })).closest('tr')
    const wayOf = (team: string) => {
      const at = screen.getAllByRole('columnheader').findIndex(({ textContent }) => textContent === 'Route')
      return screen.getByRole('rowheader', { name: team }).closest('tr')?.cells[at]?.textContent
    }
    expect([wayOf('Reds'), wayOf('Blues')]).toEqual(['–', 'TLS'])
    expect(row?.textContent).toContain('not logged in')
    expect(row?.textContent).toContain('01:05')
    await user.click(screen.getByRole('radio', { name: 'Open now' }))
    await waitFor(() =>
      expect(asked.at(-1)?.address).toBe('/api/game/games/1/connections?count=100&skip=0&challenge=3&participation=10&open=true'),
    )
  })

  it('the traffic page warns about incomplete recordings and lists them', async () => {
    const figures = { files: 3, bytes: 4000, packets: 90, droppedPackets: 2, lostFiles: 0, lostBytes: 0, gaps: 1 }
    const instance = {
      ...{ instanceId: 'i1', challengeId: 3, challengeTitle: 'Winch Lock', participationId: 10, teamId: 1, teamName: 'Reds' },
      ...{
        state: 'Failing',
        reason: 'NotFetched',
        message: 'The recordings cannot be fetched.',
        startedAt: '2026-05-01T12:00:00Z',
      },
      ...{ endedAt: null, collectedAt: null, ...figures },
    }
    const health = { recorder: 'Available', message: null, totals: figures, instances: [instance] }
    simulateServer({ ...server, 'GET /api/game/games/1/captures/health': { body: health } })
    await open(<Traffic />)
    expect((await screen.findByRole('alert')).textContent).toContain(
      'The traffic of 1 instance is not being recorded. 2 packets were dropped. 1 stretch of time is missing.',
    )
    await user.click(screen.getByRole('radio', { name: 'Recorder' }))
    expect(screen.getByRole('rowheader', { name: 'Reds' }).closest('tr')?.textContent).toContain('cannot be fetched')
  })

  it('the traffic page explains why recording is impossible, even if there are no challenges to record', async () => {
    const totals = { files: 0, bytes: 0, packets: 0, droppedPackets: 0, lostFiles: 0, lostBytes: 0, gaps: 0 }
    const health = { recorder: 'SwitchedOff', message: 'Off.', totals, instances: [] }
    simulateServer({
      ...monitorServer,
      'GET /api/game/games/1/captures': { body: [] },
      'GET /api/game/games/1/captures/health': { body: health },
    })
    const recorder = await open(<Traffic />, '?view=recorder')
    expect(await screen.findByText('Nothing is being recorded right now')).toBeTruthy()
    recorder.unmount()
    // The list does not suggest a feature that is disabled for the platform.
    await open(<Traffic />)
    expect(await screen.findByText('Traffic recording is turned off in the server configuration.')).toBeTruthy()
  })

  it('the traffic page reports that the server has no recordings of a challenge', async () => {
    simulateServer({ ...server, 'GET /api/game/captures/3': { status: 404, body: { title: 'None', status: 404 } } })
    await open(<Traffic />, '?challenge=3')
    expect(await screen.findByText('Nothing recorded yet')).toBeTruthy()
  })
})
