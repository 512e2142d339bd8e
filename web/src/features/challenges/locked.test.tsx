import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { act, screen, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { refreshCall } from '../../lib/server-state.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { useBoardPreferences } from './board-preferences.ts'
import { ChallengesScreen } from './challenges-screen.tsx'

const time = '2026-01-01T00:00:00Z'
const game = {
  ...{ id: 3, title: 'Harbour Trials', status: 'Accepted', practiceMode: true, teamName: 'Salty Dogs' },
  ...{ start: time, end: '2026-01-02T00:00:00Z' },
} as GameDetail
function challenge(id: number, title: string) {
  return { id, title, category: 'Misc', score: 100, solved: 1, bloods: [], disableBloodBonus: false }
}
const board = {
  challenges: { Misc: [challenge(1, 'Anchor'), challenge(2, 'Bollard'), challenge(4, 'Davit')] },
  challengeCount: 3,
  locked: [{ id: 2, after: [1, 4], needed: 2, solved: 1, points: 500 }],
  rank: {
    ...{ id: 1, name: 'Salty Dogs', bio: null, organization: null, avatar: null, score: 100, rank: 2 },
    ...{ organizationRank: null, lastSubmissionTime: time, solvedCount: 1 },
    solvedChallenges: [{ id: 1, score: 100, type: 'Normal', userName: 'mira', time }],
  },
  ...{ teamToken: 'token', writeupRequired: false, writeupDeadline: time },
}
const view = {
  ...{ id: 2, title: 'Bollard', category: 'Misc', content: 'Find it.', hints: [], hintOffers: [], parts: [], score: 100 },
  ...{ type: 'StaticAttachment', limit: 0, attempts: 0, nextAttemptAt: null, deadline: null },
  context: { closeTime: null, instanceEntry: null, url: null, fileSize: null },
}
const answers = {
  'GET /api/account/profile': { body: { userId: '00000000-0000-4000-8000-000000000001', userName: 'mira', role: 'User' } },
  'GET /api/game/3/details': { body: board },
  'GET /api/game/3/challenges/2': { body: view },
  'GET /api/game/3/scoreboard/solvers/2': { body: { count: 0, latest: [] } },
  'GET /api/game/3/instances': { body: [] },
  'GET /api/game/3/marks': { body: [] },
}

beforeEach(() => {
  localStorage.clear()
  useBoardPreferences.setState({ view: 'cards', sort: 'title', hideSolved: false })
})

it('the dialog shows the unlock condition, and requests and shows the content only after the unlock', async () => {
  const asked = simulateServer(answers)
  await renderInApp(<ChallengesScreen game={game} phase="running" now={Date.parse('2026-01-01T12:00:00Z')} />, {
    at: '/games/3/challenges/2',
    pattern: '/games/:id/challenges/:chalId?',
    areas: ['challenges', 'instances'],
  })
  const dialog = within(await screen.findByRole('dialog', { name: /Bollard/ }))
  expect(await dialog.findByRole('heading', { name: 'This challenge is locked' })).toBeTruthy()
  expect(dialog.getByText('Prerequisites needed: 2. Solved by your team: 1.')).toBeTruthy()
  expect(dialog.getByText('It also opens at 500 points. Your team has 100 points.')).toBeTruthy()
  const [solved, open] = within(dialog.getByRole('list', { name: 'Prerequisites' })).getAllByRole('listitem')
  expect(within(solved!).getByRole('img', { name: 'Solved' })).toBeTruthy()
  expect(within(open!).getByRole('link', { name: 'Davit' }).getAttribute('href')).toBe('/games/3/challenges/4')
  expect(dialog.queryByRole('textbox', { name: /^Flag/ })).toBeNull()
  expect(asked.some(({ address }) => address === '/api/game/3/challenges/2')).toBe(false)

  const { locked: _, ...unlocked } = board
  simulateServer({ ...answers, 'GET /api/game/3/details': { body: unlocked } })
  await act(async () => void (await refreshCall(operations.getPlayerBoard, { params: { id: 3 } })))
  expect(await dialog.findByText('Find it.')).toBeTruthy()
  expect(dialog.queryByRole('heading', { name: 'This challenge is locked' })).toBeNull()
})
