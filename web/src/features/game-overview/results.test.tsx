import type { GameDetail } from '@capstan/contract/games'
import type { BoardChallenge, Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { FinishedGameResults } from './results.tsx'

const user = userEvent.setup()
const game: GameDetail = {
  ...{ id: 3, title: 'Harbour Trials', summary: '', content: '', hidden: false, poster: null, limit: 0, teamCount: 4 },
  ...{ organizations: null, inviteCodeRequired: false, writeupRequired: true, organization: null, practiceMode: false },
  ...{ teamName: 'Night Watch', status: 'Accepted', start: '2026-05-01T10:00:00Z', end: '2026-05-01T20:00:00Z' },
}
function aTeam(id: number, name: string, rank: number, score: number): ScoreboardTeam {
  return {
    ...{ id, name, rank, score, bio: null, organization: null, avatar: null, organizationRank: null },
    ...{ lastSubmissionTime: '2026-05-01T12:00:00Z', solvedCount: score / 100, solvedChallenges: [] },
  }
}
function aChallenge(id: number, solved: number, first?: ScoreboardTeam): BoardChallenge {
  return {
    ...{ id, title: `Task ${id}`, category: 'Web', score: 100, solved, disableBloodBonus: false },
    bloods: first ? [{ id: first.id, name: first.name, avatar: null, submitTimeUtc: null }] : [],
    deadline: null,
  }
}
const [reds, blues, watch, idle] = [
  aTeam(1, 'Reds', 1, 900),
  aTeam(2, 'Blues', 2, 800),
  aTeam(7, 'Night Watch', 3, 300),
  aTeam(8, 'Idle', 4, 0),
]
const board: Scoreboard = {
  ...{ updateTimeUtc: game.end, bloodBonus: 0, timeLines: {}, items: [reds, blues, watch, idle], challengeCount: 12 },
  challenges: {
    Web: Array.from({ length: 12 }, (_, index) =>
      index === 0 ? aChallenge(1, 0) : aChallenge(index + 1, index % 4, index % 3 === 0 ? blues : reds),
    ),
  },
}
function open(scoreboard: { status?: number; body: unknown }, hasWriteup = true) {
  simulateServer({
    'GET /api/game/3/scoreboard': scoreboard,
    'GET /api/profiles/games/3/closed': { body: [2] },
    'GET /api/game/3/marks': { body: [{ id: 8, tags: [], difficulty: 'hard', hasContainer: false, hasFile: false }] },
  })
  return renderInApp(<FinishedGameResults game={game} hasWriteup={hasWriteup} />, { areas: ['results', 'challenges'] })
}

describe('the results of a game', () => {
  it("the results section shows winners, the user's team, first bloods and each challenge", async () => {
    await open({ body: board })
    const podium = within(await screen.findByRole('list', { name: 'Top three teams' })).getAllByRole('listitem')
    expect(podium.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('Reds900 points'),
      expect.stringContaining('Blues800 points'),
      expect.stringContaining('Night Watch300 points'),
    ])
    expect(screen.getByText('3 of 4')).toBeTruthy()
    expect(screen.getByText('3 of 12')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Your writeup' })).toBeTruthy()
    const firsts = screen.getByRole('heading', { name: 'Most first bloods' }).parentElement
    expect(firsts?.textContent).toContain('Reds8Blues3')
    const rows = () => within(screen.getByRole('table')).getAllByRole('rowheader')
    expect(rows()).toHaveLength(10)
    expect(rows()[0]?.textContent).toBe('Task 4 Web')
    await waitFor(() => expect(rows()[1]?.textContent).toBe('Task 8 Web · Hard'))
    await user.click(screen.getByRole('button', { name: 'Show all 12' }))
    expect(rows()).toHaveLength(12)
    expect(screen.getByText('No solves yet')).toBeTruthy()
  })

  it('the results section reports that no team scored', async () => {
    await open({ body: { ...board, items: [idle], challenges: {} } }, false)
    expect(await screen.findByText('No team has scored.')).toBeTruthy()
    expect(screen.queryByRole('heading', { name: 'By challenge' })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Your writeup' })).toBeNull()
  })

  it('the results section shows an error if it cannot read the results, and a button that retries', async () => {
    await open({ status: 500, body: { title: 'Out of order', status: 500 } })
    expect((await screen.findByRole('alert')).textContent).toContain('Out of order')
    simulateServer({ 'GET /api/game/3/scoreboard': { body: board } })
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('list', { name: 'Top three teams' })).toBeTruthy()
  })
})

it('the names of teams with visible pages are links', async () => {
  const asked = simulateServer({
    'GET /api/game/3/scoreboard': { body: board },
    'GET /api/profiles/games/3/closed': { body: [2] },
  })
  await renderInApp(<FinishedGameResults game={game} hasWriteup={false} />, { areas: ['results', 'challenges'] })
  const podium = await screen.findByRole('list', { name: 'Top three teams' })
  expect((await within(podium).findByRole('link', { name: 'Reds' })).getAttribute('href')).toBe('/teams/1')
  expect(screen.queryByRole('link', { name: 'Blues' })).toBeNull()
  expect(asked.filter(({ address }) => address.includes('/closed'))).toHaveLength(1)
})

it.each([
  ["reads only the leading teams if the user's team is among them", board.items, false],
  ["reads all teams if the user's team is not among the leading ones", board.items.slice(0, 2), true],
])('%s', async (_what, items, readsFullBoard) => {
  const asked = simulateServer({
    'GET /api/game/3/scoreboard/leading': { body: { ...board, items, teamCount: 4 } },
    'GET /api/game/3/scoreboard': { body: board },
    'GET /api/profiles/games/3/closed': { body: [] },
  })
  await renderInApp(<FinishedGameResults game={game} hasWriteup={false} />, { areas: ['results'] })
  expect(await screen.findByText('3 of 4')).toBeTruthy()
  expect(asked.some(({ address }) => address === '/api/game/3/scoreboard')).toBe(readsFullBoard)
})
