import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { formatDateTime } from '../../../lib/format.ts'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './writeups.tsx'

const future = '2099-11-22T20:00:00.000Z'

async function open(writeupRequired: boolean, writeupDeadline = future) {
  simulateServer({
    'GET /api/edit/games/3': { body: { id: 3, title: 'Regatta', writeupRequired, writeupDeadline } },
    'GET /api/admin/writeups/3': { body: [] },
  })
  await renderInApp(<Route />, { at: '/admin/games/3/writeups', pattern: '/admin/games/:id/writeups', areas: ['admin-review'] })
  await screen.findByRole('heading', { name: 'No writeups yet' })
}

it('the writeups page shows the deadline until the first writeup is submitted', async () => {
  await open(true)
  expect(screen.getByText(`Each team submits one PDF by ${formatDateTime(future)}. The PDFs appear here.`)).toBeTruthy()
  expect(screen.queryByRole('link')).toBeNull()
})

it('the writeups page does not announce further writeups after the deadline', async () => {
  await open(true, '2026-01-01T20:00:00.000Z')
  expect(screen.queryByText(/submits one PDF/)).toBeNull()
})

it('the writeups page links to the setting if the game requires no writeups', async () => {
  await open(false)
  expect(screen.getByRole('link', { name: 'Ask for writeups' }).getAttribute('href')).toBe('/admin/games/3/info#writeupRequired')
})
