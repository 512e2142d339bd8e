import type { GameDetail } from '@capstan/contract/games'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { answering } from '../../testing/server.ts'
import { Gate } from './gate.tsx'

const game: GameDetail = {
  ...{ id: 3, title: 'Harbour Trials', summary: '', content: '', hidden: false, poster: null, limit: 0, teamCount: 4 },
  ...{ organizations: null, inviteCodeRequired: false, writeupRequired: false, organization: null, practiceMode: false },
  ...{ teamName: null, status: 'Unsubmitted', start: '2026-05-01T10:00:00Z', end: '2026-05-01T20:00:00Z' },
}
const profile = {
  ...{ userId: '00000000-0000-4000-8000-000000000001', userName: 'mira', email: null, bio: null, phone: null },
  ...{ realName: null, stdNumber: null, avatar: null },
}

it.each([
  { role: 'User', title: 'You have not joined this game', first: 'Join the game', to: '/games/3' },
  { role: 'Monitor', title: 'You watch this game', first: 'Monitor', to: '/games/3/monitor' },
  { role: 'Admin', title: 'You run this game', first: 'Manage challenges', to: '/admin/games/3/challenges' },
])('a $role who has not joined is led to what is theirs to do', async ({ role, title, first, to }) => {
  answering({ 'GET /api/account/profile': { body: { ...profile, role } } })
  await show(<Gate game={game} phase="running" />, { areas: ['challenges'] })
  expect(await screen.findByRole('heading', { name: title })).toBeTruthy()
  const links = screen.getAllByRole('link')
  expect([links[0]?.textContent, links[0]?.getAttribute('href')]).toEqual([first, to])
  // Who runs a game may play it as well.
  expect(links.at(-1)?.getAttribute('href')).toBe('/games/3')
})
