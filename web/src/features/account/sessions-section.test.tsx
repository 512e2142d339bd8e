import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { SessionsSection } from './sessions-section.tsx'

const user = userEvent.setup()
function session(id: number, rest: object = {}) {
  return {
    id: `b4a0e7a2-0000-4000-8000-00000000000${id}`,
    ...{ isCurrent: false, browser: 'Firefox', system: 'Linux', address: `203.0.113.${id}` },
    ...{ openedAt: Date.UTC(2030, 0, 1), lastUsedAt: Date.UTC(2030, 0, 1) },
    ...rest,
  }
}

it('the list of sessions shows the current session first, and can end another session', async () => {
  let rows = [session(1), session(2, { isCurrent: true, browser: 'Safari', system: null })]
  const asked = simulateServer({
    'GET /api/account/sessions': () => ({ body: rows }),
    'DELETE /api/account/sessions/b4a0e7a2-0000-4000-8000-000000000001': () => {
      rows = rows.slice(1)
      return { body: undefined }
    },
  })
  await renderInApp(<SessionsSection />, { areas: ['account'] })
  const items = await screen.findAllByRole('listitem')
  expect(items.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^SafariThis device203\.0\.113\.2/),
    expect.stringMatching(/^Firefox on Linux203\.0\.113\.1/),
  ])
  await user.click(screen.getByRole('button', { name: 'End session: Firefox on Linux' }))
  await expect.poll(() => screen.getAllByRole('listitem')).toHaveLength(1)
  expect(asked.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  expect(screen.queryByRole('button', { name: 'End all other sessions' })).toBeNull()
})

it('the list of sessions shows five sessions until the user asks for all', async () => {
  simulateServer({
    'GET /api/account/sessions': { body: [1, 2, 3, 4, 5, 6].map((id) => session(id, { browser: null, system: null })) },
  })
  await renderInApp(<SessionsSection />, { areas: ['account'] })
  expect(await screen.findAllByText('Unknown device')).toHaveLength(5)
  await user.click(screen.getByRole('button', { name: 'Show all 6' }))
  expect(screen.getAllByText('Unknown device')).toHaveLength(6)
})
