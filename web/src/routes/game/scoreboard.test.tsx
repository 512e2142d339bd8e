import type { BoardChanges } from '@capstan/contract/board-changes'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { useChartPreference } from '../../features/scoreboard/chart-preference.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { Route } from './scoreboard.tsx'

const user = userEvent.setup()
const hour = 3_600_000
function inHours(hours: number) {
  return new Date(Date.now() + hours * hour).toISOString()
}

function game(start: number, end: number) {
  return {
    id: 3,
    title: 'Harbour Trials',
    status: 'Accepted',
    teamName: 'Winches',
    practiceMode: true,
    start: inHours(start),
    end: inHours(end),
  }
}

function team(id: number, name: string, more: Partial<ScoreboardTeam> = {}): ScoreboardTeam {
  return {
    id,
    name,
    bio: null,
    organization: null,
    avatar: null,
    score: 0,
    rank: id,
    organizationRank: null,
    lastSubmissionTime: '0001-01-01T00:00:00+00:00',
    solvedChallenges: [],
    solvedCount: 0,
    ...more,
  }
}

const board: Scoreboard = {
  updateTimeUtc: inHours(-1),
  bloodBonus: 52459530,
  timeLines: { all: [], Students: [] },
  items: [
    team(1, 'Anchors', {
      score: 105,
      solvedCount: 1,
      solvedChallenges: [{ id: 9, score: 105, type: 'FirstBlood', userName: 'mira', time: inHours(-0.5) }],
    }),
    team(2, 'Bollards', { organization: 'Students', organizationRank: 1 }),
    team(3, 'Winches', { organization: 'Students', organizationRank: 2 }),
  ],
  challenges: {
    Web: [
      { id: 9, title: 'Salvage', category: 'Web', score: 100, solved: 1, bloods: [], disableBloodBonus: false, deadline: null },
    ],
  },
  challengeCount: 1,
}

const nothing: BoardChanges = {
  ...{ version: 'v2', whole: false, updateTimeUtc: inHours(-1), teams: [], removed: [], challenges: [], ties: [] },
}
const visitor = { status: 401, body: { title: 'Please log in first', status: 401, code: 'session.required' } }
function open(answers: Parameters<typeof simulateServer>[0], query = '') {
  const asked = simulateServer({ 'GET /api/account/profile': visitor, 'GET /api/game/3': { body: game(-2, 2) }, ...answers })
  return renderInApp(<Route />, { at: `/games/3${query}`, pattern: '/games/:id', areas: ['scoreboard'] }).then((page) => ({
    ...page,
    asked,
  }))
}

beforeEach(() => useChartPreference.setState(useChartPreference.getInitialState()))

describe('the scoreboard before the start of the game', () => {
  it('the scoreboard counts down to the start of the game, and reads no board', async () => {
    const { asked } = await open({ 'GET /api/game/3': { body: game(1, 2) } })
    await screen.findByRole('heading', { name: 'The scoreboard opens when the game starts' })
    expect(screen.getByRole('timer')).toBeTruthy()
    expect(asked.some(({ address }) => address.includes('scoreboard'))).toBe(false)
  })

  it('the scoreboard waits for the start if the server responds that the game has not started', async () => {
    const refusal = { status: 400, body: { title: 'Game not yet started', status: 400, code: 'game.before-start' } }
    await open({ 'GET /api/game/3/scoreboard': refusal })
    await screen.findByText('The game is starting')
  })
})

describe('a large scoreboard', () => {
  const leading = { ...board, items: board.items.slice(0, 2), teamCount: 3 }
  const whole = 'GET /api/game/3/scoreboard'
  const parts = { 'GET /api/game/3/scoreboard/leading': { body: leading } }

  it('a large scoreboard shows the leading teams first, and all teams when the other teams have loaded', async () => {
    await open({ ...parts, [whole]: { body: board } })
    await screen.findByText('3 teams')
    expect(screen.getByRole('row', { name: /Winches/ })).toBeTruthy()
  })

  it('a large scoreboard shows an error beside the leading teams if the other teams fail to load', async () => {
    await open({ ...parts, [whole]: { status: 500, body: { title: 'Something went wrong', status: 500, code: 'server.fault' } } })
    await screen.findByText('2 of 3 teams')
    await screen.findByText('Something went wrong')
    expect(screen.queryByRole('row', { name: /Anchors/ })).toBeNull()
  })

  it('a large scoreboard is not read in full if the first read already contains all teams', async () => {
    const { asked } = await open({
      'GET /api/game/3/scoreboard/leading': { body: { ...board, teamCount: 3 }, headers: { 'X-Board-Version': 'v1' } },
      'GET /api/game/3/scoreboard/rows': { body: { ...nothing, version: 'v1' } },
    })
    await screen.findByText('3 teams')
    await waitFor(() => expect(asked.some(({ address }) => address.endsWith('/scoreboard/rows?since=v1'))).toBe(true))
    expect(asked.filter(({ address }) => address === '/api/game/3/scoreboard')).toEqual([])
  })
})

