import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { FlagPartList } from './flag-parts.tsx'

it('the section shows which flags the team has found, with the points of each flag', async () => {
  const parts = [
    { points: 30, foundAt: 1_767_225_600_000 },
    { points: 1, foundAt: null },
  ]
  await renderInApp(<FlagPartList parts={parts} />, { areas: ['challenges'] })
  expect(screen.getByText('1 of 2 flags found')).toBeTruthy()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['30 points', '1 point'])
  expect(screen.getByRole('img', { name: 'Flag 1: found' })).toBeTruthy()
  expect(screen.getByRole('img', { name: 'Flag 2: missing' })).toBeTruthy()
})

it('the section shows no list of flags if every flag solves the challenge', async () => {
  await renderInApp(<FlagPartList parts={[]} />, { areas: ['challenges'] })
  expect(screen.queryByRole('region', { name: 'Flags to find' })).toBeNull()
})
