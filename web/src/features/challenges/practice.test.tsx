import type { GameDetail } from '@capstan/contract/games'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'
import { FlagResultNotifier } from '../../components/layout/flag-results.tsx'
import { clearUserData } from '../../lib/forget.ts'
import { usePracticed } from '../../stores/practiced.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { useBoardPreferences } from './board-preferences.ts'
import { ChallengesScreen } from './challenges-screen.tsx'

const user = userEvent.setup()
const userId = '00000000-0000-4000-8000-000000000001'
const time = '2026-01-01T00:00:00Z'
const game = {
  ...{ id: 3, title: 'Harbour Trials', status: 'Accepted', practiceMode: true, teamName: 'Salty Dogs' },
  ...{ start: time, end: '2026-01-02T00:00:00Z' },
} as GameDetail
function challenge(id: number, title: string) {
  return { id, title, category: 'Misc', score: 100, solved: 1, bloods: [], disableBloodBonus: false }
}
const view = {
  ...{
    id: 2,
    title: 'Bollard',
    category: 'Misc',
    content: 'Find it.',
    hints: [],
    hintOffers: [],
    parts: [],
    score: 100,
    type: 'StaticAttachment',
  },
  context: { closeTime: null, instanceEntry: null, url: null, fileSize: null },
}
const answers = {
  'GET /api/account/profile': { body: { userId, userName: 'mira', role: 'User' } },
  'GET /api/game/3/details': {
    body: {
      challenges: { Misc: [challenge(1, 'Anchor'), challenge(2, 'Bollard'), challenge(3, 'Capstan'), challenge(4, 'Davit')] },
      challengeCount: 4,
      rank: {
        ...{ id: 1, name: 'Salty Dogs', bio: null, organization: null, avatar: null, score: 100, rank: 2 },
        ...{ organizationRank: null, lastSubmissionTime: time, solvedCount: 1 },
        solvedChallenges: [{ id: 1, score: 100, type: 'Normal', userName: 'mira', time }],
      },
      ...{ teamToken: 'token', writeupRequired: false, writeupDeadline: time },
    },
  },
  'GET /api/game/3/challenges/2': { body: view },
  'GET /api/game/3/scoreboard/solvers/2': { body: { count: 0, latest: [] } },
  'GET /api/game/3/instances': { body: [] },
  'POST /api/game/3/challenges/2/verdict': { body: { id: 4711, status: 'Accepted', solve: null } },
}

function showGame(at: string, phase: 'running' | 'ended' = 'ended') {
  simulateServer(answers)
  return renderInApp(
    <>
      <ChallengesScreen game={game} phase={phase} now={Date.parse('2026-01-03T00:00:00Z')} />
      <FlagResultNotifier />
    </>,
    { at, pattern: '/games/:id/challenges/:chalId?', areas: ['challenges', 'instances'] },
  )
}
function card(name: RegExp) {
  return screen.findByRole('link', { name })
}

beforeEach(() => {
  localStorage.clear()
  clearUserData()
  usePracticed.setState({ ids: {} })
  useBoardPreferences.setState({ view: 'cards', sort: 'title', hideSolved: false })
})

describe('practice after the end of a game', () => {
  it('the board marks and counts practiced challenges separately from solved ones', async () => {
    usePracticed.setState({ ids: { [userId]: [1, 3], noor: [4] } })
    await showGame('/games/3/challenges')
    expect(await card(/Capstan.*Practiced/)).toBeTruthy()
    expect(await card(/Anchor.*Solved/)).toBeTruthy()
    expect(screen.queryByRole('link', { name: /(Bollard|Davit).*(Solved|Practiced)/ })).toBeNull()
    const filter = within(screen.getByRole('complementary', { name: 'Filter' }))
    expect(filter.getByText('1 of 4 practiced')).toBeTruthy()
    expect(filter.getAllByText('1 of 4 solved').length).toBeGreaterThan(0)
    await user.click(filter.getByRole('switch', { name: 'Hide solved' }))
    expect(screen.queryByRole('link', { name: /Capstan/ })).toBeNull()
    expect(await card(/Davit/)).toBeTruthy()
  })

  it('the browser stores a practiced challenge, and "Next unsolved" then skips it', async () => {
    usePracticed.setState({ ids: { [userId]: [3] } })
    const { address } = await showGame('/games/3/challenges/2')
    await user.type(await screen.findByRole('textbox', { name: /^Flag/ }), 'flag{{right}{Enter}')
    await waitFor(() => expect(usePracticed.getState().ids).toEqual({ [userId]: [3, 2] }))
    await user.click(await screen.findByRole('button', { name: 'Next unsolved' }))
    await waitFor(() => expect(address()).toBe('/games/3/challenges/4'))
  })

  it('the board offers no practice while the game is running', async () => {
    usePracticed.setState({ ids: { [userId]: [3] } })
    await showGame('/games/3/challenges', 'running')
    await card(/Capstan/)
    expect(screen.queryByText(/practiced/i)).toBeNull()
    expect(screen.queryByRole('img', { name: 'Practiced' })).toBeNull()
  })
})