describe('a past scoreboard', () => {
  const past = { ...board, items: board.items.map((one) => ({ ...one, score: 0, solvedChallenges: [], solvedCount: 0 })) }
  const answers = { 'GET /api/game/3/scoreboard': { body: board }, 'GET /api/game/3/scoreboard/past': { body: past } }
  const scoreOf = async (name: RegExp) => within(await screen.findByRole('row', { name })).getAllByRole('cell')[1]?.textContent

  it('the slider shows a past scoreboard, and a button returns to the present scoreboard', async () => {
    const { asked } = await open(answers)
    expect(await scoreOf(/Anchors/)).toBe('105')
    await user.click(screen.getByRole('button', { name: 'History' }))
    const slider = screen.getByRole('slider', { name: 'Time of the board' })
    expect(slider.getAttribute('aria-valuetext')).toBe('Present')
    const minute = Number(slider.getAttribute('min')) + 60_000
    fireEvent.change(slider, { target: { value: String(minute) } })
    await waitFor(() => expect(asked.some(({ address }) => address.endsWith(`/scoreboard/past?at=${minute}`))).toBe(true))
    await waitFor(async () => expect(await scoreOf(/Anchors/)).toBe('0'))
    await user.click(screen.getByRole('button', { name: 'Back to the present' }))
    await waitFor(async () => expect(await scoreOf(/Anchors/)).toBe('105'))
  })

  it('a past scoreboard is shown for the minute in the address until the slider is closed', async () => {
    await open(answers, `?at=${Date.now() - hour}`)
    await waitFor(async () => expect(await scoreOf(/Anchors/)).toBe('0'))
    await user.click(screen.getByRole('button', { name: 'History', pressed: true }))
    await waitFor(async () => expect(await scoreOf(/Anchors/)).toBe('105'))
    expect(screen.queryByRole('slider')).toBeNull()
  })

  it('the scoreboard page shows the reason beside the present board if it cannot read the past board', async () => {
    const refusal = { status: 500, body: { title: 'Something went wrong', status: 500, code: 'server.fault' } }
    await open({ ...answers, 'GET /api/game/3/scoreboard/past': refusal }, `?at=${Date.now() - hour}`)
    await screen.findByText('Something went wrong')
    expect(await scoreOf(/Anchors/)).toBe('105')
  })
})

describe('a frozen scoreboard', () => {
  const freeze = Date.now() - hour / 2
  const frozenGame = { 'GET /api/game/3': { body: { ...game(-2, 2), freeze } } }
  const live = { ...board, updateTimeUtc: inHours(0), items: board.items.map((one) => ({ ...one, score: one.score + 7 })) }
  const answers = {
    ...frozenGame,
    'GET /api/game/3/scoreboard': ({ address }: { readonly address: string }) => ({
      body: address.endsWith('view=live') ? live : board,
    }),
  }
  const monitor = { 'GET /api/account/profile': { body: { userName: 'mira', role: 'Monitor' } } }
  const scoreOf = async (name: RegExp) => within(await screen.findByRole('row', { name })).getAllByRole('cell')[1]?.textContent

  it('monitors can replace the frozen board by the live board, and the address stores the choice', async () => {
    const page = await open({ ...answers, ...monitor })
    await user.click(await screen.findByRole('radio', { name: 'Live' }))
    await waitFor(async () => expect(await scoreOf(/Anchors/)).toBe('112'))
    expect(page.address()).toBe('/games/3?view=live')
    expect(screen.getByText(/^Only you and other monitors see this board/)).toBeTruthy()
    await user.click(screen.getByRole('radio', { name: 'Frozen' }))
    await waitFor(async () => expect(await scoreOf(/Anchors/)).toBe('105'))
  })

  it('the projector shows the frozen board even while the monitor sees the live board', async () => {
    await open({ ...answers, ...monitor }, '?view=live')
    await waitFor(async () => expect(await scoreOf(/Anchors/)).toBe('112'))
    await user.click(screen.getByRole('button', { name: 'Projector' }))
    const projector = await screen.findByRole('dialog', { name: 'Scoreboard, full screen' })
    await within(projector).findByText('105')
    expect(within(projector).queryByText('112')).toBeNull()
  })

  it('a player sees the frozen board even if the address asks for the live board', async () => {
    const { asked } = await open(
      { ...answers, 'GET /api/account/profile': { body: { userName: 'mira', role: 'User' } } },
      '?view=live',
    )
    expect(await scoreOf(/Anchors/)).toBe('105')
    expect(screen.getByText(/^Frozen since/)).toBeTruthy()
    expect(screen.queryByRole('radio', { name: 'Live' })).toBeNull()
    expect(asked.filter(({ address }) => address.includes('view=live'))).toEqual([])
  })

  it("the scoreboard page counts the solves of the user's team since the freeze", async () => {
    const solvedChallenges = [
      { id: 8, score: 50, type: 'Normal', userName: 'mira', time: inHours(-1) },
      { id: 9, score: 105, type: 'Normal', userName: 'mira', time: inHours(-0.25) },
    ]
    const rank = { ...team(3, 'Winches'), solvedChallenges }
    await open({ ...answers, 'GET /api/game/3/details': { body: { challenges: {}, challengeCount: 0, rank, teamToken: '' } } })
    expect(await screen.findByText(/1 later solve of your team counts too, but other teams do not see it\.$/)).toBeTruthy()
  })
})

