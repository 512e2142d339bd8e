import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './notices.tsx'

const notice = { id: 5, type: 'Normal', values: ['Cast off.'], time: '2026-05-01T09:00:00.000Z' }

it('the notices page retains the text of a notice that another user deletes during the edit', async () => {
  const lists = [[notice], []]
  simulateServer({
    'GET /api/edit/games/3/notices/generated': { body: [] },
    'GET /api/edit/games/3/notices': () => ({ body: lists.length > 1 ? lists.shift() : lists[0] }),
    'PUT /api/edit/games/3/notices/5': { status: 404, body: { title: 'There is no such notice', status: 404 } },
  })
  const user = userEvent.setup()
  await renderInApp(<Route />, {
    at: '/admin/games/3/notices',
    pattern: '/admin/games/:id/notices',
    areas: ['admin-game', 'editing', 'notices'],
  })
  await user.click(await screen.findByRole('button', { name: 'Edit notice' }))
  const text = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
  await user.type(text, ' At noon.')
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  expect(await screen.findByText('There is no such notice')).toBeTruthy()
  expect(text.value).toBe('Cast off. At noon.')
  expect(document.contains(text)).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

it('the notices page withdraws an automatic notice only after confirmation', async () => {
  const blood = { id: 8, type: 'FirstBlood', values: ['Crew', 'Winch Lock'], time: '2026-05-01T10:00:00.000Z' }
  let generated = [blood]
  simulateServer({
    'GET /api/edit/games/3/notices': { body: [] },
    'GET /api/edit/games/3/notices/generated': () => ({ body: generated }),
    'DELETE /api/edit/games/3/notices/generated/8': () => {
      generated = []
      return {}
    },
  })
  const user = userEvent.setup()
  await renderInApp(<Route />, {
    at: '/admin/games/3/notices',
    pattern: '/admin/games/:id/notices',
    areas: ['admin-game', 'editing', 'notices'],
  })
  const list = await screen.findByRole('region', { name: 'Automatic notices' })
  expect(list.textContent).toContain('Crew solved Winch Lock')
  await user.click(within(list).getByRole('button', { name: 'Withdraw notice' }))
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Withdraw notice' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Automatic notices' })).toBeNull())
})

it('the notices page shows automatic notices only after the list above them', async () => {
  const blood = { id: 8, type: 'FirstBlood', values: ['Crew', 'Winch Lock'], time: '2026-05-01T10:00:00.000Z' }
  const received = simulateServer({
    'GET /api/edit/games/3/notices': { body: [notice] },
    'GET /api/edit/games/3/notices/generated': { body: [blood] },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  const answer = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    if (String(input).endsWith('/api/edit/games/3/notices')) await promise
    return answer(input, init)
  }
  await renderInApp(<Route />, {
    at: '/admin/games/3/notices',
    pattern: '/admin/games/:id/notices',
    areas: ['admin-game', 'editing', 'notices'],
  })
  await waitFor(() => expect(received.some(({ address }) => address.includes('/generated'))).toBe(true))
  // Wait for the next frame, in which the page would show the response.
  await act(() => new Promise<void>((done) => requestAnimationFrame(() => done())))
  expect(screen.queryByRole('region', { name: 'Automatic notices' })).toBeNull()
  resolve()
  const list = await screen.findByRole('region', { name: 'Automatic notices' })
  expect(screen.getByRole('region', { name: 'Published notices' }).compareDocumentPosition(list)).toBe(
    Node.DOCUMENT_POSITION_FOLLOWING,
  )
})
