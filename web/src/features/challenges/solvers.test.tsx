import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { Solvers } from './solvers.tsx'

it('isolates the direction of a team name from the facts beside it', async () => {
  const latest = [
    { id: 4, name: 'ميناء 7', avatar: null, type: 'FirstBlood' as const, time: '2026-01-01T00:00:00Z' },
    { id: 5, name: 'Salty Dogs', avatar: null, type: 'Normal' as const, time: '2026-01-01T00:01:00Z' },
  ]
  await show(<Solvers count={2} latest={latest} ownTeamId={4} isSolved />, { areas: ['challenges'] })
  expect(latest.map(({ name }) => screen.getByText(name).tagName)).toEqual(['BDI', 'BDI'])
})
