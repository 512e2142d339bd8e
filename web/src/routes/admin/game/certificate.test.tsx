import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../../testing/render.tsx'
import { simulateServer } from '../../../testing/server.ts'
import { Route } from './certificate.tsx'

const empty = {
  ...{ isEnabled: false, title: '', text: '', participationText: '', signer: '', paper: 'A4', orientation: 'landscape' },
  ...{ language: 'en-US', background: null, logo: null, signature: null },
}

/**
 * Shows the page of a game that has no certificate template.
 * @param id id of the game. Each test needs a different id, because a draft may be stored after its test has ended
 */
async function showEmptyTemplate(id: number) {
  const received = simulateServer({
    [`GET /api/edit/games/${id}`]: { body: { id, title: 'Regatta', end: '2026-05-01T09:00:00.000Z' } },
    [`GET /api/edit/games/${id}/certificate`]: { body: empty },
    [`PUT /api/edit/games/${id}/certificate`]: ({ body }) => ({ body: { ...empty, ...Object(body) } }),
  })
  await renderInApp(<Route />, {
    at: `/admin/games/${id}/certificate`,
    pattern: '/admin/games/:id/certificate',
    areas: ['admin-certificate', 'editing'],
  })
  return received
}

it('the certificate page shows example texts before the first save, and reports an unknown placeholder', async () => {
  await showEmptyTemplate(3)
  const user = userEvent.setup()
  const title = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Title' })
  expect(title.value).toBe('Certificate')
  expect(screen.getByText('Save the certificates to see a preview.')).toBeTruthy()
  await user.type(title, ' of {{captain}')
  expect(screen.getByText('{captain} is not a placeholder.')).toBeTruthy()
})

it('the certificate page saves the example texts with the changes of the organizer', async () => {
  const received = await showEmptyTemplate(4)
  const user = userEvent.setup()
  await user.click(await screen.findByRole('switch', { name: 'Offer certificates' }))
  await user.click(screen.getByRole('button', { name: 'Save changes' }))
  const saved = await waitFor(() => {
    const put = received.find(({ method }) => method === 'PUT')
    expect(put).toBeTruthy()
    return put
  })
  expect(saved?.body).toMatchObject({ isEnabled: true, title: 'Certificate', language: 'en-US' })
  expect(Object.keys(Object(saved?.body)).sort()).toEqual([
    'isEnabled',
    'language',
    'orientation',
    'paper',
    'participationText',
    'signer',
    'text',
    'title',
  ])
})
