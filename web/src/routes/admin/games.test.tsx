import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer, simulateUploads } from '../../testing/server.ts'
import { Route as Games } from './games.tsx'

const user = userEvent.setup()
const game = {
  ...{ id: 4, title: 'Quals', summary: '', poster: null, hidden: false },
  ...{ start: '2026-05-01T09:00:00.000Z', end: '2026-05-02T09:00:00.000Z' },
}

it('the games page copies a game with another title and start, and opens the copy', async () => {
  const asked = simulateServer({
    'GET /api/admin/games/list': { body: { data: [game], length: 1, total: 1 } },
    'POST /api/edit/games/4/clone': { body: { ...game, id: 9, title: 'Finals' } },
  })
  await renderInApp(<Games />, { at: '/admin/games', pattern: '/admin/games', areas: ['admin-games', 'admin', 'editing'] })
  await user.click(await screen.findByRole('button', { name: 'Copy Quals' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Copy Quals' }))
  await user.clear(dialog.getByLabelText('Title'))
  await user.click(dialog.getByRole('button', { name: 'Copy game' }))
  expect(dialog.getByText('Enter a title')).toBeTruthy()
  await user.type(dialog.getByLabelText('Title'), 'Finals')
  const start = dialog.getByLabelText<HTMLInputElement>('Start')
  const before = start.value
  // The last suggested start is the next Saturday.
  const presets = dialog.getAllByRole('button', { name: /9/ })
  await user.click(presets.at(-1)!)
  expect(start.value).toMatch(/T09:00$/)
  expect(presets.length === 1 || start.value !== before).toBe(true)
  const chosen = new Date(start.value).toISOString()
  await user.click(dialog.getByRole('button', { name: 'Copy game' }))
  await screen.findByText(/another page/)
  const sent = asked.find(({ method }) => method === 'POST')
  expect(sent?.body).toEqual({ title: 'Finals', start: chosen })
})

it('the games page shows the number of open steps of a future game without an additional call', async () => {
  const counts = { total: 2, enabled: 0, withoutFlag: 1, containers: 0, withoutImage: 0, untested: 0 }
  const upcoming = { ...game, id: 5, title: 'Finals', hidden: true, content: '', writeupRequired: false, challenges: counts }
  const soon = { ...upcoming, start: '2095-05-01T09:00:00.000Z', end: '2095-05-02T09:00:00.000Z' }
  const asked = simulateServer({
    'GET /api/admin/games/list': { body: { data: [soon, { ...game, challenges: null }], length: 2, total: 2 } },
  })
  await renderInApp(<Games />, { at: '/admin/games', pattern: '/admin/games', areas: ['admin-games', 'admin', 'editing'] })
  const left = await screen.findByRole('link', { name: '4 things left' })
  expect(left.getAttribute('href')).toBe('/admin/games/5/info')
  expect(screen.getAllByRole('link', { name: /left$/ })).toHaveLength(1)
  expect(asked.filter(({ address }) => address.includes('readiness'))).toEqual([])
})

it('the server sorts the games after a click on a column header, and searches them', async () => {
  const asked = simulateServer({ 'GET /api/admin/games/list': { body: { data: [game], length: 1, total: 1 } } })
  const page = await renderInApp(<Games />, {
    at: '/admin/games',
    pattern: '/admin/games',
    areas: ['admin-games', 'admin', 'editing'],
  })
  await user.click(await screen.findByRole('button', { name: 'Time' }))
  const query = () => Object.fromEntries(new URL(asked.at(-1)?.address ?? '', 'http://x').searchParams)
  await waitFor(() => expect(query()).toEqual({ sort: 'start', descending: 'false', count: '30', skip: '0' }))
  await user.click(screen.getByRole('button', { name: 'Time' }))
  await waitFor(() => expect(query()).toMatchObject({ sort: 'start', descending: 'true' }))
  await user.type(screen.getByLabelText('Search games'), 'Qua')
  await waitFor(() => expect(query()).toMatchObject({ hint: 'Qua', skip: '0' }))
  expect(page.address()).toContain('sort=start')
})

it('the games page creates a game from a package, and shows why a file is refused', async () => {
  simulateServer({ 'GET /api/admin/games/list': { body: { data: [game], length: 1, total: 1 } } })
  const body = { title: 'This isn’t a game package', status: 400, code: 'import.package', detail: 'No game.yaml.' }
  simulateUploads({ status: 400, body })
  const at = '/admin/games'
  await renderInApp(<Games />, { at, pattern: at, areas: ['admin-games', 'admin', 'editing'] })
  await user.click(await screen.findByRole('button', { name: 'Import' }))
  await screen.findByRole('menuitem', { name: 'Import from CTFd' })
  await user.click(screen.getByRole('menuitem', { name: 'Import a game package' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Import a game package' }))
  await user.upload(dialog.getByLabelText(/Drop the package here/), new File(['PK'], 'quals.zip'))
  await user.click(dialog.getByRole('button', { name: 'Import' }))
  expect((await dialog.findByText(/This isn’t a game package/)).textContent).toContain('No game.yaml.')
  simulateUploads({ body: 9 })
  await user.click(dialog.getByRole('button', { name: 'Import' }))
  await screen.findByText(/another page/)
})
