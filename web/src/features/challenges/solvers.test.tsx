import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { show } from '../../testing/render.tsx'
import { Solvers } from './solvers.tsx'

const solve = { id: 7, score: 420, type: 'Normal', userName: 'mira', time: '2026-01-01T00:00:00Z' } as const
const list = (userName: string | null) => <Solvers solvers={[]} ownTeamId={1} ownSolve={{ ...solve, userName }} />

it('the own solve tells who of the team it was and what it brought', async () => {
  const { unmount } = await show(list('mira'), { areas: ['challenges'] })
  expect(screen.getByText(/^Solved by mira, \+420 points/)).toBeTruthy()
  unmount()
  await show(list(null), { areas: ['challenges'] })
  expect(screen.getByText(/^Solved, \+420 points/)).toBeTruthy()
})