describe('the scoreboard', () => {
  const withBoard = { 'GET /api/game/3/scoreboard': { body: board } }

  it('the scoreboard lists teams with rank, score, number of solves and first bloods', async () => {
    await open(withBoard)
    const row = await screen.findByRole('row', { name: /Anchors/ })
    await within(row).findByRole('cell', { name: 'First blood' })
    const cells = within(row).getAllByRole('cell')
    expect(cells.map((cell) => cell.textContent)).toEqual(['1', '105', '1 / 1', '1 first blood', 'First blood'])
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Rank',
      'Team',
      'Score',
      'Solved',
      'Bloods',
      'Salvage100',
    ])
  })

  it('the scoreboard shows the time of the last solve if a team has solved a challenge', async () => {
    const solvedAt = { lastSubmissionTime: inHours(-36) }
    const items = board.items.map((each) => (each.id === 1 ? { ...each, ...solvedAt } : each))
    const timeLines = { all: [{ id: 1, name: 'Bollards', items: [{ time: inHours(-1), score: 105 }] }] }
    const page = await open({
      'GET /api/game/3/scoreboard': { body: { ...board, updateTimeUtc: inHours(0), items, timeLines } },
    })
    expect((await screen.findByText(/^Last solve/)).textContent).toMatch(/2 days ago/)
    page.unmount()
    await open({ 'GET /api/game/3/scoreboard': { body: { ...board, items: board.items.slice(1) } } })
    await screen.findByRole('row', { name: /Bollards/ })
    expect(screen.queryByText(/^Last /)).toBeNull()
  })

  it('the browser stores that the chart is folded', async () => {
    const page = await open(withBoard)
    const title = 'Top ten over time'
    await user.click(await screen.findByRole('button', { name: title }))
    expect(screen.getByRole('button', { name: title }).getAttribute('aria-expanded')).toBe('false')
    expect(screen.queryByText('No points yet. The lines start with the first solve.')?.closest('[hidden]')).toBeTruthy()
    page.unmount()
    await open(withBoard)
    expect((await screen.findByRole('button', { name: title })).getAttribute('aria-expanded')).toBe('false')
  })

  it('the scoreboard shows the ranks within a division, and the overall ranks beside them', async () => {
    const page = await open(withBoard)
    await user.click(await screen.findByRole('radio', { name: 'Students' }))
    const row = screen.getByRole('row', { name: /Bollards/ })
    expect(
      within(row)
        .getAllByRole('cell')
        .slice(0, 2)
        .map((cell) => cell.textContent),
    ).toEqual(['1', '2'])
    expect(screen.queryByRole('row', { name: /Anchors/ })).toBeNull()
    expect(page.address()).toBe('/games/3?division=Students')
  })

  it('the scoreboard reports an invalid regular expression and retains all rows', async () => {
    await open(withBoard)
    await user.type(await screen.findByRole('searchbox', { name: 'Search teams' }), '([[')
    expect(await screen.findByText('This is not a valid regular expression')).toBeTruthy()
    expect(screen.getByText('3 teams')).toBeTruthy()
  })

  it('the scoreboard offers to clear a search that finds no teams', async () => {
    await open(withBoard)
    await user.type(await screen.findByRole('searchbox', { name: 'Search teams' }), 'kraken')
    await user.click(await screen.findByRole('button', { name: 'Show all teams' }))
    expect(await screen.findByText('3 teams')).toBeTruthy()
  })

  it("a click on a team opens the team's details and adds the team id to the URL", async () => {
    const page = await open(withBoard)
    await user.click(await screen.findByRole('button', { name: /Anchors/ }))
    const dialog = await screen.findByRole('dialog', { name: 'Anchors' })
    expect(within(dialog).getByText('Salvage')).toBeTruthy()
    expect(within(dialog).getAllByText('105 points')).toHaveLength(2)
    expect(page.address()).toBe('/games/3?team=1')
    await user.keyboard('{Escape}')
    expect(page.address()).toBe('/games/3')
  })

  describe('the details of a team with awards', () => {
    const [anchors, bollards, winches] = board.items as [ScoreboardTeam, ScoreboardTeam, ScoreboardTeam]
    const time = Date.parse(inHours(-1))
    const items = [{ ...anchors, awards: [{ points: -20, time }] }, bollards, { ...winches, awards: [{ points: 40, time }] }]
    const member = {
      'GET /api/game/3/scoreboard': { body: { ...board, items } },
      'GET /api/account/profile': { body: { userId: 'u', userName: 'mira', role: 'User' } },
      'GET /api/team': { body: [{ id: 3, name: 'Winches', locked: false, members: [] }] },
      'GET /api/game/3/awards': { body: [{ id: 5, points: 40, reason: 'Gave a talk', time }] },
    }

    it('the dialog shows the reason of an award to members of the team', async () => {
      await open(member, '?team=3')
      const awards = await screen.findByRole('region', { name: 'Points by the organizers' })
      await within(awards).findByText('Gave a talk')
      expect(within(awards).getByText('+40')).toBeTruthy()
    })

    it('the dialog hides the reason of an award from users who are not members of the team', async () => {
      const { asked } = await open(member, '?team=1')
      const awards = await screen.findByRole('region', { name: 'Points by the organizers' })
      expect(within(awards).getByText('-20')).toBeTruthy()
      expect(asked.some(({ address }) => address === '/api/game/3/awards')).toBe(false)
    })
  })

  it('the dialog links a team to its page unless the page is private', async () => {
    await open({ ...withBoard, 'GET /api/profiles/games/3/closed': { body: [2] } })
    await user.click(await screen.findByRole('button', { name: /Anchors/ }))
    expect((await screen.findByRole('link', { name: 'Team page' })).getAttribute('href')).toBe('/teams/1')
    await user.keyboard('{Escape}')
    await user.click(await screen.findByRole('button', { name: /Bollards/ }))
    await screen.findByRole('dialog', { name: 'Bollards' })
    expect(screen.queryByRole('link', { name: 'Team page' })).toBeNull()
  })

  it('arrow keys move between rows, and only one row is in the tab order', async () => {
    await open(withBoard)
    const first = await screen.findByRole('button', { name: /Anchors/ })
    first.focus()
    await user.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: /Bollards/ }))
    expect(first.tabIndex).toBe(-1)
    await user.keyboard('{End}')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: /Winches/ }))
  })

  const asWinches = {
    'GET /api/account/profile': { body: { userName: 'mira', role: 'User' } },
    'GET /api/team': { body: [{ id: 3, name: 'Winches' }] },
  }

  it("the scoreboard pins the player's team above the rows if there are many teams", async () => {
    const others = Array.from({ length: 8 }, (_, index) => team(index + 4, `Crew ${index}`))
    await open({ ...asWinches, 'GET /api/game/3/scoreboard': { body: { ...board, items: [...board.items, ...others] } } })
    const pinned = await screen.findByRole('rowgroup', { name: 'Your team' })
    expect(within(pinned).getByRole('button', { name: /Winches/ })).toBeTruthy()
  })

  it("the scoreboard does not pin the player's team if its row is visible", async () => {
    await open({ ...withBoard, ...asWinches })
    expect(await screen.findAllByRole('button', { name: /Winches/ })).toHaveLength(1)
    expect(screen.queryByRole('rowgroup', { name: 'Your team' })).toBeNull()
  })

  it('the scoreboard explains that a board has no teams', async () => {
    await open({ 'GET /api/game/3/scoreboard': { body: { ...board, items: [], timeLines: { all: [] } } } })
    expect(await screen.findByRole('heading', { name: 'No teams yet' })).toBeTruthy()
  })

  it('the scoreboard shows an error with a retry button', async () => {
    await open({ 'GET /api/game/3/scoreboard': { status: 500, body: { title: 'Something broke', status: 500 } } })
    expect((await screen.findByRole('alert')).textContent).toContain('Something broke')
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
  })
})
