import type { GameDetail } from '@capstan/contract/games'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { ClosedBoardNotice } from './gate.tsx'

const game: GameDetail = {
  ...{ id: 3, title: 'Harbour Trials', summary: '', content: '', hidden: false, poster: null, limit: 0, teamCount: 4 },
  ...{ organizations: null, inviteCodeRequired: false, writeupRequired: false, organization: null, practiceMode: false },
  ...{ teamName: null, status: 'Unsubmitted', start: '2026-05-01T10:00:00Z', end: '2026-05-01T20:00:00Z' },
}
const profile = {
  ...{ userId: '00000000-0000-4000-8000-000000000001', userName: 'mira', email: null, bio: null, phone: null },
  ...{ realName: null, stdNumber: null, avatar: null },
}

it('the challenges page redirects to the page of the game if the player has not joined', async () => {
  simulateServer({ 'GET /api/account/profile': { body: { ...profile, role: 'User' } } })
  await renderInApp(<ClosedBoardNotice game={game} phase="running" />, { areas: ['challenges'] })
  expect(await screen.findByRole('heading', { name: 'You have not joined this game' })).toBeTruthy()
  const [link] = screen.getAllByRole('link')
  expect([link?.textContent, link?.getAttribute('href')]).toEqual(['Join the game', '/games/3'])
})
